import { percentile } from '../eval/metrics/numbers.ts';
import { ingestionGraph } from '../graphs/ingestion/graph.ts';
import { retrievalGraph } from '../graphs/retrieval/graph.ts';
import type { MemoryScope } from '../src/engine/memory-scope.ts';
import { Mnemis } from '../src/engine.ts';
import { HashingEmbedder } from '../src/inference/embedder/hashing-embedder.ts';
import { firstUnits } from '../src/ingest/write/plan-batch.ts';
import { analyze } from '../src/search/analyzer.ts';
import { calibrate } from './calibration.ts';
import { syntheticQuestions, syntheticTurns } from './synthetic-turns.ts';
import { type BenchSize, fill, inTemporaryFolder, openBench, round, SCOPE } from './temporary-memory.ts';

const QUESTIONS = 200;
/** Turns of each memory that is flushed, and memories for each way. */
const [FLUSHED, FLUSHES] = [1_024, 3];
const WARM_UP = 20;

/**
 * What the graphs add to the work of their nodes. Each question runs three times in turn: the functions of the nodes
 * called one after another ("bare"), the definition run directly as `search` and `ask` do, and the same definition
 * compiled by LangGraph.
 */
export async function benchGraphs({ episodes, dimension }: BenchSize) {
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const engine = await openBench(path, dimension);
    await fill(engine, episodes);
    const questions = syntheticQuestions(QUESTIONS + WARM_UP);
    const memory = engine.scope(SCOPE);
    const report = {
      episodes,
      search: await compared(questions, searchRuns(engine, memory)),
      ask: await compared(questions, askRuns(engine, memory)),
      flush: await comparedFlush(dimension),
      calibration,
    };
    await engine.close();
    return report;
  });
}

type Run = (question: string) => Promise<unknown>;
interface Runs {
  readonly bare: Run;
  readonly direct: Run;
  readonly langGraph: Run;
}

function searchRuns(engine: Mnemis, memory: MemoryScope): Runs {
  const graph = graphOf(engine);
  return {
    bare: async (question) => (await bareSearch(memory, question, false)).result,
    direct: (question) => memory.search(question),
    langGraph: (question) => graph.invoke({ question }, { context: { scope: SCOPE, answers: false } }),
  };
}

function askRuns(engine: Mnemis, memory: MemoryScope): Runs {
  const graph = graphOf(engine);
  return {
    bare: async (question) => {
      const { steps, result } = await bareSearch(memory, question, true);
      return steps.answer(result, {});
    },
    direct: (question) => memory.ask(question),
    langGraph: (question) => graph.invoke({ question }, { context: { scope: SCOPE } }),
  };
}

function graphOf(engine: Mnemis) {
  return retrievalGraph(async ({ scope, question, settings, begins }) =>
    engine.scope(scope).retrievalSteps(question, { ...settings, begins }),
  );
}

async function bareSearch(memory: MemoryScope, question: string, answers: boolean) {
  const steps = await memory.retrievalSteps(question, { answers, begins: true });
  await Promise.all(steps.routes.map((_, place) => steps.route(place, {})));
  await steps.fuse({});
  return { steps, result: await steps.rerank({}) };
}

/** Medians in milliseconds, and what each way adds to the bare nodes. */
async function compared(questions: readonly string[], { bare, direct, langGraph }: Runs) {
  const times = { bare: [] as number[], direct: [] as number[], langGraph: [] as number[] };
  const runs = { bare, direct, langGraph };
  const ways = Object.entries(runs) as [keyof typeof times, Run][];
  for (const [at, question] of questions.entries()) {
    await bare(question); // reads its rows into the caches
    // In turn, so that no way always goes first.
    const rotated = [...ways.slice(at % ways.length), ...ways.slice(0, at % ways.length)];
    for (const [name, run] of rotated) {
      const started = performance.now();
      await run(question);
      if (at >= WARM_UP) times[name].push(performance.now() - started);
    }
  }
  const p50 = (of: readonly number[]) => percentile(of, 50)!;
  const [alone, run, compiled] = [p50(times.bare), p50(times.direct), p50(times.langGraph)];
  return {
    bareMs: round(alone),
    directMs: round(run),
    langGraphMs: round(compiled),
    directAddsMs: round(run - alone),
    langGraphAddsMs: round(compiled - alone),
    directRatio: round(run / alone),
    langGraphRatio: round(compiled / alone),
  };
}

/** The same turns consolidated in fresh memories, by turns: the steps called in a loop, and the graph. */
async function comparedFlush(dimension: number) {
  const bare: number[] = [];
  const langGraph: number[] = [];
  let batches = 0;
  for (let at = 0; at < FLUSHES; at++) {
    bare.push(
      await timedFlush(dimension, async (memory) => {
        batches = await bareFlush(memory);
      }),
    );
    langGraph.push(
      await timedFlush(dimension, async (memory) => {
        const graph = ingestionGraph(async () => memory.ingestionSteps());
        await graph.invoke({ ended: true });
      }),
    );
  }
  const [alone, compiled] = [Math.min(...bare), Math.min(...langGraph)];
  return {
    turns: FLUSHED,
    batches,
    bareMs: round(alone),
    langGraphMs: round(compiled),
    langGraphAddsMsPerBatch: round((compiled - alone) / batches),
    langGraphRatio: round(compiled / alone),
  };
}

async function timedFlush(dimension: number, flush: (memory: MemoryScope) => Promise<void>): Promise<number> {
  return inTemporaryFolder(async (path) => {
    const embedder = new HashingEmbedder({ dimension, analyze });
    const engine = await Mnemis.open({ path, embedder, automatic: false });
    const memory = engine.scope(SCOPE);
    await memory.add([...syntheticTurns(FLUSHED)]);
    const started = performance.now();
    await flush(memory);
    const milliseconds = performance.now() - started;
    await engine.close();
    return milliseconds;
  });
}

const CALL = { signal: undefined, budget: null, oneByOne: false };

/** @returns the number of batches. */
async function bareFlush(memory: MemoryScope): Promise<number> {
  const steps = memory.ingestionSteps();
  let batches = 0;
  for (;;) {
    const { units } = await steps.plan({ ended: true, sessions: null }, CALL);
    if (units.length === 0) return batches;
    for (let left = units; left.length > 0; batches++) {
      const batch = firstUnits(left, steps.turnsPerBatch);
      left = left.slice(batch.length);
      await steps.read(batch, CALL);
      await steps.resolve(batch, CALL);
      await steps.build(batch, CALL);
      await steps.commit(batch, { ...CALL, isLast: true });
    }
  }
}

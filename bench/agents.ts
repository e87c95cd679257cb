import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import { percentile } from '../eval/metrics/numbers.ts';
import { MnemisStore } from '../src/langgraph/store/mnemis-store.ts';
import { calibrate } from './calibration.ts';
import { syntheticQuestions } from './synthetic-turns.ts';
import { type BenchSize, fill, inTemporaryFolder, openBench, round, SCOPE } from './temporary-memory.ts';

export interface AgentsSize extends BenchSize {
  /** Concurrent agents on one memory. */
  readonly agents: number;
  /** Runs per agent. */
  readonly runs: number;
}

const STEPS = ['get', 'search', 'put', 'recall', 'add', 'run'] as const;
type Times = Record<(typeof STEPS)[number], number[]>;
type Memory = ReturnType<Awaited<ReturnType<typeof openBench>>['scope']>;

/**
 * Duration of graph runs when many agents share one memory, compared with one agent. A run reads, searches and writes
 * the store, searches the memory and adds a turn; each waits for its writes to be on disk. With 50 agents on one thread
 * a single run is slower than alone: the metrics are runs per second, and that no agent waits much longer than others.
 */
export async function benchAgents({ episodes, dimension, agents, runs }: AgentsSize) {
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const engine = await openBench(path, dimension);
    await fill(engine, episodes);
    const run = agentRun(engine.scope(SCOPE));
    await together(run, { agents: 1, runs: 5, name: 'warm-up' });
    const alone = await together(run, { agents: 1, runs: Math.max(runs, 40), name: 'alone' });
    const shared = await together(run, { agents, runs, name: 'shared' });
    await engine.close();
    return {
      episodes,
      dimension,
      agents,
      runs,
      alone: alone.figures,
      shared: shared.figures,
      ratio: { p50: round(shared.p50 / alone.p50), p95: round(shared.p95 / alone.p95) },
      /** Relative to sequential runs: below 1, sharing is faster. */
      ratioOfEqualShare: {
        p50: round(shared.p50 / alone.p50 / agents),
        p95: round(shared.p95 / alone.p95 / agents),
      },
      calibration,
    };
  });
}

/** One run of one agent; returns the times of its steps. */
type Run = (agent: string, number: number, times: Times) => Promise<void>;

function agentRun(memory: Memory): Run {
  const questions = syntheticQuestions(200);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('work', async (_state, { store, configurable }) => {
      const { agent, number, times } = configurable as { agent: string; number: number; times: Times };
      const [items, own] = [store as BaseStore, ['agents', agent]];
      const question = questions[number % questions.length]!;
      await timed(times.get, () => items.get(own, 'state'));
      await timed(times.search, () => items.search(own, { query: question, limit: 5 }));
      await timed(times.put, () => items.put(own, `note ${number % 20}`, { text: question, number }));
      await timed(times.recall, () => memory.search(question));
      const turn = { content: `${agent} asked: ${question}`, at: Date.now(), session: agent };
      await timed(times.add, () => memory.add(turn));
      return {};
    })
    .addEdge(START, 'work')
    .compile({ store: new MnemisStore({ memory }) });
  return (agent, number, times) =>
    timed(times.run, async () => {
      await graph.invoke({ messages: [] }, { configurable: { agent, number, times } });
    });
}

async function together(run: Run, { agents, runs, name }: { agents: number; runs: number; name: string }) {
  const times = Object.fromEntries(STEPS.map((step) => [step, []])) as unknown as Times;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: agents }, async (_, agent) => {
      for (let number = 0; number < runs; number++)
        await run(`${name} ${agent}`, agent * runs + number, times);
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  process.stderr.write(`${name}: ${agents * runs} runs in ${round(seconds)} s\n`);
  const steps = Object.fromEntries(STEPS.map((step) => [step, latencies(times[step])]));
  return {
    p50: percentile(times.run, 50)!,
    p95: percentile(times.run, 95)!,
    figures: { ...steps, runsPerSecond: round((agents * runs) / seconds) },
  };
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  times.push(performance.now() - started);
  return result;
}

function latencies(times: readonly number[]) {
  return { p50Ms: round(percentile(times, 50)!), p95Ms: round(percentile(times, 95)!) };
}

import { percentile } from '../eval/metrics/numbers.ts';
import { calibrate } from './calibration.ts';
import { syntheticQuestions, syntheticTurns } from './synthetic-turns.ts';
import { type BenchSize, fill, inTemporaryFolder, openBench, round, SCOPE } from './temporary-memory.ts';

const QUESTIONS = 200;
/** Pause between two searches during an import, so that the import's work can run between them. */
const PAUSE_MS = 20;

type Engine = Awaited<ReturnType<typeof openBench>>;

/**
 * Latency of a search while turns are stored and consolidated in the same process, compared with an idle memory.
 * Includes the wait for the event loop, as a caller sees it (docs/design.md, "Responsiveness").
 */
export async function benchImport({ episodes, dimension }: BenchSize) {
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const engine = await openBench(path, dimension);
    await fill(engine, episodes);
    for (const question of syntheticQuestions(20)) await engine.scope(SCOPE).search(question);
    const idle = await idleSearches(engine);
    const { times, seconds } = await searchesDuringImport(engine, episodes);
    await engine.close();
    const [before, during] = [latencies(idle), latencies(times)];
    return {
      episodes,
      dimension,
      idle: before,
      during: { ...during, searches: times.length },
      ratio: { p50: round(during.p50Ms / before.p50Ms), p95: round(during.p95Ms / before.p95Ms) },
      importedTurnsPerSecond: round(episodes / seconds),
      calibration,
    };
  });
}

async function idleSearches(engine: Engine): Promise<number[]> {
  const times: number[] = [];
  for (const question of syntheticQuestions(QUESTIONS)) times.push(await timed(engine, question));
  return times;
}

/** Imports the same number of further turns, with searches until it is done. */
async function searchesDuringImport(engine: Engine, episodes: number) {
  let isDone = false;
  const started = performance.now();
  const importing = importMore(engine, episodes).finally(() => {
    isDone = true;
  });
  const times: number[] = [];
  const questions = syntheticQuestions(QUESTIONS);
  for (let at = 0; !isDone; at++) {
    times.push(await timed(engine, questions[at % QUESTIONS]!));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await importing;
  return { times, seconds: (performance.now() - started) / 1000 };
}

async function importMore(engine: Engine, episodes: number): Promise<void> {
  function* records() {
    let line = 0;
    for (const turn of syntheticTurns(episodes, 5))
      yield {
        kind: 'turn' as const,
        turn: { ...turn, session: `more, ${turn.session}` },
        where: `turn ${++line}`,
      };
  }
  for await (const event of engine.scope(SCOPE).import(records()))
    if (event.type === 'progress')
      process.stderr.write(`${event.counts.consolidated} of ${episodes} turns\n`);
}

async function timed(engine: Engine, question: string): Promise<number> {
  const started = performance.now();
  await engine.scope(SCOPE).search(question);
  return performance.now() - started;
}

function latencies(times: readonly number[]) {
  return { p50Ms: round(percentile(times, 50)!), p95Ms: round(percentile(times, 95)!) };
}

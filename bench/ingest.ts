import { calibrate } from './calibration.ts';
import {
  type BenchSize,
  fill,
  inTemporaryFolder,
  megabytesOf,
  openBench,
  round,
  SCOPE,
} from './temporary-memory.ts';

/** Turns per second through extraction, embedding, the transaction and the indexes, all on one thread. */
export async function benchIngest({ episodes, dimension }: BenchSize) {
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const engine = await openBench(path, dimension);
    const seconds = await fill(engine, episodes);
    const { fact: facts, entity: entities, embedding: embeddings } = await engine.scope(SCOPE).stats();
    await engine.close();
    return {
      episodes,
      dimension,
      seconds: round(seconds),
      turnsPerSecond: round(episodes / seconds),
      facts,
      entities,
      embeddings,
      fileMb: await megabytesOf(path),
      rssMb: Math.round(process.memoryUsage.rss() / 1e6),
      calibration,
    };
  });
}

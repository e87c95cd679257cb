import { monitorEventLoopDelay } from 'node:perf_hooks';
import { HashingEmbedder } from '../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../src/search/analyzer.ts';
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

/** Texts per second of a move to vectors with 1.5 times the dimension, and its disk use. */
export async function benchReembed({ episodes, dimension }: BenchSize) {
  const calibration = await calibrate();
  const embedder = new HashingEmbedder({ analyze, dimension: Math.floor(dimension * 1.5) });
  return inTemporaryFolder(async (path) => {
    const engine = await openBench(path, dimension);
    await fill(engine, episodes);
    await engine.close();
    const fileMb = await megabytesOf(path);
    const again = await openBench(path, dimension);
    await again.scope(SCOPE).search('Which index is loaded is moved, too.');
    const holds = monitorEventLoopDelay({ resolution: 5 });
    holds.enable();
    let [texts, embeddedAfter, switchedAfter, seconds] = [0, 0, 0, 0];
    for await (const event of again.reembed({ embedder })) {
      seconds = event.seconds;
      if (event.type === 'progress') embeddedAfter = event.seconds;
      if (event.type === 'switched') switchedAfter = event.seconds;
      if (event.type === 'done') texts = event.texts;
    }
    holds.disable();
    await again.close();
    return {
      episodes,
      dimensions: [dimension, embedder.fingerprint.dimension],
      texts,
      seconds: round(seconds),
      textsPerSecond: round(texts / seconds),
      /** Time after the last vector; writers wait for most of it. */
      stepOverSeconds: round(switchedAfter - embeddedAfter),
      longestHoldMs: round(holds.max / 1e6),
      fileMb: [fileMb, await megabytesOf(path)],
      rssMb: Math.round(process.memoryUsage.rss() / 1e6),
      calibration,
    };
  });
}

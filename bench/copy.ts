import { copyMemory } from '../src/files/copy/copy-memory.ts';
import { openStoreAt } from '../src/files/open-store.ts';
import { calibrate } from './calibration.ts';
import {
  type BenchSize,
  fill,
  inTemporaryFolder,
  megabytesOf,
  openBench,
  round,
} from './temporary-memory.ts';

/** Rows and relationships per second of a copy, and of its comparison, by kind of target. */
export async function benchCopy({ episodes, dimension }: BenchSize) {
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const engine = await openBench(path, dimension);
    await fill(engine, episodes);
    await engine.close();
    const copies = { kuzu: await copyTo(path, `${path}.copy`), sqlite: await copyTo(path, `${path}.sqlite`) };
    const rssMb = Math.round(process.memoryUsage.rss() / 1e6);
    return { episodes, dimension, fileMb: await megabytesOf(path), copies, rssMb, calibration };
  });
}

async function copyTo(source: string, target: string) {
  const [from, to] = [await openStoreAt(source), await openStoreAt(target)];
  let [copied, seconds, rows] = [0, 0, 0];
  for await (const event of copyMemory({ from, to })) {
    seconds = event.seconds;
    if (event.type === 'done') rows = event.rows + event.relationships;
    else if (event.step === 'copy') copied = event.seconds;
  }
  await to.close();
  await from.close();
  return {
    rows,
    rowsPerSecond: { copied: Math.round(rows / copied), compared: Math.round(rows / (seconds - copied)) },
    seconds: round(seconds),
    fileMb: await megabytesOf(target),
  };
}

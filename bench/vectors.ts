import { VectorIndex } from '../src/search/vector-index.ts';
import { calibrate, medianMilliseconds } from './calibration.ts';
import { randomNumbers } from './synthetic-turns.ts';
import { round } from './temporary-memory.ts';

const QUERIES = 20;
const BEST = 20;

/**
 * The vector index alone, with random unit vectors: filling it, the best 20, and the score of every row; beside them the
 * time to read the same bytes, which is the limit.
 */
export async function benchVectors({ rows, dimension }: { rows: number; dimension: number }) {
  const calibration = await calibrate();
  const gigabytesPerSecond = calibration.find((each) => 'gigabytesPerSecond' in each)!.gigabytesPerSecond!;
  const before = process.memoryUsage.rss();
  const random = randomNumbers(3);
  const index = new VectorIndex(dimension);
  const started = performance.now();
  for (let ordinal = 0; ordinal < rows; ordinal++) index.set(ordinal, unitVector(dimension, random));
  const fillSeconds = (performance.now() - started) / 1000;
  const queries = Array.from({ length: QUERIES }, () => unitVector(dimension, random));
  const out = new Float32Array(rows);
  const readMs = (bytes: number) => round(bytes / gigabytesPerSecond / 1e6);
  const topMs = medianMilliseconds(QUERIES, (run) => index.top(queries[run]!, BEST));
  const scoreMs = medianMilliseconds(QUERIES, (run) => index.score(queries[run]!, out));
  return {
    rows,
    dimension,
    kernel: index.kernel,
    fillSeconds: round(fillSeconds),
    topMs: round(topMs),
    scoreMs: round(scoreMs),
    limitMs: readMs(rows * dimension),
    memoryMb: Math.round((process.memoryUsage.rss() - before) / 1e6),
    calibration,
  };
}

function unitVector(dimension: number, random: () => number): Float32Array {
  const vector = Float32Array.from({ length: dimension }, () => random() - 0.5);
  let squares = 0;
  for (const value of vector) squares += value * value;
  const scale = 1 / Math.sqrt(squares);
  return vector.map((value) => value * scale);
}

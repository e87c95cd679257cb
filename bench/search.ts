import { rm } from 'node:fs/promises';
import { percentile } from '../eval/metrics/numbers.ts';
import { HashingEmbedder } from '../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../src/search/analyzer.ts';
import { VectorIndex } from '../src/search/vector-index.ts';
import { bandwidthKernel, calibrate, medianMilliseconds } from './calibration.ts';
import { randomNumbers, syntheticQuestions } from './synthetic-turns.ts';
import {
  type BenchSize,
  fill,
  inTemporaryFolder,
  megabytesOf,
  openBench,
  round,
  SCOPE,
} from './temporary-memory.ts';

const QUESTIONS = 200;
const EXACTNESS_QUERIES = 50;

/** Hybrid search end to end: question to hydrated result, over episodes, facts and entities. */
export async function benchSearch(size: BenchSize) {
  const { episodes, dimension } = size;
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const ingestSeconds = await ingest(path, size);
    const openSnapshotMs = await timeToFirstSearch(path, dimension);
    await rm(`${path}.indexes`, { recursive: true });
    const openMs = await timeToFirstSearch(path, dimension);
    const { rssMb, times, facts, entities } = await searchAll(path, dimension);
    return {
      episodes,
      dimension,
      facts,
      entities,
      p50Ms: round(percentile(times, 50)!),
      p95Ms: round(percentile(times, 95)!),
      ...(await exactness(size)),
      openMs: round(openMs),
      openSnapshotMs: round(openSnapshotMs),
      rssMb,
      fileMb: await megabytesOf(path),
      ingestSeconds: round(ingestSeconds),
      calibration,
    };
  });
}

async function ingest(path: string, { episodes, dimension }: BenchSize): Promise<number> {
  const engine = await openBench(path, dimension);
  const seconds = await fill(engine, episodes);
  await engine.close();
  return seconds;
}

/** Time from process start to the first result. */
async function timeToFirstSearch(path: string, dimension: number): Promise<number> {
  const started = performance.now();
  const engine = await openBench(path, dimension);
  await engine.scope(SCOPE).search('anything at all');
  const milliseconds = performance.now() - started;
  await engine.close();
  return milliseconds;
}

async function searchAll(path: string, dimension: number) {
  const engine = await openBench(path, dimension);
  const memory = engine.scope(SCOPE);
  const questions = syntheticQuestions(QUESTIONS);
  for (const question of questions.slice(0, 20)) await memory.search(question);
  const times: number[] = [];
  for (const question of questions) times.push((await memory.search(question)).milliseconds);
  const { fact: facts, entity: entities } = await memory.stats();
  const rssMb = Math.round(process.memoryUsage.rss() / 1e6);
  await engine.close();
  return { times, facts, entities, rssMb };
}

/** The vector index compared with double-precision sums over every row, and with the limit of memory bandwidth. */
async function exactness({ episodes, dimension }: BenchSize) {
  const embedder = new HashingEmbedder({ dimension, analyze });
  const index = new VectorIndex(dimension);
  const random = randomNumbers(3);
  const rows = Array.from({ length: episodes }, () => unitVector(dimension, random));
  for (const [ordinal, row] of rows.entries()) index.set(ordinal, row);
  const questions = syntheticQuestions(EXACTNESS_QUERIES, 4);
  const queries = await embedder.embed(questions, { as: 'query' });
  const hits = queries.map((query) => {
    const wanted = bruteForce(query, rows);
    return index
      .top(query, 20)
      .filter(({ ordinal, score }) => wanted.has(ordinal) || score >= wanted.get(-1)! - 1e-6).length;
  });
  const out = new Float32Array(episodes);
  const { sum } = await bandwidthKernel();
  const bytes = Math.floor((episodes * dimension) / 128) * 128;
  return {
    recallAt20: round((100 * hits.reduce((total, found) => total + found, 0)) / (20 * queries.length)),
    vectorScanMs: round(medianMilliseconds(20, (run) => index.score(queries[run]!, out))),
    /** Only reading the same bytes: the physical limit of the scan. */
    vectorScanLimitMs: bytes <= 2 ** 28 ? round(medianMilliseconds(20, () => sum(bytes))) : null,
  };
}

/** The best 20 rows by exact arithmetic; key −1 has the lowest of their scores, for ties. */
function bruteForce(query: Float32Array, rows: readonly Float32Array[]): ReadonlyMap<number, number> {
  const scored = rows.map((row, ordinal) => {
    let score = 0;
    for (let at = 0; at < row.length; at++) score += row[at]! * query[at]!;
    return [ordinal, score] as const;
  });
  const best = scored.sort((a, b) => b[1] - a[1]).slice(0, 20);
  return new Map<number, number>([...best, [-1, best.at(-1)?.[1] ?? 0]]);
}

function unitVector(dimension: number, random: () => number): Float32Array {
  const vector = Float32Array.from({ length: dimension }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

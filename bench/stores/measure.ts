/** One step with one memory, in a process of its own, so that its memory is its own. Prints its figures as JSON. */
import { statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../../eval/metrics/numbers.ts';
import { syntheticQuestions } from '../synthetic-turns.ts';
import { type BenchSize, fill, openBench, round, SCOPE } from '../temporary-memory.ts';

const QUESTIONS = 200;

/** What each step measures. */
export interface StoreFigures {
  readonly turnsPerSecond: number;
  /** By the time of all processors together, which other processes of the machine disturb less. */
  readonly turnsPerProcessorSecond: number;
  /** The longest time for which the thread was blocked while turns were added. */
  readonly ingestHoldMs: number;
  readonly ingestRssMb: number;
  /** From nothing to the first result, with index snapshots. */
  readonly openMs: number;
  readonly openProcessorMs: number;
  /** The same, with the indexes built from the database. */
  readonly openWithoutSnapshotMs: number;
  readonly searchP50Ms: number;
  readonly searchP95Ms: number;
  /** Mean processor time of a search. */
  readonly searchProcessorMs: number;
  readonly searchRssMb: number;
  readonly compactSeconds: number;
  readonly compactHoldMs: number;
  /** Of the closed memory: the database and its log, without index snapshots. */
  readonly fileMb: number;
}

const LOGS = ['', '.wal', '-wal'];

/** Gives the milliseconds of processor time that this process has used since this call. */
function processorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

const rssMb = () => Math.round(process.memoryUsage.rss() / 1e6);

/** Milliseconds in which the event loop is looked at several times. */
const TICKS = 20;

/** Gives the longest time, in milliseconds, for which the event loop did not run since this call. */
async function longestHold(): Promise<() => Promise<number>> {
  const delays = monitorEventLoopDelay({ resolution: 2 });
  delays.enable();
  await wait(TICKS); // only from its second look on does it count
  return async () => {
    await wait(TICKS); // the last block ends before the look that sees it
    delays.disable();
    return Math.round(delays.max / 1e6);
  };
}

function megabytesOf(path: string): number {
  const bytes = LOGS.map((end) => statSync(path + end, { throwIfNoEntry: false })?.size ?? 0);
  return round(bytes.reduce((sum, each) => sum + each, 0) / 1e6);
}

async function ingest(
  path: string,
  { episodes, dimension, enrich }: BenchSize & { readonly enrich: boolean },
): Promise<Partial<StoreFigures>> {
  const engine = await openBench(path, dimension, { isAutomatic: enrich });
  const holds = await longestHold();
  const processor = processorTime();
  const seconds = await fill(engine, episodes, { enrich });
  const turnsPerProcessorSecond = round((1000 * episodes) / processor());
  const ingestHoldMs = await holds();
  const ingestRssMb = rssMb();
  await engine.close();
  const turnsPerSecond = round(episodes / seconds);
  const fileMb = megabytesOf(path);
  return { turnsPerSecond, turnsPerProcessorSecond, ingestHoldMs, ingestRssMb, fileMb };
}

async function open(path: string, dimension: number): Promise<number> {
  const started = performance.now();
  const engine = await openBench(path, dimension, { isAutomatic: false });
  await engine.scope(SCOPE).search('anything at all');
  const milliseconds = performance.now() - started;
  await engine.close();
  return round(milliseconds);
}

async function search(path: string, dimension: number): Promise<Partial<StoreFigures>> {
  const opening = processorTime();
  const started = performance.now();
  const engine = await openBench(path, dimension, { isAutomatic: false });
  const memory = engine.scope(SCOPE);
  await memory.search('anything at all');
  const openMs = round(performance.now() - started);
  const openProcessorMs = round(opening());
  const questions = syntheticQuestions(QUESTIONS);
  for (const question of questions.slice(0, 20)) await memory.search(question);
  const times: number[] = [];
  const searching = processorTime();
  for (const question of questions) times.push((await memory.search(question)).milliseconds);
  const searchProcessorMs = round(searching() / QUESTIONS);
  const searchRssMb = rssMb();
  await engine.close();
  const [searchP50Ms, searchP95Ms] = [50, 95].map((share) => round(percentile(times, share)!));
  return {
    openMs,
    openProcessorMs,
    searchP50Ms: searchP50Ms!,
    searchP95Ms: searchP95Ms!,
    searchProcessorMs,
    searchRssMb,
  };
}

async function compact(path: string, dimension: number): Promise<Partial<StoreFigures>> {
  const engine = await openBench(path, dimension);
  const holds = await longestHold();
  const started = performance.now();
  await engine.compact();
  const compactSeconds = round((performance.now() - started) / 1000);
  const compactHoldMs = await holds();
  await engine.close();
  return { compactSeconds, compactHoldMs };
}

async function main([step, path, ...sizes]: readonly string[]): Promise<Partial<StoreFigures>> {
  const [episodes, dimension] = sizes.map(Number) as [number, number];
  if (step === 'ingest' || step === 'store')
    return ingest(path!, { episodes, dimension, enrich: step === 'ingest' });
  if (step === 'search') return search(path!, dimension);
  if (step === 'rebuild') return { openWithoutSnapshotMs: await open(path!, dimension) };
  return compact(path!, dimension);
}

process.stdout.write(JSON.stringify(await main(process.argv.slice(2))));

import { percentile, round } from '../../eval/metrics/numbers.ts';
import { recallAt } from '../../eval/metrics/retrieval-metrics.ts';
import { StaticEmbedder } from '../../src/inference/embedder/static-embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { bytesBelow, type OpenPeer } from './peer.ts';
import { PEERS } from './peers.ts';
import { batches, readTask, type TaskCase, type TaskName } from './task.ts';

/** What one process measures. */
export interface Measurement {
  readonly peer: string;
  readonly task: TaskName;
  /** An empty folder. */
  readonly folder: string;
  /** Turns of each add. */
  readonly batch: number;
}

export interface Measured {
  readonly turns: number;
  readonly searches: number;
  /** Percent; null where nobody knows what to find. */
  readonly recallAt10: number | null;
  readonly openMs: number;
  readonly addsPerSecond: number;
  /** Processor time. */
  readonly addCpuMs: number;
  readonly prepareSeconds: number | null;
  /** Processor time; 0 if there was nothing to prepare. */
  readonly prepareCpuSeconds: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly searchCpuMs: number;
  readonly closeSeconds: number;
  /** After closing; null if it stores nothing. */
  readonly diskMb: number | null;
  readonly peakMb: number;
  /** Peak less what Node, the embedder and this program take before the library is loaded. */
  readonly aboveMb: number;
}

export type Message = { readonly reached: string } | { readonly measured: Measured };

const K = 10;
const WARM_UP = 20;

async function measure({ peer: name, task, folder, batch }: Measurement): Promise<Measured> {
  const peer = PEERS.get(name)!;
  const embedder = await StaticEmbedder.load(analyze);
  await embedder.embed(['anything at all'], { as: 'query' });
  const cases = await readTask(task);
  const before = process.memoryUsage.rss();
  const opening = new Watch();
  const open = await opening.run(() => peer.open({ folder, embedder }));
  const adding = new Watch();
  const turns = await addAll(open, cases, { batch, adding });
  const preparing = new Watch();
  report(`${turns} turns added, preparing`);
  await preparing.run(async () => open.prepare?.());
  report(`${turns} turns added, searching`);
  for (const { scope, questions } of cases.slice(0, 1))
    for (const { text } of questions.slice(0, WARM_UP)) await open.search(scope, text, K);
  const searching = new Watch();
  const found = await searchAll(open, cases, searching);
  const closing = new Watch();
  await closing.run(() => open.close());
  const peak = process.resourceUsage().maxRSS * 1024;
  return {
    turns,
    searches: found.times.length,
    recallAt10: mean(found.recalls),
    openMs: round(opening.seconds * 1e3),
    addsPerSecond: round(turns / adding.seconds),
    addCpuMs: round(adding.cpuMs / turns),
    prepareSeconds: open.prepare === undefined ? null : round(preparing.seconds),
    prepareCpuSeconds: round(preparing.cpuMs / 1e3),
    p50Ms: round(percentile(found.times, 50)!),
    p95Ms: round(percentile(found.times, 95)!),
    searchCpuMs: round(searching.cpuMs / found.times.length),
    closeSeconds: round(closing.seconds),
    diskMb: peer.durable === 'never' ? null : megabytes(await bytesBelow(folder)),
    peakMb: Math.round(peak / 1e6),
    aboveMb: Math.round((peak - before) / 1e6),
  };
}

async function addAll(
  open: OpenPeer,
  cases: readonly TaskCase[],
  { batch, adding }: { readonly batch: number; readonly adding: Watch },
): Promise<number> {
  let added = 0;
  for (const { scope, turns } of cases)
    for (const some of batches(turns, batch)) {
      await adding.run(() => open.add(scope, some));
      added += some.length;
      report(`${added} turns added`);
    }
  return added;
}

async function searchAll(open: OpenPeer, cases: readonly TaskCase[], searching: Watch) {
  const times: number[] = [];
  const recalls: number[] = [];
  for (const { scope, questions } of cases)
    for (const { text, evidence } of questions) {
      const started = performance.now();
      const found = await searching.run(() => open.search(scope, text, K));
      times.push(performance.now() - started);
      const recall = recallAt(found, evidence, K);
      if (recall !== null) recalls.push(recall);
      if (times.length % 10 === 0) report(`${times.length} searches`);
    }
  return { times, recalls };
}

/** Time of the clock and of all the process's threads, over several pieces of work. */
class Watch {
  seconds = 0;
  cpuMs = 0;

  async run<T>(work: () => Promise<T>): Promise<T> {
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    try {
      return await work();
    } finally {
      this.seconds += (performance.now() - started) / 1e3;
      const { user, system } = process.cpuUsage(cpu);
      this.cpuMs += (user + system) / 1e3;
    }
  }
}

function report(reached: string): void {
  process.send?.({ reached } satisfies Message);
}

function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return round((100 * values.reduce((sum, value) => sum + value, 0)) / values.length);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}

const measured = await measure(JSON.parse(process.argv[2]!) as Measurement);
await new Promise((sent) => process.send!({ measured } satisfies Message, sent));
// Some libraries keep handles open.
process.exit(0);

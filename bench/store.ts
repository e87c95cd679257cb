import { percentile } from '../eval/metrics/numbers.ts';
import { calibrate } from './calibration.ts';
import { syntheticQuestions, syntheticTurns } from './synthetic-turns.ts';
import { inTemporaryFolder, openBench, round, SCOPE } from './temporary-memory.ts';

interface StoreSize {
  readonly items: number;
  readonly queries: number;
  readonly dimension: number;
}

/** Milliseconds of a query over all items of a store, the first one (which computes vectors) and later ones. */
export async function benchStore({ items, queries, dimension }: StoreSize) {
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const engine = await openBench(path, dimension);
    const store = engine.scope(SCOPE).items;
    const puts = [...syntheticTurns(items)].map(({ content }, at) => ({
      op: 'put' as const,
      namespace: ['notes', String(at % 10)],
      key: `note ${at}`,
      value: { text: content, number: at },
    }));
    await store.batch(puts);
    const search = (query: string) => store.search(['notes'], { query, limit: 10 });
    const first = await timesOf(['What did Ada say?'], search);
    const query = await timesOf(syntheticQuestions(queries), search);
    const putAndQuery = await timesOf(syntheticQuestions(queries, 3), async (text, at) => {
      await store.put(['notes', '0'], 'note 0', { text, number: at });
      return search(text);
    });
    await engine.close();
    return { items, queries, dimension, firstMs: first.p50Ms, query, putAndQuery, calibration };
  });
}

async function timesOf(queries: readonly string[], work: (query: string, at: number) => Promise<unknown>) {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (const [at, query] of queries.entries()) {
    const started = performance.now();
    await work(query, at);
    times.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(before);
  return {
    p50Ms: round(percentile(times, 50)!),
    p95Ms: round(percentile(times, 95)!),
    /** Mean processor time, which other processes of the machine disturb less. */
    processorMs: round((user + system) / 1000 / queries.length),
  };
}

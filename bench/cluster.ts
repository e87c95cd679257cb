import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { percentile } from '../eval/metrics/numbers.ts';
import { Mnemis, postgres } from '../src/index.ts';
import { type PostgresServer, startPostgres } from '../test/fixtures/postgres-server.ts';
import { calibrate } from './calibration.ts';
import type { ClusterProcess, Phase } from './cluster-process.ts';
import { syntheticTurns } from './synthetic-turns.ts';
import { round } from './temporary-memory.ts';

export interface ClusterOptions {
  readonly scopes: number;
  /** Turns in each scope at the start. */
  readonly turns: number;
  /** Length of each phase. */
  readonly seconds: number;
  readonly processes: readonly number[];
}

/** How the scopes fall to the processes: all to each, or each to one. */
const ROUTES = ['any', 'sticky'] as const;

/**
 * Adds and searches per second of several processes on one memory in Postgres, whose server runs on the same machine: its
 * cores are the limit that they share.
 */
export async function benchCluster({ processes, ...options }: ClusterOptions) {
  const calibration = await calibrate();
  await using server = await startPostgres();
  const runs = [];
  for (const route of ROUTES)
    for (const count of processes) {
      process.stderr.write(`${count} processes, ${route}\n`);
      runs.push({ processes: count, route, ...(await measure(server, { ...options, count, route })) });
    }
  return { ...options, postgres: server.version, runs, calibration };
}

interface RunOptions extends Omit<ClusterOptions, 'processes'> {
  readonly count: number;
  readonly route: (typeof ROUTES)[number];
}

async function measure(server: PostgresServer, { scopes, turns, seconds, count, route }: RunOptions) {
  const url = server.url(await server.createDatabase());
  await fill(url, { scopes, turns });
  const children = Array.from({ length: count }, (_, place) =>
    start({ url, scopes, place, processes: count, isSticky: route === 'sticky' }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    await ask(children, { phase: 'warm', seconds: 0 });
    const searches = await ask(children, { phase: 'search', seconds });
    const adds = await ask(children, { phase: 'add', seconds });
    return { adds: rate(adds, seconds), searches: rate(searches, seconds) };
  } finally {
    for (const child of children) child.send({ phase: 'end' });
    await Promise.all(children.map((child) => (child.exitCode === null ? once(child, 'exit') : null)));
  }
}

async function fill(url: string, { scopes, turns }: Pick<ClusterOptions, 'scopes' | 'turns'>): Promise<void> {
  await using engine = await Mnemis.open({ store: postgres({ url }), automatic: false });
  const made = syntheticTurns(scopes * turns);
  for (let at = 0; at < scopes; at++)
    await engine.scope(`user ${at}`).add(Array.from({ length: turns }, () => made.next().value!));
}

function start(options: ClusterProcess): ChildProcess {
  const file = join(import.meta.dirname, 'cluster-process.ts');
  return fork(file, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
}

async function ask(
  children: readonly ChildProcess[],
  message: { readonly phase: Phase | 'warm'; readonly seconds: number },
): Promise<number[]> {
  const answers = await Promise.all(
    children.map(async (child) => {
      child.send(message);
      const [{ times }] = (await once(child, 'message')) as [{ times: number[] }];
      return times;
    }),
  );
  return answers.flat();
}

function rate(times: readonly number[], seconds: number) {
  return {
    perSecond: round(times.length / seconds),
    p50Ms: round(percentile(times, 50) ?? 0),
    p95Ms: round(percentile(times, 95) ?? 0),
  };
}

import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Mnemis, postgres } from '../../../src/index.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { scopeHistory } from '../../fixtures/engine/scope-history.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { seededRandom } from '../../search/random.ts';
import { inTier } from '../../tier.ts';
import { type GraphUpToIds, upToIds } from '../ingestion/graph-up-to-ids.ts';
import { expectConsistent } from '../ingestion/invariants.ts';
import { type Graph, graphOf } from '../memory-fixture.ts';
import { WorkerProcess } from './worker-process.ts';

const LEASE = 1_000;
const embedder = () => new HashingEmbedder({ analyze, dimension: 64 });

describeWithPostgres('Several processes on one Postgres memory', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
  });
  afterAll(() => server.stop());

  interface Plan {
    readonly workers: number;
    readonly scopes: readonly string[];
    readonly turns: number;
    readonly kills: number;
    readonly flushes?: boolean;
    /** Of every other process, in milliseconds. */
    readonly clockSkew?: number;
  }

  /** Runs the processes of a plan, kills some of them while they add and while they consolidate, and starts others. */
  async function run({ workers, scopes, turns, kills, flushes = false, clockSkew = 0 }: Plan) {
    const url = server.url(await server.createDatabase());
    const random = seededRandom(workers * 1_000 + scopes.length);
    const skewOf = (worker: number) => (worker % 2 === 0 ? clockSkew : -clockSkew);
    const processes = Array.from({ length: workers }, (_, worker) => {
      // A scope belongs to two processes at least, and where there is one, to all.
      const own = scopes.filter(
        (_, at) => scopes.length < workers || [0, 1].includes((at - worker + 2 * workers) % workers),
      );
      return new WorkerProcess({
        url,
        scopes: own,
        turns,
        worker,
        flushes,
        leaseMilliseconds: LEASE,
        clockSkew: skewOf(worker),
      });
    });
    const killOne = async (isMet: (lines: readonly string[]) => boolean) => {
      const place = Math.floor(random() * workers);
      await processes[place]!.printed(isMet);
      await wait(random() * 150);
      processes[place] = await processes[place]!.replace();
      return processes[place];
    };
    for (let kill = 0; kill < kills; kill += 1) {
      const least = random() * 20;
      await killOne((lines) => lines.length > least || lines.includes('all added'));
    }
    await Promise.all(processes.map((each) => each.printed((lines) => lines.includes('all added'))));
    for (const each of processes) each.flush();
    for (let kill = 0; kill < kills; kill += 1)
      (await killOne((lines) => lines.includes('flushing'))).flush();
    for (const each of processes) expect([await each.end(), each.errors]).toEqual([0, '']);
    const lines = processes.flatMap((each) => each.lines);
    return { url, acknowledged: new Set(lines.flatMap((line) => /^added (.*)$/.exec(line)?.[1] ?? [])) };
  }

  async function graphsOf(url: string, scopes: readonly string[]): Promise<Graph[]> {
    await using engine = await Mnemis.open({
      store: postgres({ url }),
      embedder: embedder(),
      automatic: false,
    });
    expect((await engine.scopes()).toSorted()).toEqual(scopes.toSorted());
    const graphs: Graph[] = [];
    for (const scope of scopes) graphs.push(await graphOf(engine.scope(scope)));
    expect((await engine.verify()).findings).toEqual([]);
    return graphs;
  }

  async function graphOfOne(scope: string, turns: number): Promise<Graph> {
    await using engine = await Mnemis.open({ path: ':memory:', embedder: embedder(), automatic: false });
    await engine.scope(scope).add(scopeHistory(scope, turns));
    await engine.scope(scope).flush();
    return graphOf(engine.scope(scope));
  }

  function expectEachOnce({ nodes }: Graph, scope: string, turns: number): void {
    const sourceIds = nodes.episode.map(({ sourceId }) => sourceId);
    expect(sourceIds.toSorted()).toEqual(
      scopeHistory(scope, turns)
        .map(({ sourceId }) => sourceId)
        .toSorted(),
    );
    expect(nodes.episode.every(({ status }) => status === 'extracted')).toBe(true);
  }

  const hundred = Array.from({ length: 100 }, (_, at) => `scope ${at}`);
  const few = {
    scopes: ['one'],
    ...inTier({ fast: { turns: 0, kills: 0 }, slow: { turns: 36, kills: 2 }, long: { turns: 72, kills: 8 } }),
  };
  const many = { scopes: hundred, turns: 4, kills: 2 };
  it.each<Plan>([
    { workers: 2, ...few },
    { workers: 4, ...few, clockSkew: 3_600_000 },
    { workers: 8, ...few },
    ...inTier({ fast: [], slow: [8], long: [2, 4, 8] }).map((workers) => ({ workers, ...many })),
  ])(
    '$workers on $scopes.length scopes, of which some are killed and replaced: as one process',
    async (plan) => {
      const { scopes, turns } = plan;
      const { url, acknowledged } = await run(plan);
      expect(acknowledged.size).toBe(scopes.length * turns);
      const graphs = await graphsOf(url, scopes);
      for (const [at, graph] of graphs.entries()) {
        const scope = scopes[at]!;
        expectEachOnce(graph, scope, turns);
        expectConsistent(graph);
        expect(differences(upToIds(graph), upToIds(await graphOfOne(scope, turns)))).toEqual([]);
      }
    },
  );

  it('4 that consolidate while others add: each turn once, nothing of a batch by half', async () => {
    const plan = { workers: 4, scopes: ['one', 'two', 'three'], turns: 48, kills: 4, flushes: true };
    const { url, acknowledged } = await run(plan);
    expect(acknowledged.size).toBe(plan.scopes.length * plan.turns);
    const graphs = await graphsOf(url, plan.scopes);
    for (const [at, graph] of graphs.entries()) {
      expectEachOnce(graph, plan.scopes[at]!, plan.turns);
      expectConsistent(graph);
    }
  });
});

/** Lines that one of two graphs has alone. */
function differences(here: GraphUpToIds, there: GraphUpToIds): string[] {
  const linesOf = (graph: GraphUpToIds) =>
    Object.entries(graph).flatMap(([kind, lines]: [string, readonly string[]]) =>
      lines.map((line) => `${kind} ${line}`),
    );
  const missing = (some: string[], others: string[], sign: string) => {
    const left = others.slice();
    return some.flatMap((line) => {
      const at = left.indexOf(line);
      if (at < 0) return `${sign} ${line}`;
      left.splice(at, 1);
      return [];
    });
  };
  const [ours, theirs] = [linesOf(here), linesOf(there)];
  return [...missing(ours, theirs, '+'), ...missing(theirs, ours, '-')];
}

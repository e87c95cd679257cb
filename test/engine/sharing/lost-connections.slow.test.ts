import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Mnemis, type OpenOptions, postgres } from '../../../src/index.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { edge, embedding, entity, episode, scopeOf } from '../../contract/graph-rows.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type CutMoment, FaultProxy } from '../../fixtures/fault-proxy.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { seededRandom } from '../../search/random.ts';
import { upToIds } from '../ingestion/graph-up-to-ids.ts';
import { expectConsistent } from '../ingestion/invariants.ts';
import { randomConversation } from '../ingestion/random-conversation.ts';
import { answersTo, CONVERSATION, contents, graphOf, QUERIES, turn } from '../memory-fixture.ts';

const S = scopeOf('s');
const MOMENTS: readonly CutMoment[] = ['before', 'during', 'after', 'replied'];

/** A server that calls every transaction committed. */
const MISTAKEN = `
CREATE SCHEMA other;
CREATE FUNCTION other.txid_status(bigint) RETURNS text LANGUAGE sql AS $$ SELECT 'committed' $$;
ALTER ROLE postgres SET search_path = other, pg_catalog, public`;

describeWithPostgres('Processes that lose connections to Postgres', () => {
  let server: PostgresServer;
  let proxy: FaultProxy;
  let database: string;
  const closing: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    proxy = await FaultProxy.start(server);
  });
  beforeEach(async () => {
    database = await server.createDatabase();
  });
  afterEach(async () => {
    proxy.reset();
    await proxy.accept();
    for (const each of closing.splice(0)) await each.close();
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

  const direct = () => server.url(database);
  const proxied = () => proxy.url(direct());
  const kept = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const opened = await opening;
    closing.push(opened);
    return opened;
  };
  const store = (url: string) => kept(openPostgresStore({ url, connections: 2 }) as Promise<GraphStore>);
  const engine = (url: string, more: Partial<OpenOptions> = {}) =>
    kept(
      Mnemis.open({
        store: postgres({ url, connections: 4, leaseMilliseconds: 1_000 }),
        embedder: new HashingEmbedder({ analyze, dimension: 64 }),
        automatic: false,
        ...more,
      }),
    );
  /** Waits three times as long as the longest pause between two attempts to connect. */
  const soon = async (check: () => Promise<void>) => {
    for (let tries = 0; ; tries++) {
      try {
        return await check();
      } catch (error) {
        if (tries === 300) throw error;
        await wait(50);
      }
    }
  };

  it.each(MOMENTS)(
    'a commit is stored once, if a connection is cut %s any of its queries',
    async (moment) => {
      const [cut, whole] = [await store(proxied()), await store(direct())];
      await cut.setFingerprint({ model: 'test', dimension: 2 });
      let state = await cut.sharing()!.commitAfter(S, {}, null);
      const before = proxy.cuts;
      for (let query = 1, cuts = before + 1; proxy.cuts === cuts - 1 || query === 1; query += 1, cuts += 1) {
        const [e, n] = [`e${query}`, `n${query}`];
        const changes = {
          nodes: {
            episode: [episode(e)],
            entity: [entity(n)],
            embedding: [embedding(`v${query}`, { owner: e as never })],
          },
          relationships: [edge('MENTIONS', e, n)],
        };
        proxy.cutAt(query, moment);
        const next = await cut.sharing()!.commitAfter(S, changes, state);
        expect(next).toEqual({ sequence: state.sequence + 1, token: expect.any(Number) });
        expect(await whole.state(S)).toEqual(next);
        expect(await whole.count(S)).toMatchObject({ episode: query, entity: query, embedding: query });
        state = next;
        if (proxy.cuts < cuts) break;
      }
      expect(proxy.cuts - before).toBeGreaterThan(7);
      const log = await whole.sharing()!.commitsSince(S, { sequence: 0, token: 0 });
      expect(log!.map(({ state: { sequence } }) => sequence)).toEqual(log!.map((_, at) => at + 1));
      expect(log!.at(-1)!.state).toEqual(state);
    },
  );

  it.each(MOMENTS)(
    'an engine works as undisturbed, if a connection is cut %s any of its queries',
    async (moment) => {
      const [alone, cutting] = [await engine(direct()), await engine(proxied())];
      const [undisturbed, memory] = [alone.scope('undisturbed'), cutting.scope('s')];
      const turns = randomConversation(seededRandom(5), { turns: 40 });
      let isCut = true;
      for (let trial = 0; isCut; trial += 1) {
        const cuts = proxy.cuts;
        await undisturbed.add(turns[trial]!);
        proxy.cutAt(trial + 1, moment);
        expect(await memory.add(turns[trial]!)).toMatchObject({ added: 1 });
        isCut = proxy.cuts > cuts;
        if (trial % 3 !== 0) continue;
        // A consolidation has more queries than there are trials.
        const { counts } = await undisturbed.flush();
        proxy.cutAt(1 + 5 * trial, moment);
        expect((await memory.flush()).counts).toEqual(counts);
      }
      proxy.reset();
      for (const each of [undisturbed, memory]) await each.flush();
      const graph = await graphOf(memory);
      expectConsistent(graph);
      expect(graph.nodes.episode.length).toBeGreaterThan(7);
      expect(upToIds(graph)).toEqual(upToIds(await graphOf(undisturbed)));
    },
  );

  it('a follower whose LISTEN was cut hears of what was committed meanwhile, and of what comes', async () => {
    const [writer, follower] = [await engine(direct()), await engine(direct())];
    const [one, other] = [writer.scope('s'), follower.scope('s')];
    await one.add(turn('The sourdough needs two more hours.'));
    await other.search('sourdough', { consistent: true });
    const cutListeners = () =>
      server.asSuperuser((client) =>
        client.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = $1",
          [database],
        ),
      );
    for (const [at, word] of ['Otto', 'Anna', 'Greta'].entries()) {
      expect((await cutListeners()).rowCount).toBeGreaterThan(0);
      if (at === 1) await wait(400); // it listens again
      await one.add(turn(`The rye starter is called ${word}.`, { at: Date.UTC(2024, 0, at + 1) }));
      await soon(async () => expect(contents(await other.search(word)).join()).toContain(word));
    }
  });

  it('a follower that was cut off while the log was cut reads the scope anew', async () => {
    const writer = await engine(direct());
    const follower = await engine(proxied());
    const [one, other] = [writer.scope('s'), follower.scope('s')];
    await one.add(CONVERSATION);
    await other.search('piano', { consistent: true });
    const seen = {
      sequence: (await other.search('piano')).sequence!,
      token: (await (await store(direct())).state(S)).token,
    };
    proxy.refuse();
    proxy.cut();
    const reader = await store(direct());
    for (let at = 0; at < 600; at += 1) await one.items.put(['n'], String(at % 7), { at });
    expect(await reader.sharing()!.commitsSince(S, seen)).toBeNull();
    await one.add(turn('The safe is behind the piano.', { session: 'new' }));
    await proxy.accept();
    await soon(async () => expect(contents(await other.search('safe'))[0]).toContain('safe'));
    expect((await other.items.get(['n'], '3'))?.value).toEqual({ at: 598 - ((598 - 3) % 7) });
    const fresh = await engine(direct());
    expect(await answersTo(other, QUERIES)).toEqual(await answersTo(fresh.scope('s'), QUERIES));
    expect(await other.add(turn('I will tune it.', { session: 'new' }))).toMatchObject({ added: 1 });
  });

  it('leases end by the clock of the database, however wrong those of the processes are', async () => {
    const HOUR = 3_600_000;
    const [slow, fast] = [
      await engine(direct(), { clock: () => Date.now() - HOUR }),
      await engine(direct(), { clock: () => Date.now() + HOUR }),
    ];
    const holder = (await store(direct())).sharing()!;
    await slow.scope('s').add(CONVERSATION.slice(0, 4));
    await fast.scope('s').add(CONVERSATION.slice(4));
    expect(await holder.takeLease(S, 'worker')).toBe(true);
    let ended = 0;
    const flushes = [slow, fast].map(async (each) => {
      const report = await each.scope('s').flush();
      ended += 1;
      return report.counts.consolidated;
    });
    await wait(600);
    expect(ended).toBe(0);
    await holder.endLease(S, 'worker');
    expect((await Promise.all(flushes)).toSorted()).toEqual([0, CONVERSATION.length]);
    const graph = await graphOf(slow.scope('s'));
    expectConsistent(graph);
    const alone = await Mnemis.open({
      path: ':memory:',
      automatic: false,
      embedder: new HashingEmbedder({ analyze, dimension: 64 }),
    });
    closing.push(alone);
    await alone.scope('s').add(CONVERSATION);
    await alone.scope('s').flush();
    expect(upToIds(graph)).toEqual(upToIds(await graphOf(alone.scope('s'))));
  });

  it('a COMMIT in doubt is no commit where its id became that of another transaction, as after a failover', async () => {
    const cut = await store(proxied());
    const first = await cut.sharing()!.commitAfter(S, {}, null);
    // The server that is asked knows the id, of which it says what it says of another transaction.
    await server.asSuperuser((client) => client.query(MISTAKEN), database);
    proxy.cut();
    await wait(50);
    await cut.state(S); // on a new connection
    await wait(50); // the end of that reading is sent
    proxy.reset();
    const second = await cut.sharing()!.commitAfter(S, { nodes: { entity: [entity('w')] } }, first);
    await wait(50); // its notice is sent
    const query = proxy.texts.indexOf('COMMIT') + 1;
    proxy.cutAt(query, 'before');
    const third = await cut.sharing()!.commitAfter(S, { nodes: { entity: [entity('x')] } }, second);
    await server.asSuperuser((client) => client.query('ALTER ROLE postgres RESET search_path'), database);
    expect(proxy.texts[query - 1]).toBe('COMMIT');
    const whole = await store(direct());
    expect(await whole.state(S)).toEqual(third);
    expect(await whole.count(S)).toMatchObject({ entity: 2 });
  });
});

import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { IndexCache } from '../../../src/engine/index-cache.ts';
import { Mnemis, type OpenOptions, postgres } from '../../../src/index.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { CountingEmbedder } from '../counting-embedder.ts';
import { upToIds } from '../ingestion/graph-up-to-ids.ts';
import { expectConsistent } from '../ingestion/invariants.ts';
import { answersTo, CONVERSATION, contents, graphOf, QUERIES, turn } from '../memory-fixture.ts';

describeWithPostgres('Several engines on one Postgres memory', () => {
  let server: PostgresServer;
  let url: string;
  const opened: Mnemis[] = [];

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
  });
  beforeEach(async () => {
    url = server.url(await server.createDatabase());
  });
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close();
  });
  afterAll(() => server.stop());

  const open = async (more: Partial<OpenOptions> = {}, leaseMilliseconds = 2_000) => {
    const engine = await Mnemis.open({
      ...{ store: postgres({ url, connections: 4, leaseMilliseconds }), automatic: false },
      ...more,
    });
    opened.push(engine);
    return engine;
  };
  const asOwner = async (sql: string): Promise<{ sequence: string; text: string }[]> =>
    (await server.asSuperuser((client) => client.query(sql), new URL(url).pathname.slice(1))).rows;
  const several = (count: number) => Promise.all(Array.from({ length: count }, () => open()));
  const soon = async (check: () => Promise<void>) => {
    for (let tries = 0; ; tries++) {
      try {
        await check();
        return;
      } catch (error) {
        if (tries === 50) throw error;
        await wait(20);
      }
    }
  };

  it('see what others added: at once if asked to, soon otherwise', async () => {
    const [a, b] = await several(2);
    const [one, other] = [a!.scope('s'), b!.scope('s')];
    expect((await other.search('sourdough')).episodes).toEqual([]);
    await one.add(turn('The sourdough needs two more hours.'));
    const found = await other.search('sourdough', { consistent: true });
    expect(contents(found)).toEqual(['The sourdough needs two more hours.']);
    expect(found.sequence).toBe(1);
    await one.add(turn('The rye starter is called Otto.', { at: '2023-05-08T10:01:00Z' }));
    await soon(async () => {
      expect(contents(await other.search('rye starter'))[0]).toContain('Otto');
      expect((await other.search('rye starter')).sequence).toBe(2);
    });
  });

  it.each([2, 4, 8])(
    '%i add to one scope at once: nothing is lost, nothing is there twice',
    async (count) => {
      const engines = await several(count);
      const own = 12;
      await Promise.all(
        engines.flatMap((engine, place) =>
          Array.from({ length: own }, (_, at) =>
            engine
              .scope('s')
              .add([
                turn(`Engine ${place} says number ${at}.`, { session: `of ${place}` }),
                turn(`All say number ${at}.`, { session: 'common', at: `2023-05-08T11:${10 + at}:00Z` }),
              ]),
          ),
        ),
      );
      const graph = await graphOf(engines[0]!.scope('s'));
      const said = graph.nodes.episode.map(({ content }) => content);
      expect(said.length).toBe(new Set(said).size);
      expect(said.length).toBe(count * own + own);
      for (const engine of engines) {
        const { episodes } = await engine.scope('s').search('number 3', { consistent: true, k: 50 });
        expect(episodes.filter(({ content }) => content.includes('number 3.')).length).toBe(count + 1);
      }
    },
  );

  it('consolidate each turn once, as one engine would', async () => {
    const engines = await several(3);
    for (const [at, each] of CONVERSATION.entries()) await engines[at % 3]!.scope('s').add(each);
    await Promise.all(engines.map((engine) => engine.scope('s').flush()));
    await using alone = await Mnemis.open({ path: ':memory:', automatic: false });
    await alone.scope('s').add(CONVERSATION);
    await alone.scope('s').flush();
    const graph = await graphOf(engines[0]!.scope('s'));
    expectConsistent(graph);
    expect(upToIds(graph)).toEqual(upToIds(await graphOf(alone.scope('s'))));
  });

  it('answer from what they followed as from what they read anew', async () => {
    const [writer, follower] = await several(2);
    const memory = writer!.scope('s');
    await follower!.scope('s').search('anything');
    for (const each of CONVERSATION) await memory.add(each);
    await memory.flush();
    const [fact] = (await memory.list({ kind: 'fact' })).items;
    await memory.corrections.rejectFact(fact!.id);
    const [last] = await memory.corrections.list();
    await memory.corrections.undo(last!.id);
    await follower!.scope('s').search('anything', { consistent: true });
    const fresh = await open();
    expect(await answersTo(follower!.scope('s'), QUERIES)).toEqual(
      await answersTo(fresh.scope('s'), QUERIES),
    );
  });

  it('do not find what another one forgot, and complete what it left', async () => {
    const [a, b] = await several(2);
    const [one, other] = [a!.scope('s'), b!.scope('s')];
    await one.add(CONVERSATION);
    await one.flush();
    await one.add(turn('The safe opens with sesame.', { session: 'secret' }));
    expect((await other.search('sesame', { consistent: true })).episodes.length).toBeGreaterThan(0);
    const [secret] = (await one.search('sesame')).episodes;
    await one.forget({ episodes: [secret!.id] });
    await soon(async () => {
      const { episodes } = await other.search('sesame');
      expect(episodes.every(({ content }) => !content.includes('sesame'))).toBe(true);
    });
    expect(await other.get(secret!.id)).toBeNull();
  });

  it('begin with the snapshot of another one, follow the log from there, and keep no forgotten word in it', async () => {
    const [writer] = await several(1);
    const memory = writer!.scope('s');
    await memory.add(CONVERSATION);
    await memory.flush();
    const snapshots = () =>
      asOwner(
        `SELECT sequence, encode(string_agg(bytes, '' ORDER BY part), 'escape') AS text FROM mnemis.index_snapshot GROUP BY 1`,
      );
    const [kept] = await snapshots();
    expect(kept!.text).toContain('puppy');
    await memory.add(turn('The safe opens with sesame.', { session: 'later' }));
    const follower = await open();
    const fromGraph = vi.spyOn(ScopeIndex, 'load');
    expect(contents(await follower.scope('s').search('sesame'))[0]).toContain('sesame');
    expect(fromGraph).not.toHaveBeenCalled();
    expect((await snapshots())[0]).toEqual(kept);
    const report = await follower.scope('s').forget({ session: 's1' });
    expect(report.proof).toMatchObject({ clean: true });
    await follower.close();
    await writer!.close();
    const [left] = await snapshots();
    expect(left!.text).toContain('sesam');
    expect(left!.text).not.toMatch(/puppi|puppy|beagl/);
  });

  it('let scopes leave memory above their budget, and find everything in them again', async () => {
    const engine = await open({ scopeMemoryMb: 16 });
    const released = vi.spyOn(IndexCache.prototype, 'release');
    const names = Array.from({ length: 100 }, (_, at) => `user ${at}`);
    for (const name of names) await engine.scope(name).add(turn(`${name} keeps bees.`));
    await soon(async () => expect(released.mock.calls.length).toBeGreaterThan(10));
    for (const name of names)
      expect(contents(await engine.scope(name).search('bees'))).toEqual([`${name} keeps bees.`]);
  });

  it('move a memory to another embedder while another one writes', async () => {
    const [one, two] = [new CountingEmbedder('one', 64), new CountingEmbedder('two', 48)];
    const [mover, writer] = [await open({ embedder: one }), await open({ embedder: one })];
    await mover.scope('s').add(CONVERSATION);
    await mover.scope('s').search('puppy');
    await writer.scope('s').search('puppy');
    let number = 0;
    two.before = async () => {
      // A commit that the mover has not read when it writes its own.
      if (number < 3) await writer.scope('s').add(turn(`I keep ${++number} bees.`, { session: 'later' }));
    };
    await mover.reembed({ embedder: two });
    expect(number).toBe(3);
    expect(contents(await mover.scope('s').search('bees', { consistent: true }))[0]).toContain('bees');
    expect((await mover.verify()).findings).toEqual([]);
    await expect(writer.scope('s').add(turn('I keep hens.'))).rejects.toMatchObject({
      code: 'embedding-mismatch',
    });
  });

  it('go on with the work of a process that died, when its lease has ended', async () => {
    const [a] = await several(1);
    await a!.scope('s').add(CONVERSATION);
    await asOwner(
      `UPDATE mnemis.scope SET worker = 'dead', worker_until = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 600`,
    );
    const started = performance.now();
    const { counts } = await a!.scope('s').flush();
    expect(performance.now() - started).toBeGreaterThan(400);
    expect(counts.consolidated).toBe(CONVERSATION.length);
  });

  it('hear of the changes of others, and share items', async () => {
    const [a, b] = await several(2);
    await b!.scope('s').search('anything');
    const changes = b!.scope('s').changes();
    const first = changes.next();
    await a!.scope('s').add(turn('Otto bakes on Sundays.'));
    expect((await first).value).toMatchObject({ type: 'stored' });
    await changes.return?.();
    await a!.scope('s').items.put(['recipes'], 'rye', { hours: 12 });
    await b!.scope('s').items.put(['recipes'], 'rye', { hours: 14 });
    await soon(async () =>
      expect((await a!.scope('s').items.get(['recipes'], 'rye'))?.value).toEqual({ hours: 14 }),
    );
    expect(await b!.scope('s').items.namespaces()).toEqual([['recipes']]);
  });
});

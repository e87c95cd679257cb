import { randomBytes } from 'node:crypto';
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { type MemoryScope, Mnemis, postgres } from '../../../src/index.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { FaultProxy } from '../../fixtures/fault-proxy.ts';
import { installation, postgresAvailable } from '../../fixtures/postgres/installation.ts';
import { SmallDisk } from '../../fixtures/postgres/small-disk.ts';
import { startReplica } from '../../fixtures/postgres-replica.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { seededRandom } from '../../search/random.ts';
import { expectConsistent } from '../ingestion/invariants.ts';
import { answersTo, CONVERSATION, contents, graphOf, QUERIES, turn } from '../memory-fixture.ts';

const canMount = postgresAvailable() === null && isMountable();

describeWithPostgres('Processes whose Postgres server fails', () => {
  const ending: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    const server = await startPostgres({ settings });
    ending.push(() => server.stop());
    return server;
  };
  const open = async (url: string, retryMilliseconds = 20_000) => {
    const engine = await Mnemis.open({
      store: postgres({ url, connections: 3, leaseMilliseconds: 1_000, retryMilliseconds }),
      embedder: new HashingEmbedder({ analyze, dimension: 64 }),
      automatic: false,
    });
    ending.push(() => engine.close().catch(() => undefined)); // a scope whose state is in doubt cannot be saved
    return engine;
  };
  const saying = (number: number, length = 0) =>
    turn(`Number ${number}. ${randomBytes(length / 2).toString('hex')}`, {
      session: `s${number}`,
      sourceId: String(number),
    });

  /** What is stored, by a process that knows nothing yet: every acknowledged turn once, and others of those given. */
  async function expectStored(url: string, acknowledged: readonly number[], given: readonly number[]) {
    const engine = await open(url);
    const graph = await graphOf(engine.scope('s'));
    const stored = graph.nodes.episode.map(({ sourceId }) => Number(sourceId)).toSorted((a, b) => a - b);
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((number) => !stored.includes(number))).toEqual([]);
    expect(stored.filter((number) => !given.includes(number))).toEqual([]);
    expectConsistent(graph);
    expect((await engine.verify()).findings).toEqual([]);
    return stored;
  }

  it('store what they acknowledge, once, while the server is killed in the middle of commits', async () => {
    const server = await start();
    const url = server.url(await server.createDatabase());
    const random = seededRandom(8);
    let isOver = false;
    const acknowledged: number[] = [];
    const engines = [await open(url), await open(url)];
    const writers = engines.map(async (engine, writer) => {
      for (let number = writer; !isOver; number += 2) {
        expect(await engine.scope('s').add(saying(number))).toMatchObject({ added: 1 });
        acknowledged.push(number);
        if (number % 50 === writer) await engine.scope('s').flush();
      }
    });
    for (let kill = 0; kill < 8; kill += 1) {
      const { length } = acknowledged;
      while (acknowledged.length < length + 4) await wait(1);
      await wait(random() * 30);
      await server.kill();
      await server.restart();
    }
    isOver = true;
    await Promise.all(writers);
    expect(acknowledged.length).toBeGreaterThan(30);
    // Nothing failed, so what is stored is what was acknowledged.
    const stored = await expectStored(url, acknowledged, acknowledged);
    expect(stored.length).toBe(acknowledged.length);
  });

  it.skipIf(!canMount)(
    'keep what they have when the disk of the tables is full, and go on when there is room (needs root to mount a small disk)',
    async () => {
      const server = await start();
      const disk = SmallDisk.mount(server.place, 14)!;
      ending.push(() => disk.unmount());
      ending.push(() => server.kill());
      await server.asSuperuser(async (client) => {
        await client.query(`CREATE TABLESPACE small LOCATION ${pg.escapeLiteral(disk.path)}`);
        await client.query('CREATE DATABASE full_one TABLESPACE small STRATEGY file_copy');
      });
      const url = server.url('full_one');
      const [one, other] = [await open(url), await open(url)];
      const { acknowledged, failure, given } = await addUntilFailure(one.scope('s'), 0);
      expect(failure).toMatchObject({ code: 'disk-full' });
      await expect(other.scope('s').add(saying(900, 200_000))).rejects.toMatchObject({ code: 'disk-full' });
      expect(
        contents(await other.scope('s').search('number 0', { consistent: true })).length,
      ).toBeGreaterThan(0);
      expect((await one.scope('s').stats()).episode).toBe(acknowledged.length);
      disk.resize(120);
      for (const [number, engine] of [
        [901, one],
        [902, other],
      ] as const)
        expect(await engine.scope('s').add(saying(number, 200_000))).toMatchObject({ added: 1 });
      const all = [...acknowledged, 901, 902];
      expect((await expectStored(url, all, [...all, ...given])).length).toBe(all.length);
    },
  );

  it.skipIf(!canMount)(
    'keep what they have when the disk of the write-ahead log is full, on which the server crashes (needs root to mount a small disk)',
    async () => {
      const server = await start({ max_wal_size: '32MB', min_wal_size: '32MB', wal_recycle: 'off' });
      const url = server.url(await server.createDatabase());
      const one = await open(url, 3_000);
      await one.scope('s').add(saying(0));
      await server.kill();
      const log = join(server.folder, 'server/pg_wal');
      const disk = SmallDisk.mount(server.place, 96)!;
      ending.push(() => disk.unmount());
      ending.push(() => server.kill());
      moveInto(log, disk, server);
      await server.restart();
      const giveBack = disk.fill();
      const { acknowledged, failure, given } = await addUntilFailure(one.scope('s'), 1);
      expect(['store-write', 'store-read', 'disk-full']).toContain((failure as { code: string }).code);
      expect(server.log(400)).toMatch(/PANIC.*No space left on device/);
      giveBack();
      await server.restart();
      const other = await open(url);
      expect(await other.scope('s').add(saying(900))).toMatchObject({ added: 1 });
      await expectStored(url, [0, ...acknowledged, 900], [0, ...given, 900]);
    },
  );

  it('notice a failover to a replica that lacks their last commits, read it anew, and mix nothing', async () => {
    const server = await start();
    const database = await server.createDatabase();
    const proxy = await FaultProxy.start(server);
    ending.push(() => proxy.stop());
    const url = proxy.url(server.url(database));
    const engines = [await open(url), await open(url), await open(url)];
    const [writer, second, idle] = engines.map((engine) => engine.scope('s'));
    await writer!.add(CONVERSATION.slice(0, 6));
    await writer!.flush();
    const replica = await startReplica(server);
    await replica.caughtUp();
    await replica.kill();
    // Lost by the choice of whoever promotes this replica: turns, facts and an item, which everybody has read.
    await writer!.add([
      turn('The safe opens with sesame.', { session: 'lost' }),
      turn('My cousin Igor lives in Minsk.', { session: 'lost' }),
    ]);
    await writer!.flush();
    await writer!.items.put(['n'], 'lost', { is: 'there' });
    for (const each of [second!, idle!]) {
      expect(contents(await each.search('sesame', { consistent: true })).join()).toContain('sesame');
      expect((await each.items.get(['n'], 'lost'))?.value).toEqual({ is: 'there' });
    }
    const before = await idle!.search('sesame');
    proxy.refuse();
    await server.kill();
    proxy.cut();
    await replica.restart();
    await replica.promote();
    proxy.target = replica;
    await proxy.accept();
    // The second one commits on top of what it has read, which is no state of this history.
    expect(await second!.add(CONVERSATION.slice(6))).toMatchObject({ added: 2 });
    await second!.flush();
    for (let at = 0; at < 4; at += 1) await second!.items.put(['n'], String(at), { at });
    expect((await second!.search('anything', { consistent: true })).sequence).toBeGreaterThanOrEqual(
      before.sequence!,
    );
    // The idle one is asked nothing: it looks by itself.
    for (
      let tries = 0;
      contents(await idle!.search('sesame'))
        .join()
        .includes('sesame');
      tries += 1
    ) {
      expect(tries).toBeLessThan(100);
      await wait(50);
    }
    expect((await writer!.items.get(['n'], 'lost')) ?? null).toBeNull();
    expect((await idle!.items.get(['n'], '3'))?.value).toEqual({ at: 3 });
    expect(await writer!.add(turn('The safe is empty.', { session: 'lost' }))).toMatchObject({ added: 1 });
    const fresh = (await open(url)).scope('s');
    const expected = await answersTo(fresh, [...QUERIES, 'Where does Igor live?', 'safe']);
    for (const each of [writer!, second!, idle!]) {
      await each.search('safe', { consistent: true });
      expect(await answersTo(each, [...QUERIES, 'Where does Igor live?', 'safe'])).toEqual(expected);
    }
    const graph = await graphOf(fresh);
    expectConsistent(graph);
    expect(JSON.stringify(graph.nodes)).not.toMatch(/sesame|Igor/);
    expect((await engines[0]!.verify()).findings).toEqual([]);
  });

  /** Adds large turns until one is refused. */
  async function addUntilFailure(memory: MemoryScope, first: number) {
    const acknowledged: number[] = [];
    const given: number[] = [];
    for (let number = first; ; number += 1) {
      if (number === first + 800) throw new Error('the disk was never full');
      given.push(number);
      try {
        await memory.add(saying(number, 200_000));
        acknowledged.push(number);
      } catch (failure) {
        return { acknowledged, given, failure };
      }
    }
  }
});

function isMountable(): boolean {
  const disk = SmallDisk.mount(installation(), 1);
  disk?.unmount();
  return disk !== null;
}

/** Lets a folder of a stopped server be one on a disk. */
function moveInto(folder: string, disk: SmallDisk, { place: { account } }: PostgresServer): void {
  const inside = join(disk.path, 'pg_wal');
  cpSync(folder, inside, { recursive: true, preserveTimestamps: true });
  disk.own(account);

  rmSync(folder, { recursive: true });
  symlinkSync(inside, folder);
}

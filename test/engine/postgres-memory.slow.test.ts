import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import type { MnemisError } from '../../src/errors/index.ts';
import { verifyBackup } from '../../src/files/backup/verify.ts';
import { postgres } from '../../src/store/postgres-options.ts';
import { expectWithout, PLAIN, SECRET, SECRET_WORDS } from '../edit/forget/forget-lab.ts';
import { describeWithPostgres } from '../fixtures/describe-with-postgres.ts';
import { type Login, type PostgresServer, startPostgres } from '../fixtures/postgres-server.ts';
import { CountingEmbedder } from './counting-embedder.ts';
import { contents, freshPath, graphOf, open, remember } from './memory-fixture.ts';

const QUIET = { automatic: false } as const;
const QUESTION = 'Where does Carla work?';

interface Place {
  readonly database: string;
  readonly url: string;
}

describeWithPostgres('Mnemis over a Postgres server', () => {
  let server: PostgresServer;
  let owner: Login;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false, settings: { autovacuum: 'off' } });
    owner = await server.createRole('owner');
  });
  afterAll(() => server.stop());

  const freshPlace = async (): Promise<Place> => {
    const database = await server.createDatabase(undefined, owner);
    return { database, url: server.url(database, owner) };
  };

  it('stores, finds and answers, and has everything when it is opened again, by URL or by store', async () => {
    const { url } = await freshPlace();
    const first = await open(url, QUIET);
    const memory = first.scope('a');
    expect(await remember(memory, PLAIN)).toMatchObject({ added: 3 });
    const found = contents(await memory.search(QUESTION));
    expect(found[0]).toContain('Carla');
    expect((await memory.ask(QUESTION)).text).toContain('Lisbon');
    const before = await graphOf(memory);
    await first.close();

    await using again = await Mnemis.open({ store: postgres({ url }), ...QUIET });
    const { backend, path } = again.describe();
    expect([backend, path]).toEqual(['postgres', url.replace(`:${owner.password}`, '')]);
    expect(await graphOf(again.scope('a'))).toEqual(before);
    expect(contents(await again.scope('a').search(QUESTION))).toEqual(found);
    expect(await again.scopes()).toEqual(['a']);
    expect(await again.scope('b').stats()).toMatchObject({ episode: 0 });
  });

  it('keeps one memory in each schema of a database', async () => {
    const { url } = await freshPlace();
    for (const schema of ['one', 'two']) {
      await using engine = await Mnemis.open({ store: postgres({ url, schema }), ...QUIET });
      await engine.scope('a').add({ content: `I live in ${schema}.` });
    }
    await using engine = await Mnemis.open({ store: postgres({ url, schema: 'two' }), ...QUIET });
    expect(contents(await engine.scope('a').search('live'))).toEqual(['I live in two.']);
  });

  it('forgets with proof; after VACUUM FULL no file of the database holds a forgotten word', async () => {
    const place = await freshPlace();
    await using engine = await open(place.url, QUIET);
    const memory = engine.scope('a');
    await remember(memory, [...SECRET, ...PLAIN]);
    await asOwner(place, (client) => client.query('ANALYZE')); // as autovacuum does: its statistics must not quote texts
    const report = await memory.forget({ session: 'secret' });
    expect(report).toMatchObject({ onDisk: 'needs vacuum', proof: { clean: true, findings: [] } });
    expectWithout(await graphOf(memory), SECRET_WORDS);
    expect(contents(await memory.search('zither')).join()).not.toContain('zither');
    expect(held(await dumpOf(server, place), SECRET_WORDS)).toEqual([]);
    await server.asSuperuser((client) => client.query('CHECKPOINT'));
    expect(held(await filesOf(server, place), SECRET_WORDS)).not.toEqual([]);

    await asOwner(place, (client) => client.query('VACUUM FULL'));
    await server.asSuperuser((client) => client.query('CHECKPOINT'));
    for (const bytes of [await filesOf(server, place), await dumpOf(server, place)]) {
      expect(held(bytes, SECRET_WORDS)).toEqual([]);
      expect(held(bytes, ['Lisbon', 'beagle'])).toEqual(['Lisbon', 'beagle']);
    }
    expect(await memory.add(SECRET)).toMatchObject({ rejected: 3 });
    expect((await engine.verify()).findings).toEqual([]);
  });

  it('moves to another embedder', async () => {
    const { url } = await freshPlace();
    const [one, two] = [new CountingEmbedder('one', 64), new CountingEmbedder('two', 48)];
    const engine = await open(url, { ...QUIET, embedder: one });
    await remember(engine.scope('a'), PLAIN);
    await engine.reembed({ embedder: two });
    await engine.close();

    const again = await open(url, { ...QUIET, embedder: new CountingEmbedder('two', 48) });
    expect(again.describe()).toMatchObject({ fingerprint: two.fingerprint, nextFingerprint: null });
    const { embedding } = (await graphOf(again.scope('a'))).nodes;
    expect(embedding).toHaveLength(two.passages.length);
    expect(new Set(embedding.map(({ model }) => model)).size).toBe(1);
    expect(contents(await again.scope('a').search(QUESTION))[0]).toContain('Carla');
    await again.close();
    await expect(open(url, { ...QUIET, embedder: one })).rejects.toMatchObject({
      code: 'embedding-mismatch',
    });
  });

  it('exchanges scopes with files', async () => {
    await using file = await open(freshPath(), QUIET);
    await using onServer = await open((await freshPlace()).url, QUIET);
    await remember(file.scope('a'), PLAIN);
    const [out, back] = [freshPath('.jsonl'), freshPath('.jsonl')];
    await file.scope('a').exportTo(out);
    await onServer.scope('a').importFrom(out);
    expect(await rowsOf(onServer)).toEqual(await rowsOf(file));
    await onServer.scope('a').exportTo(back);
    await using other = await open(freshPath(), QUIET);
    await other.scope('a').importFrom(back);
    expect(await rowsOf(other)).toEqual(await rowsOf(file));
  });

  it('is backed up into a file, which is verified, opened, and copied back', async () => {
    const { url } = await freshPlace();
    await using engine = await open(url, QUIET);
    await remember(engine.scope('a'), [...SECRET, ...PLAIN]);
    await using other = await open(url, QUIET);
    await other.scope('b').add({ content: 'I keep bees.' }); // which the first engine has not read
    const folder = freshPath('.backup');
    expect(await engine.backup(folder)).toMatchObject({ folder, scopes: 2, unfinishedForgetting: [] });
    expect(await verifyBackup(folder)).toMatchObject({ sound: true, findings: [] });
    await using copy = await open(join(folder, 'memory.db'), QUIET);
    expect(await rowsOf(copy)).toEqual(await rowsOf(engine));
    expect(contents(await copy.scope('b').search('bees'))).toEqual(['I keep bees.']);
  });

  it('refuses to compact, and says what to do instead', async () => {
    await using engine = await open((await freshPlace()).url, QUIET);
    const { code, message } = await failureOf(drain(engine.compact()));
    expect(code).toBe('invalid-input');
    expect(message).toContain('VACUUM FULL');
  });

  it('says why it cannot be opened, without the password', async () => {
    const { url, database } = await freshPlace();
    const secret = 'not-the-password';
    const refused = await failureOf(open(url.replace(owner.password, secret), QUIET));
    const missing = await failureOf(open(url.replace(database, 'missing'), QUIET));
    const down = await failureOf(
      Mnemis.open({
        store: postgres({ url: `postgres://owner:${secret}@127.0.0.1:1/${database}`, retryMilliseconds: 0 }),
      }),
    );
    const failures = [refused, missing, down];
    expect(failures.map(({ code }) => code)).toEqual(['store-read', 'store-read', 'store-read']);
    expect(refused.message).toContain('password authentication failed for user "owner"');
    expect(missing.message).toContain('database "missing" does not exist');
    expect(down.message).toContain('ECONNREFUSED');
    for (const error of failures) {
      const told = everythingIn(error);
      expect(told).not.toContain(secret);
      expect(told).not.toContain(owner.password);
    }
  });
});

/** What the scope holds, in an order that no store decides. */
async function rowsOf(engine: Mnemis): Promise<string[]> {
  const { nodes, relationships } = await graphOf(engine.scope('a'));
  return [...Object.values(nodes).flat(), ...relationships].map((row) => JSON.stringify(row)).sort();
}

async function failureOf(job: Promise<unknown>): Promise<MnemisError> {
  return job.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  );
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) void _;
}

/** An error as a log would hold it, with its causes. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error);
  return [error.message, error.stack, JSON.stringify({ ...error }), everythingIn(error.cause ?? null)].join(
    '\n',
  );
}

async function asOwner<T>({ url }: Place, job: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await job(client);
  } finally {
    await client.end();
  }
}

/** Every row of every table, as `pg_dump` would copy them. */
async function dumpOf(server: PostgresServer, { database }: Place): Promise<Buffer> {
  return server.asSuperuser(async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'mnemis'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`SELECT each::text AS text FROM ${name} AS each`);
      texts.push(...rows.map(({ text }) => text));
    }
    return Buffer.from(texts.join('\n'));
  }, database);
}

/** The files of a database: its tables, indexes and statistics. Not the log of the whole server. */
async function filesOf(server: PostgresServer, { database }: Place): Promise<Buffer> {
  const { rows } = await server.asSuperuser((client) =>
    client.query<{ oid: number }>('SELECT oid FROM pg_database WHERE datname = $1', [database]),
  );
  const folder = join(server.folder, 'server/base', String(rows[0]!.oid));
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
}

const held = (bytes: Buffer, words: readonly string[]) => words.filter((word) => bytes.includes(word));

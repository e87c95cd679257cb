import { z } from 'zod';
import { EmbeddingMismatchError, InvalidChangeError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { parseJson } from '../../util/parse-json.ts';
import { describeFingerprint, sameFingerprint } from '../graph-store.ts';
import { decodeText, encodeText } from './sql-codec.ts';
import { type SqlDatabase, type SqlSession, tableIn } from './sql-database.ts';
import { META_TABLE } from './sql-schema.ts';

const NAMES = {
  database: 'database',
  schema: 'schema',
  inUse: 'fingerprint',
  next: 'next fingerprint',
} as const;
type Name = (typeof NAMES)[keyof typeof NAMES];

const fingerprintSchema = z.object({ model: z.string(), dimension: z.number().int() });

interface Meta {
  readonly databaseId: string;
  readonly schemaVersion: number;
  readonly fingerprint: EmbeddingFingerprint | null;
  readonly nextFingerprint: EmbeddingFingerprint | null;
}

/** Facts of the whole database. Cached; `load` reads what other processes have changed. */
export class SqlMeta {
  readonly #database: SqlDatabase;
  #meta: Meta = { databaseId: '', schemaVersion: 0, fingerprint: null, nextFingerprint: null };

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  get current(): Meta {
    return this.#meta;
  }

  async load(): Promise<void> {
    this.#meta = await this.#database.read(null, readMeta);
  }

  async set(fingerprint: EmbeddingFingerprint): Promise<void> {
    await this.#change(async (session, { fingerprint: found }) => {
      if (found !== null && sameFingerprint(found, fingerprint)) return;
      if (found !== null && (await hasEmbeddings(session)))
        throw new EmbeddingMismatchError(describeFingerprint(found), describeFingerprint(fingerprint));
      await writeMeta(session, NAMES.inUse, asText(fingerprint));
      await writeMeta(session, NAMES.next, null);
    });
  }

  async setNext(fingerprint: EmbeddingFingerprint | null): Promise<void> {
    await this.#change((session) => writeMeta(session, NAMES.next, fingerprint && asText(fingerprint)));
  }

  async adoptNext(): Promise<void> {
    await this.#change(async (session, { nextFingerprint }) => {
      if (nextFingerprint === null) throw new InvalidChangeError('no next embedder is recorded');
      await writeMeta(session, NAMES.inUse, asText(nextFingerprint));
    });
  }

  /** @throws EmbeddingMismatchError if another process has given the memory another embedder. */
  async check(session: SqlSession): Promise<void> {
    const { fingerprint: known } = this.#meta;
    const { fingerprint: found } = await readMeta(session);
    if (found === null || known === null || sameFingerprint(found, known)) return;
    throw new EmbeddingMismatchError(describeFingerprint(found), describeFingerprint(known));
  }

  async rename(databaseId: string): Promise<void> {
    await this.#change((session) => writeMeta(session, NAMES.database, databaseId));
  }

  async #change(job: (session: SqlSession, found: Meta) => Promise<void>): Promise<void> {
    this.#meta = await this.#database.write(null, async (session) => {
      await job(session, await readMeta(session));
      return readMeta(session);
    });
  }
}

async function readMeta(session: SqlSession): Promise<Meta> {
  const rows = await session.all(`SELECT name, value FROM ${tableIn(session.dialect, META_TABLE)}`);
  const values = new Map(rows.map(({ name, value }) => [String(name), decodeText(String(value))]));
  const fingerprint = (name: Name) => {
    const read = parseJson(values.get(name) ?? 'null');
    return fingerprintSchema.safeParse(read.ok ? read.value : null).data ?? null;
  };
  return {
    databaseId: values.get(NAMES.database) ?? '',
    schemaVersion: Number(values.get(NAMES.schema) ?? 0),
    fingerprint: fingerprint(NAMES.inUse),
    nextFingerprint: fingerprint(NAMES.next),
  };
}

/** Writes the id and the version of a new database; does nothing if another process did. */
export async function createMeta(
  session: SqlSession,
  { databaseId, schemaVersion }: Pick<Meta, 'databaseId' | 'schemaVersion'>,
): Promise<void> {
  const table = tableIn(session.dialect, META_TABLE);
  for (const [name, value] of [
    [NAMES.database, databaseId],
    [NAMES.schema, String(schemaVersion)],
  ] as const)
    await session.run(`INSERT INTO ${table} (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, [
      name,
      value,
    ]);
}

/** Records that the database may hold what older versions cannot read: they refuse it. */
export async function setSchemaVersion(session: SqlSession, version: number): Promise<void> {
  await writeMeta(session, NAMES.schema, String(version));
}

async function writeMeta(session: SqlSession, name: Name, value: string | null): Promise<void> {
  const table = tableIn(session.dialect, META_TABLE);
  if (value === null) await session.run(`DELETE FROM ${table} WHERE name = ?`, [name]);
  else
    await session.run(
      `INSERT INTO ${table} (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, value],
    );
}

async function hasEmbeddings(session: SqlSession): Promise<boolean> {
  return (await session.all(`SELECT id FROM ${tableIn(session.dialect, 'embedding')} LIMIT 1`)).length > 0;
}

function asText({ model, dimension }: EmbeddingFingerprint): string {
  return encodeText(JSON.stringify({ model, dimension }));
}

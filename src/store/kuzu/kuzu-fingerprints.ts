import { EmbeddingMismatchError, InvalidChangeError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { describeFingerprint, sameFingerprint } from '../graph-store.ts';
import type { KuzuSession } from './kuzu-connection.ts';
import type { KuzuDatabase } from './kuzu-database.ts';
import type { KuzuTables } from './kuzu-tables.ts';
import { decodeName, encodeName } from './row-codec.ts';
import * as cypher from './statements.ts';

const IN_USE = 'fingerprint';
const NEXT = 'next fingerprint';

/** The embedder of the vectors and the one they are being moved to: rows of `Meta`, cached as committed. */
export class KuzuFingerprints {
  readonly #database: KuzuDatabase;
  readonly #tables: KuzuTables;
  #inUse: EmbeddingFingerprint | null = null;
  #next: EmbeddingFingerprint | null = null;

  constructor(database: KuzuDatabase, tables: KuzuTables) {
    this.#database = database;
    this.#tables = tables;
  }

  get inUse(): EmbeddingFingerprint | null {
    return this.#inUse;
  }

  get next(): EmbeddingFingerprint | null {
    return this.#next;
  }

  async load(): Promise<void> {
    this.#inUse = await this.#read(IN_USE);
    this.#next = await this.#read(NEXT);
  }

  async set(fingerprint: EmbeddingFingerprint): Promise<void> {
    const changed = await this.#database.write(async (session) => {
      const found = this.#inUse;
      if (found !== null && sameFingerprint(found, fingerprint)) return false;
      if (found !== null && (await this.#hasEmbeddings(session)))
        throw new EmbeddingMismatchError(describeFingerprint(found), describeFingerprint(fingerprint));
      await write(session, IN_USE, fingerprint);
      await write(session, NEXT, null);
      return true;
    });
    if (!changed) return;
    this.#inUse = { ...fingerprint };
    this.#next = null;
  }

  async setNext(fingerprint: EmbeddingFingerprint | null): Promise<void> {
    await this.#database.write((session) => write(session, NEXT, fingerprint));
    this.#next = fingerprint && { ...fingerprint };
  }

  async adoptNext(): Promise<void> {
    const adopted = await this.#database.write(async (session) => {
      const next = this.#next;
      if (next === null) throw new InvalidChangeError('no next embedder is recorded');
      await write(session, IN_USE, next);
      return next;
    });
    this.#inUse = adopted;
  }

  async #hasEmbeddings(session: KuzuSession): Promise<boolean> {
    return this.#tables.has('embedding') && (await session.run(cypher.anyEmbedding)).length > 0;
  }

  async #read(id: string): Promise<EmbeddingFingerprint | null> {
    const [row] = await this.#database.read(cypher.readFingerprint, { id });
    if (row === undefined) return null;
    return { model: decodeName(String(row.model)) ?? '', dimension: Number(row.dimension) };
  }
}

async function write(
  session: KuzuSession,
  id: string,
  fingerprint: EmbeddingFingerprint | null,
): Promise<void> {
  await session.run(cypher.dropFingerprint, { id });
  if (fingerprint === null) return;
  const { model, dimension } = fingerprint;
  await session.run(cypher.createFingerprint, { id, model: encodeName(model), dimension });
}

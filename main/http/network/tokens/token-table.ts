import { z } from 'zod';
import { MnemisError } from '../../../../src/errors/index.ts';
import { openRecordsAt, type Records } from '../../../../src/files/open-store.ts';
import { parseJson } from '../../../../src/util/parse-json.ts';
import { entryOf, newToken, type StoredToken, storedSchema } from './stored-token.ts';
import {
  type IssuedToken,
  isActive,
  type TokenEntry,
  type TokenRequest,
  type TokenStore,
  TokenStoreError,
  UnknownTokenError,
} from './token-store.ts';
import { hasHash, idOf } from './token-text.ts';

const rowSchema = storedSchema.extend({ lastUsed: z.number().int().nullable() });
type Row = z.infer<typeof rowSchema>;

/** Times of use are exact to this, and written as often by each process. */
const USE_MILLISECONDS = 60_000;

/** Tokens in the database of a memory, which all servers of it read with each request. */
export class TokenTable implements TokenStore {
  readonly #url: string;
  readonly #clock: () => number;
  #records: Promise<Records> | null = null;
  readonly #used = new Map<string, number>();

  constructor(url: string, { clock = Date.now }: { readonly clock?: () => number } = {}) {
    this.#url = url;
    this.#clock = clock;
  }

  async issue(request: TokenRequest): Promise<IssuedToken> {
    const { token, stored } = newToken(request, this.#clock());
    await this.#ask((records) => records.put(stored.id, JSON.stringify({ ...stored, lastUsed: null })));
    return { token, entry: entryOf(stored, null) };
  }

  async list(): Promise<readonly TokenEntry[]> {
    const texts = await this.#ask((records) => records.all());
    return texts.map((text) => shown(read(text))).sort((one, other) => other.created - one.created);
  }

  async revoke(id: string): Promise<TokenEntry> {
    const now = this.#clock();
    const row = await this.#change(id, (before) => ({ ...before, revoked: before.revoked ?? now }));
    if (row === null) throw new UnknownTokenError();
    return shown(row);
  }

  async verify(token: string): Promise<TokenEntry | null> {
    const id = idOf(token);
    const row = id === null ? null : await this.#get(id);
    const isSame = hasHash(token, row?.hash);
    if (row === null || !isSame) return null;
    const now = this.#clock();
    if (!isActive(shown(row), now)) return null;
    await this.#noteUse(row, now);
    return { ...shown(row), lastUsed: now };
  }

  async isValid(id: string): Promise<boolean> {
    const row = await this.#get(id);
    return row !== null && isActive(shown(row), this.#clock());
  }

  async close(): Promise<void> {
    const records = await this.#records?.catch(() => null);
    await records?.close();
  }

  async #noteUse({ id, lastUsed }: Row, now: number): Promise<void> {
    if (now - Math.max(lastUsed ?? 0, this.#used.get(id) ?? 0) < USE_MILLISECONDS) return;
    this.#used.set(id, now);
    // A time of use that is lost changes nothing.
    await this.#change(id, (row) => ({ ...row, lastUsed: Math.max(now, row.lastUsed ?? 0) })).catch(
      () => null,
    );
  }

  async #get(id: string): Promise<Row | null> {
    const text = await this.#ask((records) => records.get(id));
    return text === null ? null : read(text);
  }

  async #change(id: string, edit: (row: Row) => Row): Promise<Row | null> {
    const text = await this.#ask((records) =>
      records.change(id, (before) => JSON.stringify(edit(read(before)))),
    );
    return text === null ? null : read(text);
  }

  async #ask<T>(job: (records: Records) => Promise<T>): Promise<T> {
    this.#records ??= openRecordsAt(this.#url, 'tokens').catch((error: unknown) => {
      this.#records = null;
      throw error;
    });
    try {
      return await job(await this.#records);
    } catch (error) {
      if (TokenStoreError.isInstance(error) || !MnemisError.isInstance(error)) throw error;
      throw new TokenStoreError('The tokens in the database cannot be read or written', error);
    }
  }
}

function read(text: string): Row {
  const json = parseJson(text);
  const parsed = json.ok ? rowSchema.safeParse(json.value) : null;
  if (parsed?.success) return parsed.data;
  throw new TokenStoreError('A token in the database is damaged or of another version');
}

function shown({ lastUsed, ...stored }: Row): TokenEntry {
  return entryOf(stored satisfies StoredToken, lastUsed);
}

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { DatabaseLockedError } from '../../../../src/errors/index.ts';
import { DatabaseLock } from '../../../../src/store/database-lock.ts';
import { makeFolder } from '../../../../src/util/files.ts';
import { parseJson } from '../../../../src/util/parse-json.ts';
import { readOwnFile, replaceOwnFile } from '../../../processes/own-file.ts';
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

const fileSchema = z.strictObject({ version: z.literal(1), tokens: z.array(storedSchema) });
/** Times of the last use by id: a file of its own, so that a server never writes the tokens. */
const usesSchema = z.record(z.string(), z.number().int());

const LOCK_MILLISECONDS = 5_000;
const LOCK_PAUSE = 20;
/** Times of use are exact to this, and written as often. */
const USE_MILLISECONDS = 60_000;

export interface TokenFileOptions {
  readonly clock?: () => number;
}

/**
 * Tokens in a JSON file, readable by its owner only. Each change replaces the whole file, under a lock; readers notice
 * a new file by its times, so a token that another process revokes is refused with the next request.
 */
export class TokenFile implements TokenStore {
  readonly #path: string;
  readonly #clock: () => number;
  #read: { readonly version: string; readonly tokens: ReadonlyMap<string, StoredToken> } | null = null;
  readonly #uses = new Map<string, number>();
  #usesWritten = 0;

  constructor(path: string, { clock = Date.now }: TokenFileOptions = {}) {
    this.#path = path;
    this.#clock = clock;
  }

  async issue(request: TokenRequest): Promise<IssuedToken> {
    const { token, stored } = newToken(request, this.#clock());
    await this.#change((tokens) => [...tokens, stored]);
    return { token, entry: entryOf(stored, null) };
  }

  async list(): Promise<readonly TokenEntry[]> {
    const tokens = [...(await this.#tokens()).values()];
    const uses = { ...(await this.#readUses()), ...Object.fromEntries(this.#uses) };
    const entries = tokens.map((stored) => entryOf(stored, uses[stored.id] ?? null));
    return entries.reverse().sort((one, other) => other.created - one.created);
  }

  async revoke(id: string): Promise<TokenEntry> {
    const now = this.#clock();
    await this.#change((tokens) => {
      if (!tokens.some((stored) => stored.id === id)) throw new UnknownTokenError();
      return tokens.map((stored) =>
        stored.id === id ? { ...stored, revoked: stored.revoked ?? now } : stored,
      );
    });
    return (await this.list()).find((entry) => entry.id === id)!;
  }

  async verify(token: string): Promise<TokenEntry | null> {
    const id = idOf(token);
    const stored = id === null ? undefined : (await this.#tokens()).get(id);
    const isSame = hasHash(token, stored?.hash);
    if (stored === undefined || !isSame) return null;
    const now = this.#clock();
    const entry = entryOf(stored, now);
    if (!isActive(entry, now)) return null;
    await this.#noteUse(stored.id, now);
    return entry;
  }

  async isValid(id: string): Promise<boolean> {
    const stored = (await this.#tokens()).get(id);
    return stored !== undefined && isActive(entryOf(stored, null), this.#clock());
  }

  async close(): Promise<void> {
    if (this.#uses.size > 0) await this.#writeUses();
  }

  async #change(edit: (tokens: readonly StoredToken[]) => readonly StoredToken[]): Promise<void> {
    await makeFolder(dirname(this.#path)).catch((error) => {
      throw new TokenStoreError(`The folder of the tokens, ${dirname(this.#path)}, cannot be made`, error);
    });
    const lock = await this.#lock();
    try {
      const tokens = edit([...(await this.#tokens()).values()]);
      await replaceOwnFile(this.#path, `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`);
    } catch (error) {
      if (error instanceof Error && 'syscall' in error)
        throw new TokenStoreError(`The file of the tokens, ${this.#path}, cannot be written`, error);
      throw error;
    } finally {
      await lock.release();
    }
  }

  /** Waits for other processes that change the file. */
  async #lock(): Promise<DatabaseLock> {
    const end = performance.now() + LOCK_MILLISECONDS;
    for (;;)
      try {
        return await DatabaseLock.acquire(this.#path);
      } catch (error) {
        if (!DatabaseLockedError.isInstance(error) || performance.now() > end) throw error;
        await wait(LOCK_PAUSE);
      }
  }

  /** Reads the file if it has changed; a missing one has no tokens. @throws TokenStoreError */
  async #tokens(): Promise<ReadonlyMap<string, StoredToken>> {
    const version = await versionOf(this.#path);
    if (version === null) return new Map();
    if (this.#read?.version === version) return this.#read.tokens;
    const text = await readOwnFile(this.#path);
    if (text === null) {
      if ((await versionOf(this.#path)) === null) return new Map();
      throw new TokenStoreError(
        `The file of the tokens, ${this.#path}, is a link, or another user owns it or can read it; its mode must be 0600`,
      );
    }
    const read = parseJson(text);
    const parsed = read.ok ? fileSchema.safeParse(read.value) : null;
    if (!parsed?.success)
      throw new TokenStoreError(`The file of the tokens, ${this.#path}, is damaged or of another version`);
    const tokens = new Map(parsed.data.tokens.map((stored) => [stored.id, stored]));
    this.#read = { version, tokens };
    return tokens;
  }

  async #noteUse(id: string, now: number): Promise<void> {
    this.#uses.set(id, now);
    if (now - this.#usesWritten < USE_MILLISECONDS) return;
    this.#usesWritten = now;
    await this.#writeUses();
  }

  /** A time of use that is lost changes nothing, so failures are ignored. */
  async #writeUses(): Promise<void> {
    const uses = { ...(await this.#readUses()) };
    for (const [id, at] of this.#uses) uses[id] = Math.max(at, uses[id] ?? 0);
    await replaceOwnFile(this.#usesPath, JSON.stringify(uses)).catch(() => undefined);
  }

  async #readUses(): Promise<Readonly<Record<string, number>>> {
    const read = parseJson((await readOwnFile(this.#usesPath)) ?? '{}');
    return (read.ok && usesSchema.safeParse(read.value).data) || {};
  }

  get #usesPath(): string {
    return `${this.#path}.used`;
  }
}

/** Changes with each replacement of the file; null if there is none. */
async function versionOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw new TokenStoreError(`The file of the tokens, ${path}, cannot be read`, error);
  });
  return found === null ? null : [found.ino, found.mtimeNs, found.ctimeNs, found.size].join(' ');
}

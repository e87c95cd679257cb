import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { EngineContext, Logger } from './engine/engine-context.ts';
import { MemoryScope } from './engine/memory-scope.ts';
import { EmbeddingMismatchError, InvalidInputError, StoreClosedError } from './errors/index.ts';
import type { Embedder } from './inference/embedder.ts';
import { HashingEmbedder } from './inference/hashing/hashing-embedder.ts';
import type { Extractor } from './ingest/extractor.ts';
import { LocalExtractor } from './ingest/local/local-extractor.ts';
import type { Milliseconds, Scope } from './model/ids.ts';
import { analyze } from './search/analyzer.ts';
import { CachedStore } from './store/cached-store.ts';
import type { GraphStore, StoreDescription } from './store/graph-store.ts';
import { InMemoryStore } from './store/in-memory/in-memory-store.ts';
import { KuzuStore } from './store/kuzu/kuzu-store.ts';
import { describeIssues } from './util/describe-issues.ts';

export interface OpenOptions {
  /** The database file, made with its folder if it is missing; `:memory:` keeps nothing. */
  readonly path: string;
  /** Turns texts into vectors. Default: feature hashing, 256 numbers, nothing to download. */
  readonly embedder?: Embedder;
  /** Reads entities and facts from turns. Default: the local tier's. */
  readonly extractor?: Extractor;
  /** Page cache of the database, in MB, at least 512 (less fails at some tens of thousands of turns). Default 512. */
  readonly bufferPoolMb?: number;
  readonly clock?: () => Milliseconds;
  readonly newId?: () => string;
  /** Default: warnings go to standard error. */
  readonly logger?: Logger;
}

const openSchema = z.strictObject({
  path: z.string().trim().min(1),
  bufferPoolMb: z.number().int().min(512).max(65_536).optional(),
  embedder: z.unknown().optional(),
  extractor: z.unknown().optional(),
  clock: z.unknown().optional(),
  newId: z.unknown().optional(),
  logger: z.unknown().optional(),
});

/** Names are never folded: two that differ are two memories. */
const scopeSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name === name.trim() && name.isWellFormed());

/** One memory file and everything that works on it. One engine a file: a second open says who has it. */
export class Mnemis {
  readonly #context: EngineContext;
  readonly #scopes = new Map<string, MemoryScope>();
  #closing: Promise<void> | null = null;

  private constructor(context: EngineContext) {
    this.#context = context;
  }

  /**
   * @throws DatabaseLockedError, DatabaseCorruptError, SchemaTooNewError, EmbeddingMismatchError: the file is
   *   left as it was.
   */
  static async open(options: OpenOptions): Promise<Mnemis> {
    const embedder = options.embedder ?? new HashingEmbedder({ analyze });
    const store = await openStore(options);
    try {
      await checkFingerprint(store, embedder);
    } catch (error) {
      await store.close();
      throw error;
    }
    return new Mnemis({
      store,
      embedder,
      extractor: options.extractor ?? new LocalExtractor(),
      clock: options.clock ?? Date.now,
      newId: options.newId ?? v7,
      logger: options.logger ?? { warn: (message) => process.emitWarning(message, 'MnemisWarning') },
      snapshotFolder: options.path === ':memory:' ? null : `${store.describe().path}.indexes`,
    });
  }

  /** The memory of one user, agent or project. The same name is the same memory. */
  scope(name: string): MemoryScope {
    if (this.#closing !== null) throw new StoreClosedError();
    const parsed = scopeSchema.safeParse(name);
    if (!parsed.success)
      throw new InvalidInputError(
        'A scope’s name must have 1 to 200 characters, none of them white space at its ends or half a surrogate pair',
      );
    const known = this.#scopes.get(parsed.data);
    if (known !== undefined) return known;
    const scope = new MemoryScope(parsed.data as Scope, this.#context);
    this.#scopes.set(parsed.data, scope);
    return scope;
  }

  /** Scopes that hold something. */
  async scopes(): Promise<readonly string[]> {
    return this.#context.store.scopes();
  }

  describe(): StoreDescription {
    return this.#context.store.describe();
  }

  /** Waits for work under way, saves the indexes and frees the file. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    try {
      for (const scope of this.#scopes.values()) await scope.flush();
    } finally {
      await this.#context.store.close();
    }
  }
}

async function openStore(options: OpenOptions): Promise<GraphStore> {
  const parsed = openSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(`Mnemis.open cannot use these options: ${describeIssues(parsed.error)}`);
  const { path, bufferPoolMb } = parsed.data;
  if (path === ':memory:') return new InMemoryStore();
  await makeFolder(dirname(resolve(path)));
  const pool = bufferPoolMb === undefined ? {} : { bufferPoolBytes: bufferPoolMb * 2 ** 20 };
  return new CachedStore(await KuzuStore.open({ path: resolve(path), ...pool }));
}

/** A new memory takes the embedder's fingerprint; an old one must have been made with it. */
async function checkFingerprint(store: GraphStore, { fingerprint }: Embedder): Promise<void> {
  const found = store.describe().fingerprint;
  if (found === null) return store.setFingerprint(fingerprint);
  if (found.model === fingerprint.model && found.dimension === fingerprint.dimension) return;
  throw new EmbeddingMismatchError(
    `${found.model}@${found.dimension}`,
    `${fingerprint.model}@${fingerprint.dimension}`,
  );
}

/** Folder by folder: the recursive mkdir of Node.js spins for ever where nothing can be made, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  const reason = await mkdir(folder, { mode: 0o700 }).then(
    () => null,
    (cause: NodeJS.ErrnoException) => cause.code ?? 'unknown',
  );
  if (reason === null) return;
  if (reason === 'ENOENT' && dirname(folder) !== folder && !existsSync(dirname(folder))) {
    await makeFolder(dirname(folder));
    return makeFolder(folder);
  }
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new InvalidInputError(`The folder ${folder} cannot be made (${reason}); choose another path`);
}

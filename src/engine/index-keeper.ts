import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../model/ids.ts';
import { ScopeIndex } from '../search/scope-index.ts';
import { scopeIndexFromSections, scopeIndexSections } from '../search/scope-index-sections.ts';
import { readSnapshot, removeSnapshot, writeSnapshot } from '../search/snapshot.ts';
import type { EngineContext } from './engine-context.ts';

/** Raise it when an index of the same graph would come out otherwise (analyzer, layout). */
const INDEX_VERSION = 1;
/** With more rows gone than this share, the next open had better rebuild. */
const TOO_MANY_GONE = 0.25;

/** The search index of one scope: loaded when first asked for, from its snapshot or from the graph. */
export class IndexKeeper {
  readonly #scope: Scope;
  readonly #context: EngineContext;
  #index: ScopeIndex | null = null;
  /** Stamp of the snapshot on disk, if it is of this graph. */
  #snapshotOf: string | null = null;

  constructor(scope: Scope, context: EngineContext) {
    this.#scope = scope;
    this.#context = context;
  }

  /** Not to be called while a commit of the scope is under way. */
  async load(): Promise<ScopeIndex> {
    this.#index ??= (await this.#fromSnapshot()) ?? (await this.#fromGraph());
    return this.#index;
  }

  /** Writes the snapshot if it is stale. A failure is only reported: the graph holds everything. */
  async save(): Promise<void> {
    const path = this.#path();
    if (this.#index === null || path === null || tooManyGone(this.#index)) return;
    const stamp = await this.#stamp();
    if (stamp === this.#snapshotOf) return;
    try {
      await mkdir(this.#context.snapshotFolder!, { recursive: true, mode: 0o700 });
      await writeSnapshot(path, stamp, scopeIndexSections(this.#index));
      this.#snapshotOf = stamp;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (typeof code !== 'string') throw error;
      this.#context.logger.warn(`The index snapshot was not written (${code}); the next open rebuilds it.`);
    }
  }

  async #fromSnapshot(): Promise<ScopeIndex | null> {
    const path = this.#path();
    if (path === null) return null;
    const stamp = await this.#stamp();
    const { snapshot } = await readSnapshot(path, stamp);
    const index = snapshot && scopeIndexFromSections(this.#dimension(), snapshot.sections);
    if (index) this.#snapshotOf = stamp;
    // Words of another time, and what interrupted writes left. If it fails, so will writing, and that is reported.
    else await removeSnapshot(path).catch(() => undefined);
    return index;
  }

  async #fromGraph(): Promise<ScopeIndex> {
    const { store } = this.#context;
    return ScopeIndex.load(this.#dimension(), {
      rows: (kind, fields) => store.scan(this.#scope, kind, fields),
      relationships: (kind) => store.relationships(this.#scope, kind),
    });
  }

  #dimension(): number {
    return this.#context.embedder.fingerprint.dimension;
  }

  /** The commit that an index follows. The token tells it from another of its number, made after a backup came back. */
  async #stamp(): Promise<string> {
    const { databaseId, schemaVersion } = this.#context.store.describe();
    const { model, dimension } = this.#context.embedder.fingerprint;
    const { sequence, token } = await this.#context.store.state(this.#scope);
    const commit = [databaseId, schemaVersion, this.#scope, sequence, token];
    return JSON.stringify([INDEX_VERSION, ...commit, model, dimension]);
  }

  /** Scope names may hold anything, so the file is named by their hash. */
  #path(): string | null {
    const name = createHash('sha256').update(this.#scope).digest('hex').slice(0, 32);
    const { snapshotFolder } = this.#context;
    return snapshotFolder === null ? null : join(snapshotFolder, `${name}.index`);
  }
}

function tooManyGone({ episodes, facts }: ScopeIndex): boolean {
  const rows = episodes.length + facts.length;
  const live = episodes.conversation.size + facts.lexical.size;
  return rows > 1_000 && live < (1 - TOO_MANY_GONE) * rows;
}

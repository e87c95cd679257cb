import { wordsAlone } from '../../inference/embedder/embedding-switch.ts';
import type { Embedder } from '../../inference/embedder.ts';
import type { LanguageModel } from '../../inference/language-model.ts';
import type { Reranker } from '../../inference/reranker.ts';
import { graphSource } from '../../ingest/graph-source.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import type { SearchContext } from '../../retrieve/route.ts';
import { ScopeIndex } from '../../search/scope-index.ts';
import type { EngineContext } from '../engine-context.ts';
import { type GraphReader, KnownThen } from './known-then.ts';

/** The memory that a question is answered from: the current one, or one as of a system time. */
export interface MemoryView {
  readonly scope: Scope;
  readonly index: ScopeIndex;
  /** Searches the scope where its index is slim. */
  readonly search?: SearchContext['search'];
  readonly store: GraphReader;
  readonly embedder: Embedder;
  readonly languageModel?: LanguageModel | undefined;
  readonly reranker?: Reranker | undefined;
  readonly onDefect?: SearchContext['onDefect'];
}

interface Kept {
  /** Identifies the time, the commit and the embedder of the view. */
  readonly key: string;
  readonly view: MemoryView;
}

/** An unused index of a past time is dropped after this many milliseconds. */
const KEPT_FOR = 5 * 60_000;

/**
 * Indexes of a scope as of system times, each loaded from the graph. The last one is kept until it is unused for a
 * while or the scope is written.
 */
export class KnownIndexes {
  readonly #scope: Scope;
  readonly #context: Pick<EngineContext, 'store' | 'embedding'>;
  #kept: Kept | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(scope: Scope, context: Pick<EngineContext, 'store' | 'embedding'>) {
    this.#scope = scope;
    this.#context = context;
  }

  /** Must not run during a commit of the scope. */
  async load(at: Milliseconds): Promise<MemoryView> {
    const key = await this.#keyOf(at);
    if (this.#kept?.key !== key) {
      this.drop();
      this.#kept = { key, view: await this.#viewOf(at) };
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.drop(), KEPT_FOR).unref();
    return this.#kept.view;
  }

  /** Drops the kept index; also part of forgetting, because the index contains text. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#kept = null;
  }

  async #keyOf(at: Milliseconds): Promise<string> {
    const { sequence, token } = await this.#context.store.state(this.#scope);
    const { embedder, comparesVectors } = this.#context.embedding.current;
    return JSON.stringify([at, sequence, token, embedder.fingerprint, comparesVectors]);
  }

  async #viewOf(at: Milliseconds): Promise<MemoryView> {
    const { store, embedding } = this.#context;
    const scope = this.#scope;
    const { embedder, comparesVectors } = embedding.current;
    const then = await KnownThen.read({ store, scope }, at);
    const source = then.source(graphSource(store, scope, embedding.current));
    const index = await ScopeIndex.load(embedder.fingerprint.dimension, source);
    return { scope, index, store: then, embedder: comparesVectors ? embedder : wordsAlone(embedder) };
  }
}

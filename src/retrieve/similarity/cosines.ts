import type { ScopeIndex } from '../../search/scope-index.ts';
import type { SearchedKind } from '../route-settings.ts';

/** The cosines of all rows with one question, by kind and ordinal: each kind is compared once for all that read it. */
export class Cosines {
  readonly #index: ScopeIndex;
  readonly #queryVector: Float32Array;
  readonly #known = new Map<SearchedKind, Float32Array>();

  /** @param queryVector All zero when the question has no features. */
  constructor(index: ScopeIndex, queryVector: Float32Array) {
    this.#index = index;
    this.#queryVector = queryVector;
  }

  /** Shared with other readers: copy it before you change it. */
  of(kind: SearchedKind): Float32Array {
    const known = this.#known.get(kind);
    if (known !== undefined) return known;
    const { vectors, length } = rowsOf(this.#index, kind);
    const cosines = vectors.cosines(this.#queryVector, length);
    this.#known.set(kind, cosines);
    return cosines;
  }
}

function rowsOf({ episodes, facts, entities }: ScopeIndex, kind: SearchedKind) {
  return { episode: episodes, fact: facts, entity: entities.profiles }[kind];
}

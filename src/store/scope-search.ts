import type { Episode, NodeKind } from '../model/nodes.ts';

/** Kinds of rows whose vectors a store can compare. */
export type VectorKind = Extract<NodeKind, 'episode' | 'fact'>;

/** Rows to search among, by id; null for all. The store compares them one by one, so it is for few. */
export type Among = readonly string[] | null;

/** A row with its inner product with a query. */
export interface ScoredRow {
  readonly id: string;
  /** Of the vector in half precision. */
  readonly score: number;
}

export interface FoundVector extends ScoredRow {
  /** As it is stored, of the best rows; null for the others. */
  readonly vector: Float32Array | null;
}

/** How often a turn has a term. */
export interface WordCount {
  readonly term: string;
  readonly statements: number;
  readonly questions: number;
}

export interface FoundWords {
  /** Number of live turns with each term; terms that none has are left out. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** Turns with at least one of the rarer terms, each with every one of the terms that it has. */
  readonly turns: readonly { readonly id: string; readonly words: readonly WordCount[] }[];
}

/** What ranking reads of every turn's text. */
export interface TurnMeasures {
  readonly id: string;
  /** Terms with repetitions. */
  readonly length: number;
  /** Whether the turn ends with a question, mentions a time, and has a name or a title: 1, 2 and 4. */
  readonly signs: number;
  /** The times that the turn mentions, in milliseconds; `end` is not included. */
  readonly times: readonly { readonly start: number; readonly end: number }[];
}

/**
 * Searches the live rows of one scope inside the store, for scopes whose vectors and words are too many to hold in
 * memory. Nothing is cached: each call sees every commit before it, also those of other processes.
 */
export interface ScopeSearch {
  /** The `most` rows with the greatest inner products with the query, the best `exact` ones with their vectors, in no order: nearly always those, and among few
   * rows exactly those. */
  nearest(
    kind: VectorKind,
    query: Float32Array,
    options: { readonly most: number; readonly exact: number; readonly among: Among },
  ): Promise<readonly FoundVector[]>;
  /** Rows by id with their scores; without those that have no vector. */
  scores(kind: VectorKind, query: Float32Array, ids: readonly string[]): Promise<readonly ScoredRow[]>;
  /**
   * The turns with words of a question. Where more than `most` turns have one, it gives those of `among` with the rarest
   * and with most of the words, and leaves out others.
   */
  words(
    terms: readonly string[],
    options: { readonly most: number; readonly among: Among },
  ): Promise<FoundWords>;
  /** Number of live turns with each term; terms that none has are left out. */
  frequencies(terms: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The measures of all live turns, in batches. */
  measures(): AsyncIterable<readonly TurnMeasures[]>;
  /** Number of live turns that have every term. */
  turnsWithAll(terms: readonly string[]): Promise<number>;
  /** Terms of live turns that a typing error may turn into one of the words, in the same form: with their beginning. */
  similar(words: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface OpenedSearch {
  /** Null for a scope that is held in memory. */
  readonly search: ScopeSearch | null;
  /** Why a scope that is too large to hold has to be held all the same. */
  readonly missing: string | null;
}

/** Of a scope that is small enough, and of every scope in a store that searches none. */
export const HELD_IN_MEMORY: OpenedSearch = { search: null, missing: null };

/** The terms of a turn with their counts, and its measures, by the analysis that the indexes in memory use. */
export type ReadTurnWords = (turn: Pick<Episode, 'content' | 'attachments' | 'validAt'>) => Omit<
  TurnMeasures,
  'id'
> & {
  readonly statements: ReadonlyMap<string, number>;
  readonly questions: ReadonlyMap<string, number>;
};

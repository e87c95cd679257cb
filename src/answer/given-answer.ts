import type { Answer } from '../model/retrieved-item.ts';

/** Said whenever memory does not suffice, always in these words. */
export const NOT_ENOUGH = 'There is not enough in memory to answer this.';

export const ANSWERERS = ['local', 'llm'] as const;
/** `local` quotes memory; `llm` has a language model read it. */
export type Answerer = (typeof ANSWERERS)[number];

/** An answer, and how it came about. */
export interface GivenAnswer extends Answer {
  readonly answerer: Answerer;
  /** How sure it is, or would be if it were given, from 0 to 1; null where a model answers, which does not say. */
  readonly confidence: number | null;
  /** What a reader should know of how it came about, in words of our own. */
  readonly notes: readonly string[];
}

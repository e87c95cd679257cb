/** The paper gives no bound for equal names; with the shipped vectors, names above this one have the same words. */
export const LEAST_VARIANT_COSINE = 0.95;

/**
 * A bare name means an established bearer: one with at least this many sessions, and this many times as many as any
 * other.
 */
export const SESSIONS_OF_ESTABLISHED = 3;

/** Names whose vectors are less similar are no candidates. */
export const LEAST_NAME_COSINE = 0.6;

/** docs/papers.md §1.1: the maximum number of candidates by words, and by name vectors that are close enough. */
export const MOST_BY_WORDS = 10;
export const MOST_BY_VECTOR = 10;
/** Candidates whose name begins with the same letters. */
export const MOST_NICKNAMES = 10;

/** A later statement cannot undo a merge, so a merge needs more than an even chance. */
export const LEAST_MERGE_CONFIDENCE = 0.7;

/** Candidates that a model is shown for each name. */
export const MOST_CANDIDATES = 4;
/** A model is asked about names that are nearer than this, even if they share no word. */
export const LEAST_LIKELY_COSINE = 0.8;
/** Names that a model judges in one call. */
export const ENTITIES_PER_CALL = 24;

/** When waiting turns are looked at. */
export interface BufferLimits {
  /** Minimum gap between the times of two turns that counts as a pause, in milliseconds. */
  readonly pause: number;
  /** Maximum number of tokens in the buffer, as `estimateTokens` counts them. */
  readonly tokens: number;
}

/** When waiting turns are cut into units (GAM Algorithm 2): a pause of half an hour, or 2,048 tokens. */
export const BUFFER_LIMITS: BufferLimits = { pause: 30 * 60_000, tokens: 2_048 };

/**
 * When a language model looks for the topics of a session that is over and known as a whole: a trigger on the way would
 * only cost another call for the turns that it leaves.
 */
export const WHOLE_SESSION_LIMITS: BufferLimits = { pause: Number.POSITIVE_INFINITY, tokens: 4_096 };

/** A single turn is no topic, because there is nothing that it could differ from. */
export const FEWEST_TURNS = 2;

/** Turns before and after a boundary whose vectors are compared. */
export const WINDOW_TURNS = 3;
/** A boundary is cut where the similarity is this many standard deviations below the mean. */
export const DEVIATIONS = 0.5;

/** Least confidence of a relation between segments: τ of GAM §3.3. */
export const LEAST_RELATION_CONFIDENCE = 0.6;

/** Earlier segments that are compared with a new one (docs/papers.md §3.3). */
export const MOST_RELATED_CANDIDATES = 5;

/** The segments of a session share a call: they have many candidates in common, which are shown once. */
export const SEGMENTS_PER_CALL = 6;

/** Turns of a unit where a profile cuts by length, not by topic. */
export const TURNS_PER_UNIT = 32;

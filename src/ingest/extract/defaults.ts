/** Facts with less confidence fail the check. */
export const LEAST_FACT_CONFIDENCE = 0.5;

/** Segments are read in one call up to this number of tokens, so that the prompt's rules are paid for once. */
export const TOKENS_PER_CALL = 1_500;
/** A rest of at most this many tokens joins the call before it. */
export const TOKENS_OF_REST = 500;

/** Facts that a model's reply may give for one turn. */
export const MAX_FACTS_PER_TURN = 12;

/** Maximum number of facts per turn; a long turn has this many per section that it begins. */
export const MOST_LOCAL_FACTS_PER_TURN = 12;

/**
 * How much of one turn the local tier reads for entities, facts and its summary: up to this number of characters, and
 * of sentences or lines with words. About 25 pages of prose are read whole. The rest is stored and searchable, and
 * the outcome of `add` reports where reading ends.
 */
export const LONGEST_READ = 60_000;
export const MOST_SENTENCES_READ = 1_500;

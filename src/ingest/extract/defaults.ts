/** Facts with less confidence fail the check. */
export const LEAST_FACT_CONFIDENCE = 0.5;

/**
 * Statements of the local tier with less worth are no facts; their turns stay searchable
 * (docs/decisions/2026-11-29-worth-words.md).
 */
export const LEAST_WORTH = 7;
/** From this worth on a person's own statement is a fact even if it does not read alone (`lackOf`): a date and names. */
export const LEAST_WORTH_UNWHOLE = 30;

/** Segments are read in one call up to this number of tokens, so that the prompt's rules are paid for once. */
export const TOKENS_PER_CALL = 1_500;
/** A rest of at most this many tokens joins the call before it. */
export const TOKENS_OF_REST = 500;

/**
 * Least share of the content words of a model's statement that the turns which it cites, or the turns just before, have
 * in some inflection. Chosen on LoCoMo's observations (docs/decisions/2026-11-29-grounded-facts.md): it keeps 98 % of
 * those, whose wording is a model's own, and 7 % of what was noted of other conversations.
 */
export const LEAST_WORDS_SAID = 0.25;
/** How many turns before a cited one explain it: a question is before its answer, "it" is named before. */
export const TURNS_THAT_EXPLAIN = 2;

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

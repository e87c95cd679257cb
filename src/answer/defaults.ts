/** The least confidence for an answer; `mnemis eval answers` prints the trade-off. */
export const ENOUGH_CONFIDENCE = 0.4;

/** Minimum score of a further quote, as a share of the best quote's. */
export const NEARLY_AS_GOOD = 0.72;
/** Quotes of an answer; an enumeration may have more. */
export const MOST_QUOTES = 3;
export const MOST_ENUMERATED = 8;

/** Bonus for a high rank in the search. */
export const RANK_SHARE = 0.25;
/** Bonus for the newest of the found turns. */
export const NEWNESS_SHARE = 0.3;
/** Bonus for a sentence with a date, when the question asks when. */
export const DATED_SHARE = 0.2;

/** Bonus for a fact that has ended, when the question asks about the past. */
export const ENDED_SHARE = 0.3;

/** Tokens of memory that an answer prompt holds at most. */
export const CONTEXT_TOKENS = 4_000;
/**
 * Found turns that it may hold: of a question that asks for one thing, and of one that asks for all of a kind, whose
 * evidence is spread (docs/decisions/2026-11-24-context-by-budget.md).
 */
export const CONTEXT_TURNS = 35;
export const CONTEXT_TURNS_OF_ALL = 60;

/** Share of the tokens that turns take before facts and entities do; what these leave goes to turns again. */
export const TURNS_SHARE = 0.8;
/** Facts and entities in a context: the model cites the first few. */
export const MOST_FACTS = 12;
export const MOST_ENTITIES = 5;
/** Best turns that are shown at length, and the characters of these and of the others. */
export const CLOSE_READ = 5;
export const LONGEST_CLOSE_TURN = 1_500;
export const LONGEST_FURTHER_TURN = 500;

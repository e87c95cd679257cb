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

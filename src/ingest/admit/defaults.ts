/** Maximum confidence of facts that only low-trust turns support. */
export const LOW_TRUST_CONFIDENCE = 0.4;

/** Shorter sentences are too common; they count only next to a longer recalled one. */
export const FEWEST_RECALLED_WORDS = 4;

/** Never-remember rules of a memory, and characters of one. */
export const MOST_RULES = 200;
export const LONGEST_RULE = 200;

/** The least confidence for an answer; `mnemis eval answers` prints the trade-off. */
export const ENOUGH_CONFIDENCE = 0.4;

/** The least confidence where a conclusion is asked for: quotes that only resemble it mislead. */
export const CONCLUSION_CONFIDENCE = 0.55;

/** The least confidence where a statement of the one who is asked about says all that is asked. */
export const PLAIN_CONFIDENCE = 0.6;

/** Quotes of an answer; an enumeration may have more. */
export const MOST_QUOTES = 3;
export const MOST_ENUMERATED = 8;
/** Of an enumeration: minimum coverage of a further quote, as a share of the best quote's. */
export const NEARLY_AS_GOOD = 0.72;
/** Found turns beside a quote's own that its passage shows. */
export const MOST_BESIDE = 3;
/** Of these: minimum coverage, with the context, as a share of the quote's. */
export const BESIDE_COVERAGE = 0.4;
/** Quotes are added until one of them has the answer with this chance. */
export const ENOUGH_CHANCE = 0.9;
/** Log-odds within which a further quote counts as one as good: it is added, and leads if only it has what is asked for. */
export const AS_GOOD = 1;
/** Log-odds that a further quote may stay below the best one. */
export const WORSE_BY = 4;
/** Minimum coverage, with the context, of a further quote: one that shares nothing with the question adds nothing. */
export const LEAST_COVERAGE = 0.1;
/** Coverage of a quote that has all that is asked for, and the minimum of others beside it. */
export const COMPLETE = 0.95;
export const BESIDE_COMPLETE = 0.2;
/** Coverage of a statement that decides a question for yes or no, or is counted. */
export const DECISIVE_COVERAGE = 0.78;

/** Quotes that cover nearly as much as the best one count as equal to it. */
export const EQUAL_COVERAGE = 0.95;

/**
 * Log-odds that the answer comes from the turn of a quote: a logistic regression over the quotes of the development
 * split's first three conversations, rounded. The place in the search says most, so that quotes follow the ranking;
 * the rest chooses the sentence in the turn.
 */
export const QUOTE_WEIGHTS = {
  base: -7,
  places: { rank: 3.1, strength: 1.2, factRank: 0.3 },
  /** What an assistant says, where a question is not for it: advice and guesses resemble what was told. */
  advice: -1,
  weights: {
    coverage: 1,
    coverageAround: 1,
    missing: -1.2,
    fit: 0.3,
    news: 0.6,
    length: 0.5,
    reaction: -0.6,
    reply: -0.8,
    asked: 1.2,
    caption: -0.5,
    own: 1.2,
    others: 0,
  },
} as const;

/** Log-odds for the time of a quote: the newest of those that cover as much, and an ended one if the past is asked. */
export const TIME_WEIGHTS = { newness: 1, ended: 2, ruledOut: 4 } as const;

/** How the evidence for an answer is pooled; chosen on LoCoMo (development), BEAM and own questions together. */
export const CONFIDENCE = {
  /** Factor of the premise's log-odds. */
  premise: 5,
  /** Log-odds of the premise that count at most: it can refute an answer, and proves none. */
  mostAgreement: 0.2,
  /** Where a question names all speakers, so that there is no premise. */
  allNamed: 1.2,
  base: -0.15,
  /** A quote whose context covers less counts in proportion. */
  enoughCoverage: 0.4,
} as const;

/** Statements of what happened in a talk; they say little of a person. */
export const GENERIC_STATEMENT =
  /\b(?:shared?|sent|showed?) (?:an?|the|some|this) (?:photo|picture|image|video)|\b(?:thinks?|hopes?|wishes|wonders?|asks?|asked|agrees?|thanks?|is (?:glad|happy|sorry|excited|proud)|feels?)\b/i;

/** Tokens of memory that an answer prompt holds at most. */
export const CONTEXT_TOKENS = 4_000;
/** Ranked turns that compete for them; docs/decisions/2026-11-29-context-filled.md has the measurements. */
export const CONTEXT_TURNS = 150;

/** Share of the tokens that turns take before facts and entities do; what these leave goes to turns again. */
export const TURNS_SHARE = 0.9;
/** Facts in a context, those among them without a date, and entities: the model cites the first few. */
export const MOST_FACTS = 8;
export const MOST_UNDATED = 3;
export const MOST_ENTITIES = 5;

/** Characters of a turn that are shown, by its rank. */
export interface TurnCuts {
  readonly close: number;
  readonly near: number;
  readonly far: number;
  /** The share of these for an assistant's turn. */
  readonly assistant: number;
}
/** Last ranks of the close and the near turns. */
export const CLOSE_READ = { close: 3, near: 20 } as const;
/** From few turns to many: the first with which all turns fit is used. */
export const TURN_CUTS: readonly TurnCuts[] = [
  { close: 1_500, near: 1_000, far: 500, assistant: 1 },
  { close: 1_500, near: 500, far: 300, assistant: 1 },
  { close: 600, near: 200, far: 110, assistant: 0.5 },
];
/** Fewest characters of an excerpt. */
export const LEAST_CUT = 90;
/** Times by which an assistant's turn stands further back than its rank. */
export const ASSISTANT_AFTER = 2;

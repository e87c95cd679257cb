/** How sure an answer to a question was, and whether memory holds one. */
export interface JudgedConfidence {
  /** From 0 to 1. */
  readonly confidence: number;
  /** The gold has an answer; otherwise the right thing is to abstain. */
  readonly answerable: boolean;
}

/** What a threshold comes to: shares in percent with 2 decimals, null where there is no such question. */
export interface AbstentionPoint {
  readonly threshold: number;
  /** Of the questions that have an answer, those that would be answered. */
  readonly answered: number | null;
  /** Of the questions that have none, those that would not be. */
  readonly abstained: number | null;
}

const STEPS = 20;

/** The whole trade-off: thresholds from 0 to 1 in steps of 0.05. */
export function abstentionCurve(judged: readonly JudgedConfidence[]): AbstentionPoint[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => abstentionAt(judged, step / STEPS));
}

export function abstentionAt(judged: readonly JudgedConfidence[], threshold: number): AbstentionPoint {
  const share = (answerable: boolean, counts: (confidence: number) => boolean) => {
    const asked = judged.filter((each) => each.answerable === answerable);
    const found = asked.filter(({ confidence }) => counts(confidence)).length;
    return asked.length === 0 ? null : Math.round((10_000 * found) / asked.length) / 100;
  };
  return {
    threshold,
    answered: share(true, (confidence) => confidence >= threshold),
    abstained: share(false, (confidence) => confidence < threshold),
  };
}

/**
 * How often a question that has an answer is surer of it than one that has none, in percent (the area under the
 * curve); 50 is chance. Null where one of the two kinds is missing.
 */
export function separation(judged: readonly JudgedConfidence[]): number | null {
  const [having, lacking] = [true, false].map((answerable) =>
    judged.filter((each) => each.answerable === answerable).map(({ confidence }) => confidence),
  ) as [number[], number[]];
  if (having.length === 0 || lacking.length === 0) return null;
  let won = 0;
  for (const sure of having) for (const other of lacking) won += sure > other ? 1 : sure === other ? 0.5 : 0;
  return Math.round((10_000 * won) / (having.length * lacking.length)) / 100;
}

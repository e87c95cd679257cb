import { NEUTRAL } from './premise/premise-agreement.ts';

/** Nothing is certain: neither part may settle it alone. */
const NEARLY = 0.02;
/** Agreement is the mean of what six turns say, the three best of either side, so it counts as six times heard. */
const TIMES_HEARD = 6;

/**
 * How sure an answer is, from 0 to 1: its coverage of the question, pooled with what speaks for the question's premise
 * as independent evidence is, by adding log-odds. Where nothing speaks for or against the premise, it is the coverage.
 */
export function answerConfidence({
  coverage,
  agreement = NEUTRAL,
}: {
  readonly coverage: number;
  readonly agreement?: number | undefined;
}): number {
  if (coverage <= 0) return 0;
  return 1 / (1 + Math.exp(-(logOdds(coverage) + TIMES_HEARD * logOdds(agreement))));
}

function logOdds(share: number): number {
  const bounded = Math.min(1 - NEARLY, Math.max(NEARLY, share));
  return Math.log(bounded / (1 - bounded));
}

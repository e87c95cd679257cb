import { percentile, round } from './numbers.ts';
import { randomNumbers } from './random-numbers.ts';

/** A mean of shares in percent, to 2 decimals, with its bootstrap interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** How `estimateOf` makes intervals. */
export const INTERVALS = { percent: 95, resamples: 1_000, seed: 1 } as const;

/**
 * The mean of shares from 0 to 1, with the percentile interval of a bootstrap that draws whole groups with replacement:
 * questions about one conversation depend on each other. A single group is divided into its shares. Rows of equally
 * long groups are drawn alike, since the seed is fixed. Null without a share.
 */
export function estimateOf(groups: readonly (readonly number[])[]): Estimate | null {
  const filled = groups.filter((group) => group.length > 0);
  const drawn = filled.length === 1 ? filled[0]!.map((share) => [share]) : filled;
  if (drawn.length === 0) return null;
  const parts = drawn.map((group) => ({ sum: sumOf(group), count: group.length }));
  const random = randomNumbers(INTERVALS.seed);
  const means = Array.from({ length: INTERVALS.resamples }, () =>
    meanOf(parts.map(() => parts[Math.floor(random() * parts.length)]!)),
  );
  const tail = (100 - INTERVALS.percent) / 2;
  const [low, high] = [percentile(means, tail)!, percentile(means, 100 - tail)!];
  return { mean: round(meanOf(parts)), low: round(low), high: round(high) };
}

/** The normal deviate of `INTERVALS.percent`. */
const DEVIATE = 1.96;

/** The share of independent trials that hit, with Wilson's interval, which is honest at 0 and 100 %. Null without a trial. */
export function shareOf(hits: number, trials: number): Estimate | null {
  if (trials === 0) return null;
  const share = hits / trials;
  const square = DEVIATE ** 2 / trials;
  const centre = share + square / 2;
  const half = Math.sqrt(square * (share * (1 - share) + square / 4));
  const [low, high] = [(centre - half) / (1 + square), (centre + half) / (1 + square)];
  return { mean: round(100 * share), low: round(100 * low), high: round(100 * high) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function meanOf(parts: readonly { readonly sum: number; readonly count: number }[]): number {
  return (100 * sumOf(parts.map(({ sum }) => sum))) / sumOf(parts.map(({ count }) => count));
}

import type { Milliseconds } from './ids.ts';

export const TIME_PRECISIONS = ['instant', 'day', 'week', 'month', 'season', 'year', 'span'] as const;
export type TimePrecision = (typeof TIME_PRECISIONS)[number];

/**
 * What an expression such as "last year" denotes: a half-open interval [start, end) in UTC, how exact it is,
 * and the words it was read from.
 */
export interface TimeInterval {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
  readonly precision: TimePrecision;
  readonly text: string;
}

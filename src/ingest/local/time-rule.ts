import type { Milliseconds } from '../../model/ids.ts';
import type { Tense } from './tense.ts';
import type { Interval } from './time-math.ts';

export interface TimeContext {
  readonly reference: Milliseconds;
  readonly tense: Tense;
  /** The whole text and where the match lies, for rules that look around. */
  readonly before: string;
  readonly after: string;
}

export interface TimeRule {
  readonly pattern: RegExp;
  /** Whether the words mean nothing without the time they were said at. */
  readonly relative: boolean;
  readonly resolve: (match: RegExpExecArray, context: TimeContext) => Interval | null;
}

export function relative(source: string, resolve: TimeRule['resolve']): TimeRule {
  return { pattern: new RegExp(source, 'gi'), relative: true, resolve };
}

export function absolute(source: string, resolve: TimeRule['resolve']): TimeRule {
  return { pattern: new RegExp(source, 'gi'), relative: false, resolve };
}

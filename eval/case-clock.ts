import type { Milliseconds } from '../src/model/ids.ts';
import { parseTimestamp } from '../src/util/parse-timestamp.ts';
import type { EvaluationCase } from './datasets/dataset.ts';

/** Between the last turn of a conversation and the questions about it. */
const AFTERWARDS = 60_000;

/**
 * The clock of an engine under evaluation: questions are asked when their conversation has ended, as its people would
 * ask them. Pass `now` to `Mnemis.open`. Before it is first set, it is the system's clock.
 */
export class CaseClock {
  #time: Milliseconds | null = null;

  /** The time of the questions. */
  readonly now = (): Milliseconds => this.#time ?? Date.now();

  /** Sets the time until the next call. */
  set(time: Milliseconds): void {
    this.#time = time;
  }
}

/** A minute after the newest turn of a case. */
export function endOf({ turns }: EvaluationCase): Milliseconds {
  return turns.reduce((newest, { at }) => Math.max(newest, parseTimestamp(at ?? '') ?? 0), 0) + AFTERWARDS;
}

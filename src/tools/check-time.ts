import { InvalidInputError } from '../errors/index.ts';
import { timeText } from '../model/time-input.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';

/** An argument with a time, which `checkTimes` reads. */
export const timeInput = timeText.optional();

/**
 * Checks times under the names of the tool's arguments, because the engine would name its own options.
 *
 * @throws InvalidInputError for a text that is not a time.
 */
export function checkTimes(times: Readonly<Record<string, string | undefined>>): void {
  for (const [name, time] of Object.entries(times))
    if (time !== undefined && parseTimestamp(time) === null)
      throw new InvalidInputError(`${name} is not a time; give a date such as 2026-03-01, or leave it out`);
}

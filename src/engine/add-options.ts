import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import type { CallOptions } from '../model/call-options.ts';
import { type TurnDefaults, turnInputSchema } from '../model/turn-input.ts';
import { describeIssues } from '../util/describe-issues.ts';

/** What `add` uses for every turn of the call that does not say it, and how to cancel. */
export interface AddOptions extends CallOptions, TurnDefaults {}

// The other values are checked with the turns.
const anything = z.unknown().optional();
const optionsSchema = z.strictObject({
  speaker: turnInputSchema.shape.speaker,
  ...{ session: anything, role: anything, at: anything },
  ...{ trust: anything, source: anything, metadata: anything, signal: anything },
});

/** @throws InvalidInputError for an unknown option. */
export function readAddOptions(options: AddOptions): AddOptions {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return options;
  const known = Object.keys(optionsSchema.shape);
  throw new InvalidInputError(
    `The options of add are not valid: ${describeIssues(parsed.error, known, { namesKeys: true })}`,
  );
}

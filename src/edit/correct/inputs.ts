import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { type Admission, admitText } from '../../ingest/admit/admission.ts';
import { describeRule } from '../../ingest/admit/never-remember.ts';
import {
  authorSchema,
  correctionListingSchema,
  factEditSchema,
  profileEditSchema,
  rowId,
  splitOffSchema,
} from '../../model/correction-input.ts';
import { timeInputSchema } from '../../model/time-input.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';

const time = timeInputSchema.transform((input, context) => {
  const at = parseTimestamp(input);
  if (at !== null) return at;
  context.addIssue('is not a time; give a Date, milliseconds, or text such as "2023-05-08"');
  return z.NEVER;
});

/** Schemas of `model/correction-input`, with defaults filled in and times parsed. */
export const correctionInputs = {
  id: rowId,
  options: z.strictObject({ author: authorSchema.default('user') }),
  factPatch: factEditSchema.extend({ validAt: time.optional(), invalidAt: time.nullable().optional() }),
  profilePatch: profileEditSchema,
  split: splitOffSchema.extend({
    episodes: splitOffSchema.shape.episodes.default([]),
    facts: splitOffSchema.shape.facts.default([]),
  }),
  listing: correctionListingSchema.extend({ limit: correctionListingSchema.shape.limit.default(50) }),
} as const;

/** @throws InvalidInputError that names the invalid fields, never their text. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(`${what} is not valid: ${describeIssues(parsed.error)}`);
}

/** Returns the text as it may be stored. @throws InvalidInputError when a retention rule forbids storing it. */
export function admitted(text: string, admission: Admission): string {
  const broken = admission.neverRemember?.([text]) ?? null;
  if (broken !== null) throw new InvalidInputError(describeRule(broken));
  return admitText(text.toWellFormed(), admission);
}

import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { type Admission, admitText } from '../../ingest/admit/admission.ts';
import { describeRule } from '../../ingest/admit/never-remember.ts';
import type { TimeInput } from '../../search/look-back.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';

const id = z.string().min(1).max(200);
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_SPACE = /[^\P{Cc}\t\n\r]/u;
/** On one line. */
const words = z
  .string()
  .trim()
  .refine((text) => !CONTROL.test(text), 'has control characters');
const prose = z
  .string()
  .trim()
  .refine((text) => !CONTROL_BUT_SPACE.test(text), 'has control characters');
const name = words.min(1).max(300);
const time = z.union([z.date(), z.number(), z.string().min(1).max(100)]).transform((input, context) => {
  const at = parseTimestamp(input);
  if (at !== null) return at;
  context.addIssue('is not a time; give a Date, milliseconds, or text such as "2023-05-08"');
  return z.NEVER;
});
/** At most three words (docs/design.md, "The graph"). */
const tag = words
  .min(1)
  .max(60)
  .refine((text) => text.split(/\s+/).length <= 3, 'has more than three words');

const options = z.strictObject({ author: words.min(1).max(200).default('user') });
const factPatch = z.strictObject({
  statement: prose.min(1).max(10_000).optional(),
  relation: words.max(300).optional(),
  validAt: time.optional(),
  invalidAt: time.nullable().optional(),
  confidence: z.number().min(0).max(1).optional(),
});
const profilePatch = z.strictObject({
  name: name.optional(),
  aliases: z.array(name).max(20).optional(),
  summary: prose.max(2_000).optional(),
  tags: z.array(tag).max(5).optional(),
});
const split = z.strictObject({
  name,
  episodes: z.array(id).max(10_000).default([]),
  facts: z.array(id).max(10_000).default([]),
});
const listing = z.strictObject({
  limit: z.number().int().min(1).max(500).default(50),
  before: id.optional(),
});

export const correctionInputs = {
  id,
  options,
  factPatch,
  profilePatch,
  split,
  listing,
} as const;

/** Who stands behind a correction: kept with it, and told in histories and by `changes`. */
export interface CorrectionOptions {
  /** Who corrects, from 1 to 200 characters. Default "user". */
  readonly author?: string | undefined;
}

/** What is known better of a fact; what is left out stays. */
export interface FactEdit {
  readonly statement?: string | undefined;
  /** The relation's words. */
  readonly relation?: string | undefined;
  readonly validAt?: TimeInput | undefined;
  /** Null: it has not ended. */
  readonly invalidAt?: TimeInput | null | undefined;
  /** From 0 to 1. */
  readonly confidence?: number | undefined;
}

/** What is known better of an entity; what is left out goes on being written by memory. */
export interface ProfileEdit {
  readonly name?: string | undefined;
  /** All of them: others are taken away. Left out, a former name becomes one. */
  readonly aliases?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  /** At most 5, of at most 3 words each. */
  readonly tags?: readonly string[] | undefined;
}

/** The entity that is split off: its name, and which mentions (by turn) and facts are its. */
export interface SplitOff {
  readonly name: string;
  readonly episodes?: readonly string[] | undefined;
  readonly facts?: readonly string[] | undefined;
}

/** Which corrections `Corrections.list` gives; they come newest first. */
export interface CorrectionListing {
  /** From 1 to 500. Default 50. */
  readonly limit?: number | undefined;
  /** The id of a correction: those made before it. */
  readonly before?: string | undefined;
}

/** @throws InvalidInputError that names what does not fit, never its text. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(`${what} is not valid: ${describeIssues(parsed.error)}`);
}

/** A text as it may be stored. @throws InvalidInputError when a rule forbids to remember it. */
export function admitted(text: string, admission: Admission): string {
  const broken = admission.neverRemember?.([text]) ?? null;
  if (broken !== null) throw new InvalidInputError(describeRule(broken));
  return admitText(text.toWellFormed(), admission);
}

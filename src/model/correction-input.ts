import { z } from 'zod';
import { options } from './options.ts';
import { type TimeInput, timeInputSchema } from './time-input.ts';

/** The author of a correction: stored with it and reported in histories and by `changes`. */
export interface CorrectionOptions {
  /** The author's name, from 1 to 200 characters. Default "user". */
  readonly author?: string | undefined;
}

/** An edit of a fact; omitted fields keep their values. */
export interface FactEdit {
  readonly statement?: string | undefined;
  /** The relation's words. */
  readonly relation?: string | undefined;
  readonly validAt?: TimeInput | undefined;
  /** Null means that it still holds. */
  readonly invalidAt?: TimeInput | null | undefined;
  /** From 0 to 1. */
  readonly confidence?: number | undefined;
}

/** An edit of an entity's profile; memory keeps updating the omitted fields. */
export interface ProfileEdit {
  readonly name?: string | undefined;
  /** The complete list: aliases not in it are removed. If omitted, a replaced name becomes an alias. */
  readonly aliases?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  /** At most 5 tags of at most 3 words. */
  readonly tags?: readonly string[] | undefined;
}

/** The entity to split off: its name, and the mentions (by turn) and facts that belong to it. */
export interface SplitOff {
  readonly name: string;
  readonly episodes?: readonly string[] | undefined;
  readonly facts?: readonly string[] | undefined;
}

/** Which corrections `Corrections.list` returns, newest first. */
export interface CorrectionListing {
  /** From 1 to 500. Default 50. */
  readonly limit?: number | undefined;
  /** The id of a correction: returns only those made before it. */
  readonly before?: string | undefined;
}

const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_SPACE = /[^\P{Cc}\t\n\r]/u;
/** One line of text. */
const words = z
  .string()
  .trim()
  .refine((text) => !CONTROL.test(text), 'has control characters');
const prose = z
  .string()
  .trim()
  .refine((text) => !CONTROL_BUT_SPACE.test(text), 'has control characters');
const name = words.min(1).max(300);
/** At most three words. */
const tag = words
  .min(1)
  .max(60)
  .refine((text) => text.split(/\s+/).length <= 3, 'has more than three words');

/** The id of a fact, an entity, a turn or a correction. */
export const rowId = z.string().min(1).max(500);
/** Who requests the change, for the record. */
export const authorSchema = words.min(1).max(200);
export const factEditSchema = z.strictObject({
  statement: prose.min(1).max(10_000).optional(),
  relation: words.max(300).optional(),
  validAt: timeInputSchema.optional(),
  invalidAt: timeInputSchema.nullable().optional(),
  confidence: z.number().min(0).max(1).optional(),
});
export const profileEditSchema = z.strictObject({
  name: name.optional(),
  aliases: z.array(name).max(20).optional(),
  summary: prose.max(2_000).optional(),
  tags: z.array(tag).max(5).optional(),
});
export const splitOffSchema = z.strictObject({
  name,
  episodes: z.array(rowId).max(10_000).optional(),
  facts: z.array(rowId).max(10_000).optional(),
});
export const correctionListingSchema = z.strictObject({
  limit: options.pageLimit.optional(),
  before: rowId.optional(),
});

/** A correction of any kind as clients send it; it refers to rows by id. */
export const correctionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('edit-fact'), fact: rowId, patch: factEditSchema }),
  z.strictObject({ kind: z.literal('reject-fact'), fact: rowId }),
  z.strictObject({ kind: z.literal('pin-fact'), fact: rowId }),
  z.strictObject({ kind: z.literal('edit-profile'), entity: rowId, patch: profileEditSchema }),
  z.strictObject({ kind: z.literal('merge-entities'), keep: rowId, merged: rowId }),
  splitOffSchema.extend({ kind: z.literal('split-entity'), entity: rowId }),
  z.strictObject({ kind: z.literal('keep-apart'), entities: z.tuple([rowId, rowId]) }),
  z.strictObject({ kind: z.literal('undo'), correction: rowId }),
]);
export type CorrectionInput = z.input<typeof correctionSchema>;

import { z } from 'zod';
import { type TimeInput, timeInputSchema } from './time-input.ts';

/** Who stands behind a correction: kept with it, and reported in histories and by `changes`. */
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
/** At most three words. */
const tag = words
  .min(1)
  .max(60)
  .refine((text) => text.split(/\s+/).length <= 3, 'has more than three words');

/** Of a fact, an entity, a turn or a correction. */
export const rowId = z.string().min(1).max(500);
/** Who wants a change, for the record. */
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
  limit: z.number().int().min(1).max(500).optional(),
  before: rowId.optional(),
});

/** A correction of any kind as a client asks for it; everything in it is named by id. */
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

import { z } from 'zod';

const name = z.string().trim().min(1).max(300);
/** One line, without line breaks, terminal escape sequences or marks that change the reading direction. */
const entityName = z
  .string()
  .transform((text) => text.replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu, ' '))
  .pipe(name);

/** A turn that supports a fact: the keys that `add` was given, or the id that `add` returned. */
export const evidenceSchema = z.union([
  z.strictObject({ id: z.string().min(1) }),
  z.strictObject({ session: name, index: z.number().int().nonnegative() }),
  z.strictObject({ source: name.default('api'), sourceId: name }),
]);

/** Input of `addFacts`: a statement that the caller extracted, with the turns that support it. */
export const factInputSchema = z.strictObject({
  statement: z.string().trim().min(1).max(10_000),
  subject: entityName.optional(),
  relation: z.string().trim().max(300).default(''),
  object: entityName.optional(),
  participants: z.array(entityName).max(50).default([]),
  /** When the fact began to hold; default: the time of its first piece of evidence. */
  validAt: z.union([z.date(), z.number().int(), z.string().min(1).max(100)]).optional(),
  invalidAt: z.union([z.date(), z.number().int(), z.string().min(1).max(100)]).optional(),
  confidence: z.number().min(0).max(1).default(1),
  evidence: z.array(evidenceSchema).min(1).max(100),
});

/**
 * A statement for `addFacts`: only `statement` and `evidence` are required. With subject, relation and object it
 * becomes a relation, else a proposition about every name it lists. The statement may have 10,000 characters, the
 * relation and each name 300.
 */
export type FactInput = z.input<typeof factInputSchema>;

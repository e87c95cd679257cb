import { z } from 'zod';
import { ROLES, TRUST_LEVELS } from './nodes.ts';

/** Maximum length of a stored turn, in UTF-16 code units. A longer turn is rejected with this reason. */
export const MAX_CONTENT_LENGTH = 250_000;

const shortText = z.string().trim().min(1).max(500);

/**
 * Input of `add`, and a line of a JSONL import. Only `content` and `at` are required.
 *
 * Turns with equal `source` and `sourceId`, else with equal `session` and `index`, are the same turn: with the same
 * content it is already known, with other content it becomes a new version.
 */
export const turnInputSchema = z.strictObject({
  content: z.string().max(MAX_CONTENT_LENGTH, `is longer than ${MAX_CONTENT_LENGTH} characters; split it`),
  /** When it was said: a Date, milliseconds since 1970, or ISO 8601 text; without a zone it is UTC. */
  at: z.union([z.date(), z.number().int(), shortText]),
  speaker: shortText.optional(),
  role: z.enum(ROLES).default('user'),
  /** How far its words may be acted on; default: `low` for tool output, else `normal`. */
  trust: z.enum(TRUST_LEVELS).optional(),
  session: shortText.default('main'),
  /** Position in the session from 0; default: after the last known turn. */
  index: z.number().int().nonnegative().max(1e9).optional(),
  source: shortText.default('api'),
  sourceId: shortText.optional(),
  attachments: z
    .array(
      z.strictObject({
        kind: shortText,
        description: z.string().max(20_000),
        uri: z.string().max(2_000).optional(),
      }),
    )
    .max(100)
    .default([]),
});

/** A turn as callers write it. `speaker` defaults to the role; empty content is accepted only with an attachment. */
export type TurnInput = z.input<typeof turnInputSchema>;
export type Turn = z.output<typeof turnInputSchema>;

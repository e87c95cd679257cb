import { z } from 'zod';

/** The field of a conversation's first turn that holds the title which its source gave the conversation. */
export const CONVERSATION_TITLE = 'conversationTitle';

/** Limit of one turn's metadata, as JSON. */
const MOST_CHARACTERS = 10_000;

const value = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.string(), z.number()])),
]);

/**
 * What a program keeps with a turn and filters searches by: names with plain values or lists of them. It is stored
 * and returned, and never read for facts or shown to a model.
 */
export const turnMetadataSchema = z
  .record(z.string().min(1).max(100), value)
  .refine((fields) => JSON.stringify(fields).length <= MOST_CHARACTERS, {
    message: `is longer than ${MOST_CHARACTERS} characters as JSON`,
  });
/** Metadata of a turn: by name a text, a number, true or false, null, or a list of texts and numbers. */
export type TurnMetadata = Readonly<z.output<typeof turnMetadataSchema>>;

import { z } from 'zod';
import { MAX_CONTENT_LENGTH } from '../model/turn-input.ts';

/** An entry of a transcript: one line of the file that Claude Code writes. Other fields are kept as they are. */
export interface TranscriptEntry {
  type: string;
  uuid?: string;
  /** ISO 8601. */
  timestamp?: string;
  [field: string]: unknown;
}

const entrySchema = z.looseObject({
  type: z.string(),
  uuid: z.string().min(1).optional(),
  timestamp: z.string().optional(),
});
/** The entries of an append, and of a stored text. */
export const entriesSchema = z.array(entrySchema) as z.ZodType<TranscriptEntry[]>;

const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
const flag = z.literal(false).nullish();
const saidSchema = z.looseObject({
  type: z.enum(['user', 'assistant']),
  message: z.looseObject({ content: z.union([z.string(), z.array(z.unknown())]) }),
  // Words of a program, or of the model to itself.
  ...{ isSidechain: flag, isMeta: flag, isCompactSummary: flag, isApiErrorMessage: flag },
});
/** Commands, their output and notes, which the program writes into the user's messages. */
const OF_PROGRAM = /^\s*<(?:command|local-command|bash|system|task|user-memory)-/;

/** What the user or the assistant said in an entry of a main transcript; null if it is none of their words. */
export function saidIn(
  entry: TranscriptEntry,
): { readonly role: 'user' | 'assistant'; readonly content: string } | null {
  const parsed = saidSchema.safeParse(entry);
  if (!parsed.success) return null;
  const { type: role, message } = parsed.data;
  const blocks = typeof message.content === 'string' ? [message.content] : message.content.flatMap(textOf);
  const content = blocks.filter((text) => !OF_PROGRAM.test(text)).join('\n\n');
  return content.trim() === '' ? null : { role, content: content.slice(0, MAX_CONTENT_LENGTH) };
}

function textOf(block: unknown): readonly string[] {
  const parsed = textBlock.safeParse(block);
  return parsed.success ? [parsed.data.text] : [];
}

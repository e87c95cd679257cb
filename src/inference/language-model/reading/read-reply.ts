import type { z } from 'zod';
import type { ChatReply } from '../backends/chat-backend.ts';
import { accept } from './accept.ts';
import { readJson } from './read-json.ts';
import type { ReplyShape } from './reply-shape.ts';

export type ReplyReading<Output> =
  | { readonly fits: true; readonly value: Output; readonly truncated: boolean }
  | {
      readonly fits: false;
      readonly issues: readonly string[];
      /** Syntax: it cannot be read as JSON; content: it can, and does not fit; nothing: there is no JSON in it. */
      readonly fault: 'nothing' | 'syntax' | 'content';
    };

/** Reads a reply by the schema: the first of its readings that fits. */
export function readReply<Output>(
  schema: z.ZodType<Output>,
  reply: ChatReply,
  shape: ReplyShape,
): ReplyReading<Output> {
  const { toolArguments, text } = reply;
  const readings =
    typeof toolArguments === 'object'
      ? [{ value: toolArguments, truncated: false }]
      : readJson(toolArguments ?? text);
  let issues: readonly string[] | undefined;
  for (const reading of readings) {
    const accepted = accept(schema, reading, shape);
    if (accepted.fits) return { ...accepted, truncated: reading.truncated };
    issues ??= accepted.issues;
  }
  if (issues !== undefined) return { fits: false, issues, fault: 'content' };
  const fault = /[{[]/.test(String(toolArguments ?? text)) ? 'syntax' : 'nothing';
  return { fits: false, issues: [fault === 'syntax' ? 'it is no valid JSON' : 'it has no JSON'], fault };
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../../src/util/parse-json.ts';

/** The end of a transcript, which holds the last message: transcripts grow to hundreds of megabytes. */
const READ_BYTES = 1024 * 1024;

const message = z
  .object({ role: z.string().optional(), content: z.unknown().optional() })
  .optional()
  .catch(undefined);
/** A line of the transcript of Claude Code (`message`), of Codex (`payload`), or of Cursor (role beside `message`). */
const lineSchema = z.object({
  role: z.string().optional().catch(undefined),
  message,
  payload: message,
  isSidechain: z.boolean().optional().catch(undefined),
});
const partsSchema = z.array(z.object({ text: z.string().optional().catch(undefined) }));

/** The agent's last message, if it came after the user's last one; else empty. An unreadable file has none. */
export function lastReply(file: string): string {
  for (const line of endOf(file).split('\n').reverse()) {
    const read = parseJson(line);
    const { data: found } = lineSchema.safeParse(read.ok ? read.value : null);
    if (found === undefined || found.isSidechain === true) continue;
    const said = found.message ?? found.payload;
    const role = found.role ?? said?.role;
    const text = textOf(said?.content);
    if (text === '') continue; // calls of tools and their results
    if (role === 'assistant') return text;
    if (role === 'user') return '';
  }
  return '';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  const parts = partsSchema.safeParse(content).data ?? [];
  return parts
    .flatMap(({ text }) => text ?? [])
    .join('\n')
    .trim();
}

function endOf(path: string): string {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, READ_BYTES));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8');
  } catch {
    return '';
  } finally {
    if (file !== null) closeSync(file);
  }
}

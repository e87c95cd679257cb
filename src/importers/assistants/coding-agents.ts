import { z } from 'zod';
import { textOfContent } from '../../model/messages/message-blocks.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { FileSample, ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { idSchema } from '../json/json-format.ts';
import { type JsonLine, jsonLines } from '../json-lines.ts';
import { type SaidChat, type SaidMessage, saidRecords } from '../said.ts';

const text = z.string().nullish().catch(null);
const NO_MESSAGE = 'a record of the program, which is no message';
const NOTE = 'a note of the program to its model';

/** What one line of a transcript says of its session, with its message if it has one. */
interface TranscriptLine {
  readonly session?: string | null | undefined;
  readonly folder?: string | null | undefined;
  readonly message?: Omit<SaidMessage, 'where'> | undefined;
  readonly leftOut?: string | undefined;
}

interface TranscriptFormat {
  readonly source: string;
  readonly assistant: string;
  read(line: JsonLine): TranscriptLine | string;
}

/** A transcript of a coding agent: a file of JSON lines for each session. Its title is the folder it worked in. */
async function* transcriptRecords(
  { source, assistant, read }: TranscriptFormat,
  file: ImportFile,
  context: ReadContext,
): AsyncGenerator<ImportRecord> {
  let session = file.name.replace(/^.*\//, '').replace(/\.jsonl$/i, '');
  let folder: string | undefined;
  const messages: SaidMessage[] = [];
  for await (const line of jsonLines(file, context)) {
    const found = line.kind === 'rejected' ? line.reason : read(line);
    if (typeof found === 'string') yield rejected(line.where, found);
    else {
      session = found.session ?? session;
      folder ??= found.folder?.split(/[/\\]/).findLast((name) => name !== '');
      if (found.message === undefined) context.leftOut(line.where, found.leftOut ?? NO_MESSAGE);
      else messages.push({ ...found.message, where: line.where, leftOut: found.leftOut });
    }
  }
  const chat: SaidChat = { source, id: session, title: folder, assistant };
  yield* saidRecords(messages, chat, { where: file.name, context, nearTime: file.modifiedAt });
}

function transcriptImporter(
  format: TranscriptFormat & Pick<ChatFormat, 'description' | 'recognize' | 'wanted'>,
) {
  const { source: name, description, recognize, wanted } = format;
  const records: ChatFormat['records'] = (file, context) => transcriptRecords(format, file, context);
  return chatImporter({ name, description, wanted, recognize, records });
}

/** What Claude Code puts into a message beside the person's words. */
const TAGGED =
  /<(system-reminder|command-name|command-message|command-args|local-command-stdout|local-command-stderr|local-command-caveat|ide_opened_file|ide_selection|task-notification)>[\s\S]*?(?:<\/\1>|$)/g;
const INTERRUPTED = /^\[Request interrupted by user[^\]]*\]$/;

const claudeLineSchema = z.object({
  type: z.string(),
  uuid: text,
  sessionId: text,
  cwd: text,
  timestamp: z.unknown().optional(),
  isSidechain: z.boolean().nullish().catch(null),
  isMeta: z.boolean().nullish().catch(null),
  isCompactSummary: z.boolean().nullish().catch(null),
  message: z.object({ role: z.string(), content: z.unknown() }).nullish().catch(null),
});

export const claudeCodeImporter = transcriptImporter({
  source: 'claude-code',
  assistant: 'Claude',
  description: 'Claude Code: transcripts (JSON lines), one or a folder such as ~/.claude/projects',
  wanted: isJsonl,
  recognize: ({ text }: FileSample) =>
    /^\{.*"sessionId":\s?"/m.test(text) && /"(?:parentUuid|leafUuid|isSidechain)":/.test(text)
      ? 'its lines have the "sessionId" of Claude Code'
      : null,
  read: ({ value, number }) => {
    const { data, error } = claudeLineSchema.safeParse(value);
    if (data === undefined) return describeIssues(error);
    const { type, sessionId: session, cwd: folder, message, uuid, timestamp: time } = data;
    if ((type !== 'user' && type !== 'assistant') || message == null) return { session, folder };
    const content =
      typeof message.content === 'string' ? withoutTags(message.content) : taglessBlocks(message.content);
    const id = uuid ?? `line-${number}`;
    // A resumed session repeats its messages in another file.
    const said = { id, sourceId: id, role: message.role, content, time };
    return { session, folder, message: said, leftOut: leftOutOf(data) };
  },
});

function leftOutOf(line: z.output<typeof claudeLineSchema>): string | undefined {
  if (line.isSidechain) return 'the work of a sub-agent';
  if (line.isCompactSummary) return 'a summary of what was said before';
  return line.isMeta ? NOTE : undefined;
}

const withoutTags = (said: string) => {
  const words = said.replace(TAGGED, '').trim();
  return INTERRUPTED.test(words) ? '' : words;
};

function taglessBlocks(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) => {
    const spoken = z.looseObject({ type: z.literal('text'), text: z.string() }).safeParse(block);
    return spoken.success ? { ...spoken.data, text: withoutTags(spoken.data.text) } : block;
  });
}

/** What Codex puts before the person's first words. */
const CONTEXT =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|turn_aborted|skill|user_shell_command)\b|# AGENTS\.md instructions)/;

const codexItemSchema = z.object({
  type: text,
  role: text,
  id: text,
  cwd: text,
  content: z.unknown().optional(),
});
const codexLineSchema = z.object({
  type: text,
  timestamp: z.unknown().optional(),
  id: idSchema.nullish().catch(null),
  payload: codexItemSchema.nullish().catch(null),
});

export const codexImporter = transcriptImporter({
  source: 'codex',
  assistant: 'Codex',
  description: 'Codex: transcripts (rollout-….jsonl), one or a folder such as ~/.codex/sessions',
  wanted: isJsonl,
  recognize: ({ text }: FileSample) =>
    /^\{.*"type":\s?"session_meta"/m.test(text) || /^\{.*"type":\s?"response_item".*"payload":/m.test(text)
      ? 'its lines are the records of a session of Codex'
      : null,
  read: ({ value, number }) => {
    const { data, error } = codexLineSchema.safeParse(value);
    if (data === undefined) return describeIssues(error);
    const { type, payload, timestamp: time } = data;
    if (type === 'session_meta') return { session: payload?.id, folder: payload?.cwd };
    const { role, content } = payload ?? {};
    if (type !== 'response_item' || payload?.type !== 'message' || role == null) return {};
    const leftOut = role === 'user' && CONTEXT.test(textOfContent(content)) ? NOTE : undefined;
    return { message: { id: payload.id ?? `line-${number}`, role, content, time }, leftOut };
  },
});

function isJsonl(name: string): boolean {
  return /\.jsonl$/i.test(name);
}

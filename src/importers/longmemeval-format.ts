import { z } from 'zod';
import { describeIssues } from '../util/describe-issues.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { type ImportRecord, rejected, turnRecord } from './importer.ts';
import {
  type Entry,
  idSchema,
  type JsonFormat,
  type RecordOptions,
  secondsAfter,
} from './json/json-format.ts';
import { UniqueNames } from './unique-names.ts';

export const LONGMEMEVAL_SOURCE = 'longmemeval';

/** A question with its haystack. Sessions and turns are checked one by one, so here they are unknown. */
const itemSchema = z.object({
  question_id: idSchema.optional(),
  haystack_sessions: z.array(z.unknown()),
  haystack_session_ids: z.array(z.unknown()).default([]),
  haystack_dates: z.array(z.unknown()),
  question: z.unknown().optional(),
  question_type: z.unknown().optional(),
  question_date: z.unknown().optional(),
  answer: z.unknown().optional(),
  answer_session_ids: z.unknown().optional(),
});
export type LongMemEvalItem = z.output<typeof itemSchema>;

const turnSchema = z.object({
  role: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['user', 'assistant', 'system'])),
  content: z.string(),
});
const evidenceMarkSchema = z.object({ has_answer: z.literal(true) });

export const longMemEvalQuestionSchema = z.object({
  question: z.string().trim().min(1),
  question_type: z.string().trim().min(1).default('unknown'),
  question_date: z.string().nullish(),
  answer: z.union([z.string(), z.number(), z.boolean()]).transform(String).nullish(),
  answer_session_ids: z.array(idSchema).nullish(),
});

export const longMemEvalFormat: JsonFormat<LongMemEvalItem> = {
  name: 'longmemeval',
  description: 'LongMemEval: questions, each with its haystack of dated chat sessions (JSON)',
  noun: 'question',
  tellingKey: 'haystack_sessions',
  schema: itemSchema,
  idOf: (item) => item.question_id,
  records: itemRecords,
};

/** A session of the haystack, before its turns are checked. */
export interface HaystackSession {
  /** Unique within the item, unlike `originalId`: haystacks repeat sessions. */
  readonly id: string;
  readonly originalId: string;
  readonly position: number;
  readonly turns: unknown;
  readonly date: unknown;
}

export function haystackSessions(item: LongMemEvalItem): HaystackSession[] {
  const names = new UniqueNames();
  return item.haystack_sessions.map((turns, position) => {
    const id = idSchema.safeParse(item.haystack_session_ids[position]);
    const originalId = id.success ? id.data : `session_${position + 1}`;
    return { id: names.take(originalId), originalId, position, turns, date: item.haystack_dates[position] };
  });
}

export function haystackSourceId(entryId: string, session: HaystackSession, index: number): string {
  return `${entryId}/${session.id}:${index}`;
}

export function isEvidence(turn: unknown): boolean {
  return evidenceMarkSchema.safeParse(turn).success;
}

function* itemRecords(entry: Entry<LongMemEvalItem>, options: RecordOptions): Generator<ImportRecord> {
  for (const session of haystackSessions(entry.data)) yield* sessionRecords(entry, session, options);
}

function* sessionRecords(
  entry: Entry<LongMemEvalItem>,
  session: HaystackSession,
  { prefixed }: RecordOptions,
): Generator<ImportRecord> {
  const where = `${entry.where}, session ${session.position + 1}`;
  const { date, turns } = session;
  const start = typeof date === 'string' ? parseTimestamp(date) : null;
  if (!Array.isArray(turns)) yield rejected(where, 'is not a list of turns');
  else if (start === null)
    yield rejected(where, `its date is not a time; its ${turns.length} turns are left out`);
  else {
    const name = prefixed ? `${entry.id}/${session.id}` : session.id;
    for (const [index, raw] of turns.entries()) {
      const sourceId = haystackSourceId(entry.id, session, index);
      const given = { session: name, index, at: secondsAfter(start, index), sourceId };
      yield readTurn(raw, `${where}, turn ${index + 1}`, given);
    }
  }
}

function readTurn(raw: unknown, where: string, given: object): ImportRecord {
  const parsed = turnSchema.safeParse(raw);
  if (!parsed.success) return rejected(where, describeIssues(parsed.error));
  const { content, role } = parsed.data;
  return turnRecord({ ...given, content, role, speaker: role, source: LONGMEMEVAL_SOURCE }, { where });
}

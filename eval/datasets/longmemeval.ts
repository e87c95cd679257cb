import { z } from 'zod';
import { type ImportRecord, rejected, turnRecord } from '../../src/importers/importer.ts';
import {
  type Entry,
  idSchema,
  type JsonFormat,
  jsonImporter,
  type RecordOptions,
  secondsAfter,
} from '../../src/importers/json/json-format.ts';
import { UniqueNames } from '../../src/importers/unique-names.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import { parseTimestamp } from '../../src/util/parse-timestamp.ts';
import {
  caseOfQuestion,
  type DatasetOptions,
  type EvaluationDataset,
  type EvaluationQuestion,
  readCases,
  sourceIdsOf,
} from './dataset.ts';

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
  identifyingKey: 'haystack_sessions',
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

export const longMemEvalImporter = jsonImporter(longMemEvalFormat);

/** One question with its haystack is one case. Evidence is the turns marked `has_answer`. */
export function readLongMemEvalDataset(
  path: string,
  options: DatasetOptions = {},
): Promise<EvaluationDataset> {
  return readCases(longMemEvalFormat, path, {
    ...options,
    build: caseOfQuestion(longMemEvalFormat, longMemEvalQuestionSchema, toQuestion),
  });
}

function toQuestion(
  entry: Entry<LongMemEvalItem>,
  written: z.output<typeof longMemEvalQuestionSchema>,
  turns: readonly TurnInput[],
): EvaluationQuestion {
  const askedAt = written.question_date ? parseTimestamp(written.question_date) : null;
  const unanswerable = entry.id.replace(/#\d+$/, '').endsWith('_abs');
  return {
    id: entry.id,
    text: written.question,
    category: written.question_type,
    ...(askedAt === null ? {} : { askedAt }),
    answer: unanswerable ? null : (written.answer ?? null),
    ...(unanswerable && written.answer ? { explanation: written.answer } : {}),
    // As in the benchmark's own retrieval figures: unanswerable questions have no evidence.
    evidenceTurns: unanswerable ? [] : evidenceTurns(entry, turns),
    evidenceSessions: unanswerable
      ? []
      : evidenceSessions(entry.data, written.answer_session_ids ?? [], turns),
  };
}

function evidenceTurns(entry: Entry<LongMemEvalItem>, turns: readonly TurnInput[]): string[] {
  const known = sourceIdsOf(turns);
  return haystackSessions(entry.data)
    .flatMap((session) =>
      markedTurns(session.turns).map((index) => haystackSourceId(entry.id, session, index)),
    )
    .filter((id) => known.has(id));
}

function markedTurns(turns: unknown): number[] {
  return Array.isArray(turns) ? turns.flatMap((turn, index) => (isEvidence(turn) ? [index] : [])) : [];
}

/** Includes every copy of a repeated session; excludes sessions without a stored turn, which cannot be found. */
function evidenceSessions(
  item: LongMemEvalItem,
  answerIds: readonly string[],
  turns: readonly TurnInput[],
): string[] {
  const stored = new Set(turns.map((turn) => turn.session));
  return haystackSessions(item)
    .filter((session) => answerIds.includes(session.originalId) && stored.has(session.id))
    .map((session) => session.id);
}

import type { z } from 'zod';
import { type RejectedRecord, rejected } from '../../importers/importer.ts';
import type { Entry } from '../../importers/json/json-format.ts';
import {
  haystackSessions,
  haystackSourceId,
  isEvidence,
  type LongMemEvalItem,
  longMemEvalFormat,
  longMemEvalQuestionSchema,
} from '../../importers/longmemeval-format.ts';
import type { TurnInput } from '../../model/turn-input.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import {
  type DatasetOptions,
  type EvaluationCase,
  type EvaluationDataset,
  type EvaluationQuestion,
  keepTurns,
  sourceIdsOf,
} from './evaluation-dataset.ts';
import { readCases } from './read-cases.ts';

/** One question with its haystack is one case. Evidence is the turns marked `has_answer`. */
export function readLongMemEvalDataset(
  path: string,
  options: DatasetOptions = {},
): Promise<EvaluationDataset> {
  return readCases(longMemEvalFormat, path, { ...options, build: buildCase });
}

function buildCase(entry: Entry<LongMemEvalItem>, rejections: RejectedRecord[]): EvaluationCase | null {
  const parsed = longMemEvalQuestionSchema.safeParse(entry.data);
  if (!parsed.success) {
    rejections.push(rejected(entry.where, describeIssues(parsed.error)));
    return null;
  }
  const turns = keepTurns(longMemEvalFormat.records(entry, { prefixed: false }), rejections);
  return { scope: entry.id, turns, facts: [], questions: [toQuestion(entry, parsed.data, turns)] };
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
    answer: written.answer ?? null,
    // As the benchmark's own retrieval figures: what nothing answers has nothing to be found.
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

/** Every copy of a session that the haystack repeats; without a stored turn it cannot be found. */
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

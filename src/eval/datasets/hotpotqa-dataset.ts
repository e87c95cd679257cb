import {
  type HotpotQaItem,
  hotpotQaFormat,
  hotpotQaQuestionSchema,
} from '../../importers/hotpotqa-format.ts';
import { type RejectedRecord, rejected } from '../../importers/importer.ts';
import type { Entry } from '../../importers/json/json-format.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import {
  type DatasetOptions,
  type EvaluationCase,
  type EvaluationDataset,
  keepTurns,
  sessionsOf,
} from './evaluation-dataset.ts';
import { readCases } from './read-cases.ts';

export const HOTPOTQA_NOTE =
  'Each question has its own 10 passages: drawing passages at random gives recall@5 of 50 % and recall@10 of 100 %.';

/** One question with its passages is one case. Evidence is the passages that its supporting facts name. */
export async function readHotpotQaDataset(
  path: string,
  options: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const dataset = await readCases(hotpotQaFormat, path, { ...options, build: buildCase });
  return { ...dataset, note: HOTPOTQA_NOTE };
}

function buildCase(entry: Entry<HotpotQaItem>, rejections: RejectedRecord[]): EvaluationCase | null {
  const parsed = hotpotQaQuestionSchema.safeParse(entry.data);
  if (!parsed.success) {
    rejections.push(rejected(entry.where, describeIssues(parsed.error)));
    return null;
  }
  const turns = keepTurns(hotpotQaFormat.records(entry, { prefixed: false }), rejections);
  const { question, type, answer, supporting_facts } = parsed.data;
  const titles = new Set<string | undefined>(supporting_facts);
  const evidenceTurns = turns.flatMap((turn) => (titles.has(turn.speaker) ? (turn.sourceId ?? []) : []));
  const asked = {
    id: entry.id,
    text: question,
    category: type,
    answer: answer ?? null,
    evidenceTurns,
    evidenceSessions: sessionsOf(turns, evidenceTurns),
  };
  return { scope: entry.id, turns, facts: [], questions: [asked] };
}

import type { z } from 'zod';
import { type RejectedRecord, rejected } from '../../importers/importer.ts';
import type { Entry } from '../../importers/json/json-format.ts';
import {
  LOCOMO_SOURCE,
  type LocomoSample,
  locomoFormat,
  locomoObservationSchema,
  locomoQuestionSchema,
} from '../../importers/locomo-format.ts';
import type { FactInput } from '../../model/fact-input.ts';
import type { TurnInput } from '../../model/turn-input.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import {
  type DatasetOptions,
  type EvaluationCase,
  type EvaluationDataset,
  type EvaluationQuestion,
  keepTurns,
  sessionsOf,
  sourceIdsOf,
} from './evaluation-dataset.ts';
import { evidenceSourceIds } from './locomo-evidence.ts';
import { LocomoGold, questionKey, readLocomoGold } from './locomo-gold.ts';
import { readCases } from './read-cases.ts';

export interface LocomoOptions extends DatasetOptions {
  /** Path of an audit file whose corrections replace the official gold; left out, the official one holds. */
  readonly gold?: string;
}

/** One conversation is one case. All categories are kept (DESIGN §8.7). */
export async function readLocomoDataset(
  path: string,
  { gold: goldPath, signal }: LocomoOptions = {},
): Promise<EvaluationDataset> {
  const problems: RejectedRecord[] = [];
  const gold = goldPath === undefined ? new LocomoGold([]) : await readLocomoGold(goldPath, problems, signal);
  const dataset = await readCases(locomoFormat, path, {
    build: (entry, rejections) => buildCase(entry, gold, rejections),
    ...(signal === undefined ? {} : { signal }),
  });
  const unused = gold.unused(new Set(dataset.cases.map((each) => each.scope)));
  const unmatched = unused.map(({ where }) => rejected(where, 'the sample has no such question'));
  return { ...dataset, rejected: [...dataset.rejected, ...problems, ...unmatched] };
}

function buildCase(
  entry: Entry<LocomoSample>,
  gold: LocomoGold,
  rejections: RejectedRecord[],
): EvaluationCase {
  const turns = keepTurns(locomoFormat.records(entry, { prefixed: false }), rejections);
  const context: CaseContext = { entry, turns, known: sourceIdsOf(turns), gold, rejections };
  return { scope: entry.id, turns, facts: readFacts(context), questions: readQuestions(context) };
}

interface CaseContext {
  readonly entry: Entry<LocomoSample>;
  readonly turns: readonly TurnInput[];
  /** Their source ids. */
  readonly known: ReadonlySet<string>;
  readonly gold: LocomoGold;
  readonly rejections: RejectedRecord[];
}

type WrittenQuestion = z.output<typeof locomoQuestionSchema> & { readonly position: number };

function readQuestions(context: CaseContext): EvaluationQuestion[] {
  const written = parseQuestions(context);
  const asked = new Map<string, number>();
  for (const { question } of written)
    asked.set(questionKey(question), (asked.get(questionKey(question)) ?? 0) + 1);
  return written.map((each) => toQuestion(each, context, asked.get(questionKey(each.question)) !== 1));
}

function parseQuestions({ entry, rejections }: CaseContext): WrittenQuestion[] {
  const { qa = [] } = entry.data;
  if (!Array.isArray(qa)) {
    rejections.push(rejected(entry.where, 'qa is not a list of questions'));
    return [];
  }
  return qa.flatMap((raw, position) => {
    const parsed = locomoQuestionSchema.safeParse(raw);
    if (parsed.success) return [{ ...parsed.data, position }];
    rejections.push(rejected(`${entry.where}, question ${position + 1}`, describeIssues(parsed.error)));
    return [];
  });
}

function toQuestion(written: WrittenQuestion, context: CaseContext, repeated: boolean): EvaluationQuestion {
  const { entry, turns, known, gold } = context;
  const correction = gold.find(entry.id, written.question, { position: written.position, repeated });
  const evidence = correction?.evidence ?? written.evidence ?? [];
  const evidenceTurns = evidenceSourceIds(evidence, entry.id, known);
  return {
    id: `${entry.id}/qa${written.position}`,
    text: written.question,
    category: written.category,
    answer: correction?.answer ?? written.answer ?? null,
    evidenceTurns,
    evidenceSessions: sessionsOf(turns, evidenceTurns),
  };
}

/** `observation`: session, speaker, list of [statement, turns]. One whose turns are unknown has nothing to cite. */
function readFacts({ entry, known, rejections }: CaseContext): FactInput[] {
  const facts: FactInput[] = [];
  for (const [position, [speaker, raw]] of observationsOf(entry.data.observation).entries()) {
    const where = `${entry.where}, observation ${position + 1}`;
    const parsed = locomoObservationSchema.safeParse(raw);
    const evidence = parsed.success ? evidenceSourceIds(parsed.data[1], entry.id, known) : [];
    if (!parsed.success) rejections.push(rejected(where, describeIssues(parsed.error)));
    else if (evidence.length === 0) rejections.push(rejected(where, 'names no turn of the conversation'));
    else
      facts.push({ statement: parsed.data[0], participants: [speaker], evidence: evidence.map(toEvidence) });
  }
  return facts;
}

function toEvidence(sourceId: string) {
  return { source: LOCOMO_SOURCE, sourceId };
}

function observationsOf(observation: unknown): [speaker: string, raw: unknown][] {
  return entriesOf(observation)
    .flatMap(([, bySpeaker]) => entriesOf(bySpeaker))
    .flatMap(([speaker, list]) =>
      Array.isArray(list) ? list.map((raw): [string, unknown] => [speaker, raw]) : [],
    );
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

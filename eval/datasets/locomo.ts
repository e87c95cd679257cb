import { z } from 'zod';
import {
  type ImportRecord,
  type RejectedRecord,
  rejected,
  turnRecord,
} from '../../src/importers/importer.ts';
import {
  type Entry,
  idSchema,
  type JsonFormat,
  jsonImporter,
  type RecordOptions,
  secondsAfter,
} from '../../src/importers/json/json-format.ts';
import type { FactInput } from '../../src/model/fact-input.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import { parseTimestamp } from '../../src/util/parse-timestamp.ts';
import {
  type DatasetOptions,
  type EvaluationCase,
  type EvaluationDataset,
  type EvaluationQuestion,
  keepTurns,
  readCases,
  sessionsOf,
  sourceIdsOf,
} from './dataset.ts';
import { LocomoGold, questionKey, readLocomoGold } from './locomo-gold.ts';

export const LOCOMO_SOURCE = 'locomo';

/** As the input of `add` has it. */
const MAX_URI_LENGTH = 2_000;

const SESSION_KEY = /^session_(0|[1-9]\d{0,5})$/;

/** A conversation with its questions. Turns and questions are checked one by one, so here they are unknown. */
const sampleSchema = z.object({
  sample_id: idSchema.optional(),
  conversation: z.record(z.string(), z.unknown()),
  /** Facts that a model extracted: by session, then by speaker. */
  observation: z.unknown().optional(),
  qa: z.unknown().optional(),
});
export type LocomoSample = z.output<typeof sampleSchema>;

/** `query`, the generator's search for the picture, is ignored: nobody said it. */
const turnSchema = z.object({
  dia_id: idSchema,
  speaker: z.string(),
  text: z.string(),
  /** Where messages have times of their own. */
  date_time: z.string().nullish(),
  blip_caption: z.string().nullish(),
  img_url: z.union([z.string(), z.array(z.string())]).nullish(),
});
type LocomoTurn = z.output<typeof turnSchema>;

const evidenceSchema = z.union([z.string().transform((id) => [id]), z.array(z.string())]);

export const locomoQuestionSchema = z.object({
  question: z.string().trim().min(1),
  category: z.union([z.number(), z.string()]).transform(String),
  /** Missing in most adversarial questions; `adversarial_answer` is the trap, never the gold. */
  answer: z.union([z.string(), z.number(), z.boolean()]).transform(String).nullish(),
  evidence: evidenceSchema.nullish(),
});

/** [statement, id or ids of its turns] */
export const locomoObservationSchema = z.tuple([z.string().trim().min(1), evidenceSchema]);

export const locomoFormat: JsonFormat<LocomoSample> = {
  name: 'locomo',
  description: 'LoCoMo: conversations of two people over many dated sessions (JSON)',
  noun: 'conversation',
  identifyingKey: 'conversation.session_1',
  schema: sampleSchema,
  idOf: (sample) => sample.sample_id,
  records: sampleRecords,
};

function* sampleRecords(entry: Entry<LocomoSample>, options: RecordOptions): Generator<ImportRecord> {
  const { conversation } = entry.data;
  const numbers = sessionNumbers(conversation);
  if (numbers.length === 0) yield rejected(entry.where, 'has no sessions');
  const known = new Set<string>();
  for (const number of numbers) yield* sessionRecords({ entry, number, known, ...options });
}

function sessionNumbers(conversation: Readonly<Record<string, unknown>>): number[] {
  return Object.keys(conversation)
    .flatMap((key) => SESSION_KEY.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

interface SessionContext extends RecordOptions {
  readonly entry: Entry<LocomoSample>;
  readonly number: number;
  /** Ids of the turns read so far. */
  readonly known: Set<string>;
}

function* sessionRecords({ entry, number, known, prefixed }: SessionContext): Generator<ImportRecord> {
  const { conversation } = entry.data;
  const name = `session_${number}`;
  const where = `${entry.where}, session ${number}`;
  const turns = conversation[name];
  const date = conversation[`${name}_date_time`];
  const start = typeof date === 'string' ? parseTimestamp(date) : null;
  if (!Array.isArray(turns)) yield rejected(where, 'is not a list of turns');
  else if (start === null)
    yield rejected(where, `${name}_date_time is not a time; its ${turns.length} turns are left out`);
  else {
    const session = prefixed ? `${entry.id}/${name}` : name;
    for (const [index, raw] of turns.entries())
      yield readTurn(raw, {
        where: `${where}, turn ${index + 1}`,
        sample: entry.id,
        session,
        index,
        start,
        known,
      });
  }
}

interface TurnContext {
  readonly where: string;
  readonly sample: string;
  readonly session: string;
  readonly index: number;
  readonly start: number;
  readonly known: Set<string>;
}

function readTurn(raw: unknown, { where, sample, session, index, start, known }: TurnContext): ImportRecord {
  const parsed = turnSchema.safeParse(raw);
  if (!parsed.success) return rejected(where, describeIssues(parsed.error));
  const turn = parsed.data;
  if (known.has(turn.dia_id)) return rejected(where, 'dia_id: an earlier turn has the same');
  known.add(turn.dia_id);
  const input = {
    content: turn.text,
    speaker: turn.speaker,
    at: parseTimestamp(turn.date_time ?? '') ?? secondsAfter(start, index),
    session,
    index,
    source: LOCOMO_SOURCE,
    sourceId: `${sample}/${turn.dia_id}`,
    attachments: attachmentsOf(turn),
  };
  return turnRecord(input, { where });
}

/** Some addresses are whole pictures as data URLs: these are dropped, the turn stays. */
function isStorable(uri: string): boolean {
  return uri !== '' && uri.length <= MAX_URI_LENGTH;
}

function attachmentsOf(turn: LocomoTurn): { kind: string; description: string; uri?: string }[] {
  const description = turn.blip_caption?.trim() ?? '';
  const written = typeof turn.img_url === 'string' ? turn.img_url : turn.img_url?.[0];
  const uri = written !== undefined && isStorable(written) ? written : undefined;
  if (description === '' && uri === undefined) return [];
  return [{ kind: 'image', description, ...(uri === undefined ? {} : { uri }) }];
}

export const locomoImporter = jsonImporter(locomoFormat);

const TURN_ID = /^\(?D:?(\d+):(\d+)\)?$/i;

/**
 * Resolves written evidence to turns: splits several ids in one text, reads "D:11:26" as D11:26, and drops ids of
 * missing turns ("D", "D10:19" of a session with 16).
 *
 * `known` holds source ids, "conv-26/D3:5"; so does the answer.
 */
export function evidenceSourceIds(
  written: readonly string[],
  sample: string,
  known: ReadonlySet<string>,
): string[] {
  const ids = written
    .flatMap((text) => text.split(/[\s;,]+/))
    .flatMap(
      (token) => [token, tidy(token)].map((id) => `${sample}/${id}`).find((id) => known.has(id)) ?? [],
    );
  return [...new Set(ids)];
}

function tidy(token: string): string {
  const match = TURN_ID.exec(token);
  return match === null ? token : `D${Number(match[1])}:${Number(match[2])}`;
}

export interface LocomoOptions extends DatasetOptions {
  /** Path of an audit file whose corrections replace the official gold. Default: the official gold. */
  readonly gold?: string;
}

/** One conversation is one case. All categories are kept. */
export async function readLocomoDataset(
  path: string,
  { gold: goldPath, signal }: LocomoOptions = {},
): Promise<EvaluationDataset> {
  const problems: RejectedRecord[] = [];
  const gold = goldPath === undefined ? new LocomoGold([]) : await readLocomoGold(goldPath, problems, signal);
  const dataset = await readCases(locomoFormat, path, {
    build: (entry, rejections) => buildLocomoCase(entry, rejections, gold),
    ...(signal === undefined ? {} : { signal }),
  });
  const unused = gold.unused(new Set(dataset.cases.map((each) => each.scope)));
  const unmatched = unused.map(({ where }) => rejected(where, 'the sample has no such question'));
  return { ...dataset, rejected: [...dataset.rejected, ...problems, ...unmatched] };
}

export function buildLocomoCase(
  entry: Entry<LocomoSample>,
  rejections: RejectedRecord[],
  gold = new LocomoGold([]),
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

/**
 * `observation`: session, speaker, list of [statement, turns]. An observation of unknown turns is rejected: it has no
 * evidence.
 */
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

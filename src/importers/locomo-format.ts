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

/** `query`, what the generator searched the picture with, is left out: nobody said it (DESIGN §8.7). */
const turnSchema = z.object({
  dia_id: idSchema,
  speaker: z.string(),
  text: z.string(),
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
  tellingKey: 'conversation.session_1',
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
  /** Ids of the turns so far. */
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
    at: secondsAfter(start, index),
    session,
    index,
    source: LOCOMO_SOURCE,
    sourceId: `${sample}/${turn.dia_id}`,
    attachments: attachmentsOf(turn),
  };
  return turnRecord(input, { where });
}

/** Some addresses are whole pictures written as text: such a one is left out, the turn is not. */
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

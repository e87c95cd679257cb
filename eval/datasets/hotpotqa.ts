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
import { describeIssues } from '../../src/util/describe-issues.ts';
import {
  caseOfQuestion,
  type DatasetOptions,
  type EvaluationDataset,
  readCases,
  sessionsOf,
} from './dataset.ts';

export const HOTPOTQA_SOURCE = 'hotpotqa';

/** Passages have no time; the data set was made from Wikipedia at this date. */
export const WIKIPEDIA_DUMP = Date.UTC(2017, 9, 1);

/** Converts the two parallel lists of the Hugging Face version to the list of pairs of the official file. */
function zip(left: readonly unknown[], right: readonly unknown[]): unknown[] {
  return left.map((value, position) => [value, right[position]]);
}

const contextSchema = z.union([
  z.array(z.unknown()),
  z
    .object({ title: z.array(z.unknown()), sentences: z.array(z.unknown()) })
    .transform(({ title, sentences }) => zip(title, sentences)),
]);

/** A question with its passages. Passages are checked one by one, so here they are unknown. */
const itemSchema = z.object({
  _id: idSchema.optional(),
  id: idSchema.optional(),
  context: contextSchema,
  question: z.unknown().optional(),
  answer: z.unknown().optional(),
  type: z.unknown().optional(),
  supporting_facts: z.unknown().optional(),
});
export type HotpotQaItem = z.output<typeof itemSchema>;

const passageSchema = z.tuple([z.string().trim().min(1), z.array(z.string())]);

export const hotpotQaQuestionSchema = z.object({
  question: z.string().trim().min(1),
  answer: z.string().nullish(),
  type: z.string().trim().min(1).default('unknown'),
  /** Titles of the passages that the answer needs. */
  supporting_facts: z.union([
    z.array(z.tuple([z.string(), z.number()])).transform((facts) => facts.map(([title]) => title.trim())),
    z.object({ title: z.array(z.string()) }).transform(({ title }) => title.map((each) => each.trim())),
  ]),
});

export const hotpotQaFormat: JsonFormat<HotpotQaItem> = {
  name: 'hotpotqa',
  description: 'HotpotQA: questions, each with its Wikipedia passages (JSON)',
  noun: 'question',
  identifyingKey: 'supporting_facts',
  schema: itemSchema,
  idOf: (item) => item._id ?? item.id,
  records: itemRecords,
};

function* itemRecords(entry: Entry<HotpotQaItem>, { prefixed }: RecordOptions): Generator<ImportRecord> {
  const titles = new UniqueNames();
  for (const [position, raw] of entry.data.context.entries()) {
    const where = `${entry.where}, passage ${position + 1}`;
    const parsed = passageSchema.safeParse(raw);
    if (parsed.success)
      yield passageRecord({ entry, where, position, prefixed, titles, passage: parsed.data });
    else yield rejected(where, describeIssues(parsed.error));
  }
}

interface PassageContext extends RecordOptions {
  readonly entry: Entry<HotpotQaItem>;
  readonly where: string;
  readonly position: number;
  readonly titles: UniqueNames;
  readonly passage: z.output<typeof passageSchema>;
}

/** One passage is a session of one turn; its speaker is its title. */
function passageRecord({ entry, where, position, prefixed, titles, passage }: PassageContext): ImportRecord {
  const [title, sentences] = passage;
  const name = titles.take(title);
  const input = {
    content: sentences
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== '')
      .join(' '),
    speaker: title,
    role: 'other',
    at: secondsAfter(WIKIPEDIA_DUMP, position),
    session: prefixed ? `${entry.id}/${name}` : name,
    index: 0,
    source: HOTPOTQA_SOURCE,
    sourceId: `${entry.id}/${position}`,
  };
  return turnRecord(input, { where });
}

export const hotpotQaImporter = jsonImporter(hotpotQaFormat);

export const HOTPOTQA_NOTE =
  'Each question has its own 10 passages: drawing passages at random gives recall@5 of 50 % and recall@10 of 100 %.';

/** One question with its passages is one case. Evidence is the passages that its supporting facts name. */
export async function readHotpotQaDataset(
  path: string,
  options: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const dataset = await readCases(hotpotQaFormat, path, { ...options, build });
  return { ...dataset, note: HOTPOTQA_NOTE };
}

const build = caseOfQuestion(hotpotQaFormat, hotpotQaQuestionSchema, ({ id }, written, turns) => {
  const titles = new Set<string | undefined>(written.supporting_facts);
  const evidenceTurns = turns.flatMap((turn) => (titles.has(turn.speaker) ? (turn.sourceId ?? []) : []));
  return {
    id,
    text: written.question,
    category: written.type,
    answer: written.answer ?? null,
    evidenceTurns,
    evidenceSessions: sessionsOf(turns, evidenceTurns),
  };
});

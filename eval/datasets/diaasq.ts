import { z } from 'zod';
import {
  type ImportRecord,
  type RejectedRecord,
  rejected,
  turnRecord,
} from '../../src/importers/importer.ts';
import { type Entry, idSchema, type JsonFormat, secondsAfter } from '../../src/importers/json/json-format.ts';
import type { FactInput } from '../../src/model/fact-input.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { groupBy } from '../../src/util/collections.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import {
  type DatasetOptions,
  type EvaluationCase,
  type EvaluationDataset,
  type EvaluationQuestion,
  keepTurns,
  readCases,
  sessionsOf,
} from './dataset.ts';

export const DIAASQ_SOURCE = 'diaasq';

/** Dialogues have no time; the data set was published then. */
const PUBLISHED = Date.UTC(2022, 10, 10);

const dialogueSchema = z.object({
  doc_id: idSchema.optional(),
  /** Utterances, their tokens separated by blanks. */
  sentences: z.array(z.unknown()),
  /** Who says each, by number. */
  speakers: z.array(z.unknown()),
  triplets: z.array(z.unknown()).default([]),
});
type Dialogue = z.output<typeof dialogueSchema>;

const utteranceSchema = z.object({
  sentence: z.string().trim().min(1),
  speaker: z.number().int().nonnegative(),
});

const place = z.number().int();
/** First and last token (exclusive) of target, aspect and opinion in the dialogue, -1 without; polarity; their words. */
const quadrupleSchema = z
  .tuple([
    place,
    place,
    place,
    place,
    place,
    place,
    z.union([z.string(), z.number()]),
    z.string(),
    z.string(),
    z.string(),
  ])
  .transform(([t, _te, a, _ae, o, _oe, polarity, target, aspect, opinion]) => ({
    starts: [t, a, o],
    ...{ polarity: String(polarity), target: target.trim(), aspect: aspect.trim(), opinion: opinion.trim() },
  }))
  .refine(({ starts }) => starts.every((start) => start >= -1), 'names no place');

const POLARITY: Readonly<Record<string, string>> = {
  pos: 'positive',
  neg: 'negative',
  neu: 'neutral',
  amb: 'ambiguous',
  doubt: 'doubtful',
};

const diaasqFormat: JsonFormat<Dialogue> = {
  name: 'diaasq',
  description: 'DiaASQ: dialogues of a forum, with opinions on products (JSON)',
  noun: 'dialogue',
  identifyingKey: 'triplets',
  schema: dialogueSchema,
  idOf: ({ doc_id }) => doc_id,
  records: dialogueRecords,
};

function* dialogueRecords({
  id,
  where,
  data: { sentences, speakers },
}: Entry<Dialogue>): Generator<ImportRecord> {
  for (const [index, sentence] of sentences.entries()) {
    const spot = `${where}, utterance ${index + 1}`;
    const parsed = utteranceSchema.safeParse({ sentence, speaker: speakers[index] });
    if (!parsed.success) yield rejected(spot, describeIssues(parsed.error));
    else {
      const content = parsed.data.sentence;
      const speaker = `Speaker ${parsed.data.speaker + 1}`;
      const turn = {
        content,
        speaker,
        role: 'other',
        session: id,
        index,
        at: secondsAfter(PUBLISHED, index),
      };
      yield turnRecord({ ...turn, source: DIAASQ_SOURCE, sourceId: `${id}/${index}` }, { where: spot });
    }
  }
}

export const DIAASQ_NOTE =
  'The questions are ours, made by a rule from the annotated opinions: those of the PersonalAI paper are not published.';

/**
 * DiaASQ (arXiv 2211.05705), the JSON of its repository. A dialogue is a case, and an annotated opinion a fact with the
 * utterances of its words. A question asks what one speaker thinks of a product or of one aspect of it.
 */
export async function readDiaAsqDataset(
  path: string,
  options: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const dataset = await readCases(diaasqFormat, path, { ...options, build });
  return { ...dataset, note: DIAASQ_NOTE };
}

type Opinion = z.output<typeof quadrupleSchema> & {
  readonly speaker: string;
  /** Source ids of the utterances that hold its words. */
  readonly turns: readonly string[];
};

function build(entry: Entry<Dialogue>, rejections: RejectedRecord[]): EvaluationCase {
  const turns = keepTurns(dialogueRecords(entry), rejections);
  const opinions = opinionsOf(entry, turns, rejections);
  const asked = groupBy(opinions, ({ speaker, target, aspect }) => JSON.stringify([speaker, target, aspect]));
  const questions = [...asked.values()].map((members, position) =>
    toQuestion(members, { id: `${entry.id}/q${position + 1}`, turns }),
  );
  return { scope: entry.id, turns, facts: opinions.map(toFact), questions };
}

/** An opinion is that of the speaker who says its words. */
function opinionsOf(
  { where, id, data: { sentences, triplets } }: Entry<Dialogue>,
  turns: readonly TurnInput[],
  rejections: RejectedRecord[],
): Opinion[] {
  const ends: number[] = [];
  for (const sentence of sentences) ends.push((ends.at(-1) ?? 0) + tokensIn(sentence));
  const stored = new Map(turns.map((turn) => [turn.sourceId, turn]));
  return triplets.flatMap((raw, position) => {
    const spot = `${where}, opinion ${position + 1}`;
    const parsed = quadrupleSchema.safeParse(raw);
    if (!parsed.success) {
      rejections.push(rejected(spot, describeIssues(parsed.error)));
      return [];
    }
    const { starts, target, opinion } = parsed.data;
    if (target === '' || opinion === '') return []; // annotated as incomplete
    const ids = starts
      .filter((start) => start >= 0)
      .map((start) => `${id}/${ends.findIndex((end) => start < end)}`);
    const speaker = stored.get(ids.at(-1))?.speaker;
    if (speaker !== undefined && ids.every((each) => stored.has(each)))
      return [{ ...parsed.data, speaker, turns: [...new Set(ids)] }];
    rejections.push(rejected(spot, 'its words are in no utterance that was read'));
    return [];
  });
}

/** Not a number if it cannot be read: nothing is known of the places behind it then. */
function tokensIn(sentence: unknown): number {
  return typeof sentence === 'string' ? (sentence.match(/\S+/g) ?? []).length : Number.NaN;
}

const subjectOf = ({ target, aspect }: Opinion) => (aspect === '' ? target : `the ${aspect} of ${target}`);
const wordOf = ({ polarity }: Opinion) => POLARITY[polarity] ?? polarity;

function toFact(opinion: Opinion): FactInput {
  return {
    statement: `${opinion.speaker} says of ${subjectOf(opinion)}: ${opinion.opinion} (${wordOf(opinion)}).`,
    participants: [opinion.speaker, opinion.target],
    evidence: opinion.turns.map((sourceId) => ({ source: DIAASQ_SOURCE, sourceId })),
  };
}

function toQuestion(
  members: readonly Opinion[],
  { id, turns }: { readonly id: string; readonly turns: readonly TurnInput[] },
): EvaluationQuestion {
  const [first] = members as readonly [Opinion, ...Opinion[]];
  const evidenceTurns = [...new Set(members.flatMap((member) => member.turns))];
  return {
    id,
    text: `What does ${first.speaker} think of ${subjectOf(first)}?`,
    category: first.aspect === '' ? 'target' : 'aspect',
    answer: members.map((member) => `${member.opinion} (${wordOf(member)})`).join('; '),
    evidenceTurns,
    evidenceSessions: sessionsOf(turns, evidenceTurns),
  };
}

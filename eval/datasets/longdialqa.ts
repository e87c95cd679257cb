import { basename } from 'node:path';
import { z } from 'zod';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { type RejectedRecord, rejected, throwIfCancelled, turnRecord } from '../../src/importers/importer.ts';
import { readJsonFile } from '../../src/importers/json/json-format.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { breathe } from '../../src/util/breathe.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import { parseTimestamp } from '../../src/util/parse-timestamp.ts';
import { randomNumbers } from '../metrics/random-numbers.ts';
import {
  type DatasetOptions,
  type EvaluationDataset,
  type EvaluationQuestion,
  keepTurns,
} from './dataset.ts';

export const LONGDIALQA_SOURCE = 'longdialqa';

/** A show: its episodes, and their scenes by number. */
const showSchema = z.record(z.string(), z.record(z.string(), z.unknown()));

const sceneSchema = z.object({
  date: z.string().refine((date) => parseTimestamp(date) !== null, 'is not a time'),
  script: z.string().trim().min(1),
  /** Questions by kind: lists, or objects by number. They are checked one by one. */
  hard_q: z.record(z.string(), z.unknown()).optional(),
  easy_q: z.record(z.string(), z.unknown()).optional(),
});
type Scene = z.output<typeof sceneSchema>;

/** `questions` has the question in the words of each person who may ask it. */
const questionSchema = z.object({
  questions: z
    .record(z.string(), z.string().trim().min(1))
    .refine((words) => Object.keys(words).length > 0, 'is empty'),
  answer: z.string().trim().min(1),
});

/** Its gold where the person who is asked cannot know, or not yet. */
const UNKNOWN = /^i don['’]?t know\.?$/i;
const SEED = 1;

export const LONGDIALQA_NOTE =
  'One question a scene, drawn with a fixed seed from those that have an answer: those whose gold is "I don’t know" hold before later scenes, and here a show is in memory as a whole. No evidence turns are known.';

/**
 * LongDialQA, the data of DialSim (arXiv 2406.13144), as JSON of its pickle: episodes, scenes, `date`, `script`,
 * `hard_q`, `easy_q`. A show is one case, a scene a session. Questions are asked at the date of their scene.
 */
export async function readLongDialQaDataset(
  path: string,
  { signal }: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const show = showSchema.safeParse(await readJsonFile(path, signal));
  if (!show.success) throw new FileUnreadableError(path, 'it is not an object of episodes and their scenes');
  const rejections: RejectedRecord[] = [];
  const turns: TurnInput[] = [];
  const questions: EvaluationQuestion[] = [];
  const random = randomNumbers(SEED);
  let at = Number.NEGATIVE_INFINITY;
  for (const [episode, scenes] of Object.entries(show.data)) {
    for (const [number, raw] of Object.entries(scenes)) {
      throwIfCancelled(signal);
      const id = `${episode}/${number}`;
      const parsed = sceneSchema.safeParse(raw);
      if (!parsed.success) rejections.push(rejected(id, describeIssues(parsed.error)));
      else {
        const day = parseTimestamp(parsed.data.date)!;
        const said = turnsOf(parsed.data, id, Math.max(day, at), rejections);
        turns.push(...said);
        at = Math.max(day, at) + (said.length + 1) * 1000;
        const asked = questionsOf(parsed.data, id, day, rejections);
        const drawn = asked[Math.floor(random() * asked.length)];
        if (drawn !== undefined) questions.push(drawn);
      }
      await breathe();
    }
  }
  const scope = basename(path).replace(/\.json$/i, '');
  const cases = turns.length === 0 ? [] : [{ scope, turns, facts: [], questions }];
  return { name: 'longdialqa', cases, rejected: rejections, note: LONGDIALQA_NOTE };
}

/** A line "Ross: Hi." is a turn; one without a speaker goes on with the turn before it. */
function turnsOf({ script }: Scene, scene: string, start: number, rejections: RejectedRecord[]): TurnInput[] {
  const said: { speaker: string; content: string }[] = [];
  for (const line of script.split('\n').map((each) => each.trim())) {
    const [, speaker, content] = /^([^:]{1,100}):\s*(.*)$/.exec(line) ?? [];
    if (line === '' || speaker === 'Teleplay' || speaker === 'Story') continue;
    if (speaker !== undefined) said.push({ speaker, content: content! });
    else if (said.length > 0) said.at(-1)!.content += `\n${line}`;
  }
  const records = said.map((turn, index) =>
    turnRecord(
      {
        ...turn,
        role: 'other',
        at: new Date(start + index * 1000),
        ...{ session: scene, index, source: LONGDIALQA_SOURCE, sourceId: `${scene}:${index}` },
      },
      { where: `${scene}, line ${index + 1}` },
    ),
  );
  return keepTurns(records, rejections);
}

function questionsOf(
  { hard_q = {}, easy_q = {} }: Scene,
  scene: string,
  askedAt: number,
  rejections: RejectedRecord[],
): EvaluationQuestion[] {
  const kinds = [
    ...Object.entries(hard_q).map(([kind, list]) => [`hard ${kind}`, list] as const),
    ...Object.entries(easy_q).map(([kind, list]) => [`easy ${kind}`, list] as const),
  ];
  return kinds.flatMap(([category, list]) =>
    Object.entries(typeof list === 'object' ? (list ?? {}) : { '': list }).flatMap(([number, raw]) => {
      const id = `${scene}/${category} ${number}`;
      const parsed = questionSchema.safeParse(raw);
      if (!parsed.success) {
        rejections.push(rejected(id, describeIssues(parsed.error)));
        return [];
      }
      const { questions, answer } = parsed.data;
      if (UNKNOWN.test(answer)) return [];
      const text = questions.default ?? Object.values(questions)[0]!;
      return [{ id, text, category, askedAt, answer, evidenceTurns: [], evidenceSessions: [] }];
    }),
  );
}

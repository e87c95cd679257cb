import { z } from 'zod';
import { type RejectedRecord, rejected, throwIfCancelled } from '../../../src/importers/importer.ts';
import { readJsonFile, secondsAfter } from '../../../src/importers/json/json-format.ts';
import { ROLES } from '../../../src/model/nodes.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { describeIssues } from '../../../src/util/describe-issues.ts';
import { parseTimestamp } from '../../../src/util/parse-timestamp.ts';
import {
  type DatasetOptions,
  type EvaluationCase,
  type EvaluationDataset,
  type EvaluationQuestion,
  sessionsOf,
  sourceIdsOf,
} from '../dataset.ts';

/** What users ask and LoCoMo does not; the category of a question. */
export const QUESTION_KINDS = [
  /** "What's my sister's name?", asked by the person who talks to an assistant. */
  'first-person',
  /** What holds now, and what held before. */
  'latest-state',
  /** Understood only with earlier questions, which `earlier` holds. */
  'follow-up',
  'typing-errors',
  /** Other words than the conversation's ("dislike" for "hate"), or the kind of a thing ("what kind of tea"). */
  'synonyms',
  /** The conversation says "last Tuesday"; the answer is the day. */
  'relative-dates',
  /** All of a kind, from several turns. */
  'lists',
  /** The turn after a question holds the answer ("Where was that?" – "In Zermatt."). */
  'next-turn',
  /** "What do you know about me?" */
  'profile',
  /** About a person, a time or a thing that memory does not connect with the rest of the question. */
  'unanswerable',
] as const;

const words = z.string().trim().min(1);

/** A conversation and the questions about it. Turns are named "2:5": session and turn, both from 1. */
const conversationSchema = z.strictObject({
  scope: words,
  speakers: z.record(words, z.enum(ROLES)),
  sessions: z.array(z.strictObject({ at: words, turns: z.array(z.tuple([words, words])).min(1) })).min(1),
  questions: z.array(
    z.strictObject({
      kind: z.enum(QUESTION_KINDS),
      question: words,
      /** Null if memory has no answer. */
      answer: words.nullable(),
      evidence: z.array(z.string()),
      earlier: z.array(words).default([]),
    }),
  ),
});
type Conversation = z.output<typeof conversationSchema>;

export const QUESTIONS = 'questions';

/** 200 questions in ten kinds about four made-up conversations, which ship with the package. */
export async function readBundledQuestions({ signal }: DatasetOptions = {}): Promise<EvaluationDataset> {
  const files = await Promise.all([
    import('./maren.json', { with: { type: 'json' } }),
    import('./devin.json', { with: { type: 'json' } }),
    import('./flatmates.json', { with: { type: 'json' } }),
    import('./penfriends.json', { with: { type: 'json' } }),
  ]);
  throwIfCancelled(signal);
  return datasetOf(files.map((file) => file.default));
}

/** Conversations of a file in the same format: one, or a list of them. @throws FileUnreadableError */
export async function readQuestions(
  path: string,
  { signal }: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const root = await readJsonFile(path, signal);
  return datasetOf(Array.isArray(root) ? root : [root]);
}

function datasetOf(conversations: readonly unknown[]): EvaluationDataset {
  const problems: RejectedRecord[] = [];
  const cases = conversations.flatMap((raw, position) => {
    const where = `conversation ${position + 1}`;
    const parsed = conversationSchema.safeParse(raw);
    if (parsed.success) return [caseOf(parsed.data, where, problems)];
    problems.push(rejected(where, describeIssues(parsed.error)));
    return [];
  });
  return { name: QUESTIONS, cases, rejected: problems };
}

function caseOf(conversation: Conversation, where: string, problems: RejectedRecord[]): EvaluationCase {
  const { scope, questions } = conversation;
  const turns = turnsOf(conversation, where, problems);
  const known = sourceIdsOf(turns);
  return {
    scope,
    turns,
    facts: [],
    questions: questions.flatMap(
      ({ kind, question, answer, evidence, earlier }, at): EvaluationQuestion[] => {
        const evidenceTurns = evidence.map((id) => `${scope}/${id}`);
        const problem = evidenceTurns.some((id) => !known.has(id))
          ? 'names a turn that the conversation does not have'
          : (answer === null) !== (evidence.length === 0) &&
            'an answer needs evidence, and no answer has none';
        if (problem !== false) {
          problems.push(rejected(`${where}, question ${at + 1}`, problem));
          return [];
        }
        return [
          {
            id: `${scope}/${at + 1}`,
            text: question,
            category: kind,
            answer,
            evidenceTurns,
            evidenceSessions: sessionsOf(turns, evidenceTurns),
            ...(earlier.length === 0 ? {} : { earlier }),
          },
        ];
      },
    ),
  };
}

function turnsOf(
  { scope, speakers, sessions }: Conversation,
  where: string,
  problems: RejectedRecord[],
): TurnInput[] {
  return sessions.flatMap(({ at, turns }, session) => {
    const place = `${where}, session ${session + 1}`;
    const start = parseTimestamp(at);
    if (start === null) problems.push(rejected(place, 'at is not a time'));
    if (start === null) return [];
    return turns.map(([speaker, content], index): TurnInput => {
      const role = speakers[speaker] ?? 'user';
      return {
        content,
        speaker,
        role,
        index,
        session: `session_${session + 1}`,
        at: secondsAfter(start, index),
        source: QUESTIONS,
        sourceId: `${scope}/${session + 1}:${index + 1}`,
      };
    });
  });
}

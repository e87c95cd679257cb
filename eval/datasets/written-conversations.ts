import { z } from 'zod';
import { type RejectedRecord, rejected, throwIfCancelled } from '../../src/importers/importer.ts';
import { readJsonFile, secondsAfter } from '../../src/importers/json/json-format.ts';
import { ROLES } from '../../src/model/nodes.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import { parseTimestamp } from '../../src/util/parse-timestamp.ts';
import {
  type DatasetOptions,
  type DatasetReader,
  type EvaluationCase,
  type EvaluationDataset,
  type EvaluationQuestion,
  sessionsOf,
  sourceIdsOf,
} from './dataset.ts';

const words = z.string().trim().min(1);
/** The speaker, the text and the description of a picture, or only the text: notes and documents have no speaker. */
const turnSchema = z.union([z.tuple([words, words, words.optional()]), words]);

/** A conversation and the questions about it. Turns are named "2:5": session and turn, both from 1. */
const conversationSchema = (kinds: readonly string[]) =>
  z.strictObject({
    scope: words,
    /** Where its turns come from; default: the name of the data set. */
    source: words.optional(),
    /** The roles of speakers. */
    speakers: z.record(words, z.enum(ROLES)).default({}),
    sessions: z.array(z.strictObject({ at: words, turns: z.array(turnSchema).min(1) })).min(1),
    questions: z.array(
      z.strictObject({
        kind: z.enum(kinds),
        question: words,
        /** Null if memory has no answer. */
        answer: words.nullable(),
        evidence: z.array(z.string()),
        earlier: z.array(words).default([]),
      }),
    ),
  });
type Conversation = z.output<ReturnType<typeof conversationSchema>>;

/** A data set of our own. */
interface WrittenDataset extends Pick<DatasetReader, 'name' | 'heldOut'> {
  /** Of questions. */
  readonly kinds: readonly string[];
  /** The conversations that ship with the package. */
  readonly bundled: () => Promise<readonly { readonly default: unknown }[]>;
}

type WrittenReader = DatasetReader & Pick<Required<DatasetReader>, 'readBundled'>;

/** Reads conversations with questions: those that ship with the package, or a file with one of them or a list. */
export function writtenReader({ kinds, bundled, ...named }: WrittenDataset): WrittenReader {
  const { name } = named;
  const schema = conversationSchema(kinds);
  const datasetOf = (conversations: readonly unknown[]): EvaluationDataset => {
    const problems: RejectedRecord[] = [];
    const cases = conversations.flatMap((raw, position) => {
      const where = `conversation ${position + 1}`;
      const parsed = schema.safeParse(raw);
      if (parsed.success) return [caseOf({ source: name, ...parsed.data }, where, problems)];
      problems.push(rejected(where, describeIssues(parsed.error)));
      return [];
    });
    return { name, cases, rejected: problems };
  };
  return {
    ...named,
    async read(path: string, { signal }: DatasetOptions = {}) {
      const root = await readJsonFile(path, signal);
      return datasetOf(Array.isArray(root) ? root : [root]);
    },
    async readBundled({ signal }: DatasetOptions = {}) {
      const files = await bundled();
      throwIfCancelled(signal);
      return datasetOf(files.map((file) => file.default));
    },
  };
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
  { scope, source, speakers, sessions }: Conversation,
  where: string,
  problems: RejectedRecord[],
): TurnInput[] {
  return sessions.flatMap(({ at, turns }, session) => {
    const place = `${where}, session ${session + 1}`;
    const start = parseTimestamp(at);
    if (start === null) problems.push(rejected(place, 'at is not a time'));
    if (start === null) return [];
    return turns.map((turn, index): TurnInput => {
      const [speaker, content, description] = typeof turn === 'string' ? [undefined, turn] : turn;
      return {
        content,
        ...(speaker !== undefined && { speaker, role: speakers[speaker] ?? 'user' }),
        ...(description !== undefined && { attachments: [{ kind: 'image', description }] }),
        index,
        session: `session_${session + 1}`,
        at: secondsAfter(start, index),
        source,
        sourceId: `${scope}/${session + 1}:${index + 1}`,
      };
    });
  });
}

import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import {
  type ImportRecord,
  type RejectedRecord,
  rejected,
  throwIfCancelled,
  turnRecord,
} from '../../src/importers/importer.ts';
import { type Entry, idSchema, type JsonFormat, readJsonFile } from '../../src/importers/json/json-format.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import { parseTimestamp } from '../../src/util/parse-timestamp.ts';
import {
  casesOf,
  type DatasetOptions,
  type EvaluationCase,
  type EvaluationDataset,
  type EvaluationQuestion,
  keepTurns,
  readCases,
  sessionsOf,
  sourceIdsOf,
} from './dataset.ts';

export const BEAM_SOURCE = 'beam';

/** The start of a chat without a single time anchor. */
const NO_ANCHOR = Date.UTC(2024, 0, 1);

/** Memory does not know what these questions ask for. */
const ABSTENTION = 'abstention';

/** A chat with its questions by ability. Turns and questions are checked one by one, so here they are unknown. */
const chatSchema = z.object({
  id: idSchema.optional(),
  turns: z.array(z.unknown()),
  questions: z.record(z.string(), z.array(z.unknown())),
});
type BeamChat = z.output<typeof chatSchema>;

/** The official messages of a person end with the number of their bullet in the plan ("->-> 1,12"), which nobody said. */
const BULLET = /\s*->->\s*[\w,/]+\s*$/;

const turnSchema = z.object({
  id: idSchema,
  role: z.enum(['user', 'assistant']),
  batch: idSchema,
  content: z.string().transform((content) => content.replace(BULLET, '')),
});

/** "March-15-2024"; only the first turn of a batch has one. */
const anchorSchema = z.object({ time_anchor: z.string() });

const questionSchema = z.object({
  question: z.string().trim().min(1),
  answer: z.string().optional(),
  ideal_answer: z.string().optional(),
  ideal_summary: z.string().optional(),
  expected_compliance: z.string().optional(),
  source_chat_ids: z.unknown().optional(),
  /** Demands on an answer, each judged by itself. */
  rubric: z.array(z.string().trim().min(1)).min(1).optional().catch(undefined),
});

/** The official `chat.json`: batches of exchanges of messages. Chats of ten million tokens have another layout. */
const batchesSchema = z.array(
  z.object({ batch_number: idSchema, turns: z.array(z.array(z.record(z.string(), z.unknown()))) }),
);

const beamFormat: JsonFormat<BeamChat> = {
  name: 'beam',
  description: 'BEAM: long chats of a person with an assistant, and probing questions (JSON)',
  noun: 'chat',
  identifyingKey: 'questions',
  schema: chatSchema,
  idOf: (chat) => chat.id,
  records: chatRecords,
};

/**
 * BEAM (arXiv 2510.27246). One chat is one case, a batch a session, an ability a category. `path` is a folder in the
 * official layout, in which each chat has a folder with `chat.json` and `probing_questions/probing_questions.json`, or
 * a file: a list of chats with `id`, `turns` (`id`, `role`, `batch`, `time_anchor`, `content`) and `questions`.
 */
export async function readBeamDataset(
  path: string,
  { signal }: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const options = { build: buildCase, ...(signal === undefined ? {} : { signal }) };
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false;
  if (!isFolder) return readCases(beamFormat, path, options);
  const unreadable: RejectedRecord[] = [];
  const dataset = await casesOf(beamFormat, await readChats(path, unreadable, signal), options);
  return { ...dataset, rejected: [...unreadable, ...dataset.rejected] };
}

async function readChats(
  path: string,
  unreadable: RejectedRecord[],
  signal: AbortSignal | undefined,
): Promise<unknown[]> {
  const names = await readdir(path, { recursive: true });
  const folders = names
    .filter((name) => basename(name) === 'probing_questions.json')
    .map((name) => dirname(dirname(name)))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const chats: unknown[] = [];
  for (const name of folders) {
    throwIfCancelled(signal);
    const folder = join(path, name);
    const batches = batchesSchema.safeParse(await readJsonFile(chatFileIn(folder), signal));
    const questions = await readJsonFile(join(folder, 'probing_questions/probing_questions.json'), signal);
    if (batches.success) chats.push({ id: idOf(folder, path), turns: messagesOf(batches.data), questions });
    else unreadable.push(rejected(`chat ${idOf(folder, path)}`, describeIssues(batches.error)));
  }
  return chats;
}

/** As the authors' programs: a chat that was cut to its size has a second file, spelt like this. */
function chatFileIn(folder: string): string {
  const cut = join(folder, 'chat_trunecated.json');
  return existsSync(cut) ? cut : join(folder, 'chat.json');
}

/** "100K-1" of the folder "100K/1". */
function idOf(folder: string, root: string): string {
  return relative(root, folder).replaceAll(/[/\\]/g, '-') || basename(resolve(root));
}

function messagesOf(batches: z.output<typeof batchesSchema>): object[] {
  return batches.flatMap(({ batch_number: batch, turns }) =>
    turns.flat().map((message) => ({ ...message, batch })),
  );
}

function* chatRecords({ id, where: chat, data: { turns } }: Entry<BeamChat>): Generator<ImportRecord> {
  const known = new Set<string>();
  const counts = new Map<string, number>();
  const anchors = turns.map(anchorOf);
  let at = (anchors.find((anchor) => anchor !== null) ?? NO_ANCHOR) - 1000;
  for (const [position, raw] of turns.entries()) {
    at = Math.max(at + 1000, anchors[position] ?? 0);
    const where = `${chat}, turn ${position + 1}`;
    const parsed = turnSchema.safeParse(raw);
    if (!parsed.success) yield rejected(where, describeIssues(parsed.error));
    else if (known.has(parsed.data.id)) yield rejected(where, 'id: an earlier turn has the same');
    else {
      const { id: turn, role, batch, content } = parsed.data;
      const session = `batch_${batch}`;
      const index = counts.get(session) ?? 0;
      known.add(turn);
      counts.set(session, index + 1);
      const input = { content, role, speaker: role, at: new Date(at), session, index };
      yield turnRecord({ ...input, source: BEAM_SOURCE, sourceId: `${id}/${turn}` }, { where });
    }
  }
}

/** Null for a turn without a readable one: it is a second later than the turn before, as is one with an earlier anchor. */
function anchorOf(raw: unknown): number | null {
  const { data } = anchorSchema.safeParse(raw);
  return data === undefined ? null : parseTimestamp(data.time_anchor.replaceAll('-', ' '));
}

function buildCase(entry: Entry<BeamChat>, rejections: RejectedRecord[]): EvaluationCase {
  const turns = keepTurns(chatRecords(entry), rejections);
  const questions = Object.entries(entry.data.questions).flatMap(([ability, list]) =>
    list.flatMap((raw, position) => {
      const parsed = questionSchema.safeParse(raw);
      const where = `${entry.where}, ${ability} ${position + 1}`;
      if (!parsed.success) rejections.push(rejected(where, describeIssues(parsed.error)));
      const id = `${entry.id}/${ability}${position + 1}`;
      return parsed.success ? [toQuestion({ id, ability, chat: entry.id, turns }, parsed.data)] : [];
    }),
  );
  return { scope: entry.id, turns, facts: [], questions };
}

function toQuestion(
  { id, ability, chat, turns }: { id: string; ability: string; chat: string; turns: readonly TurnInput[] },
  written: z.output<typeof questionSchema>,
): EvaluationQuestion {
  const { question, answer, ideal_answer, ideal_summary, expected_compliance, rubric } = written;
  const known = sourceIdsOf(turns);
  const evidence = idsIn(written.source_chat_ids).map((turn) => `${chat}/${turn}`);
  const evidenceTurns = [...new Set(evidence)].filter((turn) => known.has(turn));
  const gold = answer ?? ideal_answer ?? ideal_summary ?? expected_compliance ?? null;
  return {
    id,
    text: question,
    category: ability,
    answer: ability === ABSTENTION ? null : gold,
    ...(rubric === undefined ? {} : { rubric }),
    evidenceTurns,
    evidenceSessions: sessionsOf(turns, evidenceTurns),
  };
}

/** Evidence is a list of ids, lists within a list, or lists by their part ("first_statement"). */
function idsIn(evidence: unknown): string[] {
  const id = idSchema.safeParse(evidence);
  if (id.success) return [id.data];
  return typeof evidence === 'object' && evidence !== null ? Object.values(evidence).flatMap(idsIn) : [];
}

import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { type RejectedRecord, rejected } from '../../src/importers/importer.ts';
import { type JsonFormat, readEntryList, readJsonFile } from '../../src/importers/json/json-format.ts';
import { reasonOf } from '../../src/importers/unreadable.ts';
import { casesOf, type DatasetOptions, type EvaluationDataset } from './dataset.ts';
import { buildLocomoCase, type LocomoSample, locomoFormat } from './locomo.ts';

export const REALTALK_SOURCE = 'realtalk';

/** "29.12.2023, 00:51:12" */
const TIME = /^\s*(\d{1,2})\.(\d{1,2})\.(\d{4}),?/;
const yearFirst = (text: string) => text.replace(TIME, '$3-$2-$1');

const messageSchema = z.looseObject({ clean_text: z.string(), date_time: z.string().transform(yearFirst) });

/** A chat is a sample of LoCoMo whose messages are called otherwise and have times of their own. `chat` is added here. */
const chatSchema: z.ZodType<LocomoSample> = z
  .looseObject({ chat: z.string().optional(), qa: z.unknown().optional() })
  .refine((chat) => Object.keys(chat).some((key) => /^session_\d+$/.test(key)), 'has no sessions')
  .transform(({ chat, qa, ...conversation }) => ({
    sample_id: chat,
    conversation: Object.fromEntries(
      Object.entries(conversation).map(([key, value]) => [key, asLocomo(value)]),
    ),
    qa,
  }));

function asLocomo(value: unknown): unknown {
  if (typeof value === 'string') return yearFirst(value);
  if (!Array.isArray(value)) return value;
  return value.map((raw: unknown) => {
    const { success, data } = messageSchema.safeParse(raw);
    return success ? { ...data, text: data.clean_text } : raw;
  });
}

const realtalkFormat: JsonFormat<LocomoSample> = {
  ...locomoFormat,
  name: 'realtalk',
  description: 'REALTALK: messages of two people over three weeks (JSON)',
  noun: 'chat',
  identifyingKey: 'session_1',
  schema: chatSchema,
};

/**
 * REALTALK (arXiv 2502.13270). One chat is one case; its categories are those of its file. `path` is the folder of the
 * files `Chat_….json`, or one of them, or a list of chats.
 */
export async function readRealtalkDataset(
  path: string,
  { signal }: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const unreadable: RejectedRecord[] = [];
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false;
  const list = isFolder
    ? await readChats(path, unreadable, signal)
    : (await readEntryList(realtalkFormat, path, signal)).map((raw, _, { length }) =>
        length === 1 ? named(raw, path) : raw,
      );
  const options = { build: buildLocomoCase, ...(signal === undefined ? {} : { signal }) };
  const dataset = await casesOf(realtalkFormat, list, options);
  const cases = dataset.cases.map(({ turns, ...rest }) => ({
    ...rest,
    turns: turns.map((turn) => ({ ...turn, source: REALTALK_SOURCE })),
  }));
  return { ...dataset, cases, rejected: [...unreadable, ...dataset.rejected] };
}

async function readChats(
  folder: string,
  unreadable: RejectedRecord[],
  signal: AbortSignal | undefined,
): Promise<unknown[]> {
  const names = (await readdir(folder))
    .filter((name) => /^chat.*\.json$/i.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const chats: unknown[] = [];
  for (const name of names) {
    const file = join(folder, name);
    try {
      chats.push(named(await readJsonFile(file, signal), name));
    } catch (error) {
      if (!FileUnreadableError.isInstance(error)) throw error;
      unreadable.push(rejected(name, reasonOf(file, error)));
    }
  }
  return chats;
}

/** With the name of its file, which names the two people. */
function named(raw: unknown, path: string): unknown {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  return isObject ? { ...raw, chat: basename(path).replace(/\.json$/i, '') } : raw;
}

import { extname } from 'node:path';
import { fileHolder } from '../../../src/edit/proof/file-holder.ts';
import { HeldTally, type RemovingHolder, type TextHolder } from '../../../src/edit/proof/text-holder.ts';
import { checkpointHolder, threadsHolding } from '../../../src/langgraph/checkpoints/checkpoint-holder.ts';
import type { SqlRow } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import { imageUri } from '../../../src/model/image-uri.ts';
import { withoutBars } from '../../../src/prompts/as-data.ts';
import { Breather } from '../../../src/util/breathe.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import type { AppStore } from './app-store.ts';
import { type StoredMessage, withoutTurns } from './message-table.ts';

/** Rows in memory at once. */
const BATCH = 200;

interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: all scopes. */
  readonly scope?: string | undefined;
}

interface Place {
  readonly where: string;
  readonly id: string;
  readonly strings: readonly string[];
}

/**
 * Conversations, images, titles, drafts, folders' names, reasons of answers, names of jobs and uploads, and runs that wait for a
 * decision, as a holder of user text. Only those of the scope are searched: what another scope says is not a remnant.
 * An upload has no scope until it is imported, so all are searched.
 */
export function appTextHolder(store: AppStore): RemovingHolder {
  const parts = [store, ...(store.hidden === null ? [] : [store.hidden])].map(holderOf);
  return {
    name: 'conversations',
    holds: async (...asked) => (await Promise.all(parts.map((part) => part.holds(...asked)))).flat(),
    async remove(...asked) {
      for (const part of parts) await part.remove(...asked);
    },
  };
}

function holderOf(store: AppStore): RemovingHolder {
  return {
    name: 'conversations',
    async holds(texts, options = {}) {
      const tally = new HeldTally();
      for await (const { where, strings } of placesOf(store, options))
        for (const string of strings) tally.addFoundIn(string, texts, where);
      if (waitingIn(store, threadsHolding(store.file, texts), options.scope).length > 0)
        tally.addAll(await checkpointHolder(store.file).holds(texts, options));
      return tally.all();
    },

    async remove(texts, options = {}) {
      const found: Place[] = [];
      for await (const place of placesOf(store, options)) if (holds(place, texts)) found.push(place);
      store.file.transaction(() => {
        for (const { where, id } of found) removeFrom(store, where, id, texts);
      });
      for (const thread of waitingIn(store, threadsHolding(store.file, texts), options.scope)) {
        await store.checkpoints.deleteThread(thread);
        const message = store.messages.find(thread);
        if (message?.remembered?.decision === 'pending')
          store.messages.update(thread, { remembered: { decision: 'none', turns: [] } });
      }
      store.file.erase();
    },
  };
}

async function* placesOf({ file, images }: AppStore, { signal, scope }: ScanOptions): AsyncGenerator<Place> {
  const inScope = scope === undefined ? '' : 'WHERE scope = ?';
  const values = scope === undefined ? [] : [scope];
  for (const { id, title, draft } of file.all(
    `SELECT id, title, draft FROM conversation ${inScope}`,
    values,
  )) {
    yield { where: 'title', id: String(id), strings: [String(title)] };
    yield { where: 'draft', id: String(id), strings: [String(draft)] };
  }
  for (const { id, name } of file.all(`SELECT id, name FROM folder ${inScope}`, values))
    yield { where: 'folder', id: String(id), strings: [String(name)] };
  for (const { id, name, problem } of file.all(
    `SELECT id, name, problem FROM job WHERE kind IN ('import', 'archive') ${scope === undefined ? '' : 'AND scope = ?'}`,
    values,
  ))
    yield { where: 'job', id: String(id), strings: [String(name), String(problem ?? '')] };
  for (const { id, name } of file.all('SELECT id, name FROM upload'))
    yield { where: 'upload', id: String(id), strings: [String(name)] };
  for (const id of images.ids(scope)) yield { where: 'image', id, strings: [imageUri(id)] };
  const breather = new Breather();
  let last = -1;
  for (;;) {
    signal?.throwIfAborted();
    await breather.breathe();
    const rows = file.all(
      `SELECT message.rowid AS row, message.id, text, details, why FROM message
       JOIN conversation ON conversation.id = message.conversation
       WHERE message.rowid > ? ${scope === undefined ? '' : 'AND scope = ?'} ORDER BY message.rowid LIMIT ${BATCH}`,
      [last, ...values],
    );
    for (const row of rows) yield* placesOfMessage(row);
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)?.row);
  }
}

function* placesOfMessage({ id, text, details, why }: SqlRow): Iterable<Place> {
  const place = (where: string, strings: readonly string[]) => ({ where, id: String(id), strings });
  yield place('message', [String(text)]);
  yield place('citations', textsIn(String(details), TEXTS_OF_DETAILS));
  if (typeof why === 'string') yield place('reasons', textsIn(why, TEXTS_OF_WHY));
}

/** The fields that have words of users; others have ids, figures and names of ours, such as of routes. */
const TEXTS_OF_DETAILS: ReadonlySet<string> = new Set([
  ...['quote', 'name', 'caption', 'problem'],
  // Of calls of tools.
  ...['arguments', 'result'],
]);
const TEXTS_OF_WHY: ReadonlySet<string> = new Set(['path', 'list', 'names', 'name', 'notes']);

function textsIn(json: string, fields: ReadonlySet<string>): readonly string[] {
  const read = parseJson(json);
  return read.ok ? [...fieldTexts(read.value, fields)] : [json];
}

function* fieldTexts(value: unknown, fields: ReadonlySet<string>): Iterable<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value))
    if (!Array.isArray(value) && fields.has(key)) yield* stringsOf(each, fields);
    else yield* fieldTexts(each, fields);
}

function* stringsOf(value: unknown, fields: ReadonlySet<string>): Iterable<string> {
  if (typeof value === 'string') yield* formsOf(value);
  else if (Array.isArray(value)) for (const each of value) yield* stringsOf(each, fields);
  else yield* fieldTexts(value, fields);
}

/** A text, and the words in it as they were before they became arguments of a tool, which are JSON, or its result. */
function* formsOf(text: string): Iterable<string> {
  yield text;
  const plain = withoutBars(text);
  if (plain !== text) yield plain;
  const read = /^[{[]/.test(plain) ? parseJson(plain) : null;
  const left: unknown[] = read?.ok ? [read.value] : [];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each === 'string') yield each;
    else if (typeof each === 'object' && each !== null)
      for (const part of Object.values(each)) left.push(part);
  }
}

function holds({ strings }: Pick<Place, 'strings'>, texts: readonly string[]): boolean {
  const tally = new HeldTally();
  for (const string of strings) tally.addFoundIn(string, texts, '');
  return tally.all().length > 0;
}

/** Stands for the name of a file. Which format a file has is told by its ending, so an upload keeps that. */
const FILE = 'File';

function removeFrom(store: AppStore, where: string, id: string, texts: readonly string[]): void {
  const { conversations, folders, messages, file } = store;
  if (where === 'title') conversations.update(id, { title: '', hasOwnTitle: false });
  else if (where === 'draft') conversations.update(id, { draft: '' });
  else if (where === 'folder') folders.rename(id, 'Folder');
  else if (where === 'image') forgetImage(store, id);
  else if (where === 'job') file.run('UPDATE job SET name = ?, problem = NULL WHERE id = ?', [FILE, id]);
  else if (where === 'upload') renameUpload(store, id, texts);
  else if (where === 'reasons') messages.update(id, { why: null });
  else if (where === 'citations') messages.update(id, withoutDetails(messages.get(id), texts));
  else messages.update(id, withoutTurns(messages.get(id), new Set(), true));
}

/** A copy that was made before does not bring it back. */
function forgetImage({ images, removals }: AppStore, id: string): void {
  images.delete(id);
  removals.bury(id);
}

function renameUpload({ file }: AppStore, id: string, texts: readonly string[]): void {
  const [row] = file.all('SELECT name FROM upload WHERE id = ?', [id]);
  const name = `${FILE}${extname(String(row?.name))}`;
  file.run('UPDATE upload SET name = ? WHERE id = ?', [holds({ strings: [name] }, texts) ? FILE : name, id]);
}

function withoutDetails({ citations, attachments, calls }: StoredMessage, texts: readonly string[]) {
  const isClean = (text: string) => !holds({ strings: [...formsOf(text)] }, texts);
  return {
    citations: citations.filter(({ quote }) => isClean(quote)),
    attachments: attachments.filter(({ name, caption }) => isClean(name) && isClean(caption)),
    calls: calls.filter((call) => isClean(call.arguments) && isClean(call.result ?? '')),
    problem: null,
  };
}

/** Those of the threads whose conversation is of the scope, or that no conversation has any more. */
function waitingIn(
  { messages, conversations }: AppStore,
  threads: readonly string[],
  scope: string | undefined,
): readonly string[] {
  if (scope === undefined) return threads;
  return threads.filter((thread) => {
    const message = messages.find(thread);
    const conversation = message && conversations.find(message.conversation);
    return conversation === undefined || conversation.scope === scope;
  });
}

/** Files that clients sent hold text of users until their job has ended or a day has passed. */
export function uploadsTextHolder({ uploads }: Pick<AppStore, 'uploads'>): TextHolder {
  return { ...fileHolder(() => [uploads]), name: 'uploads' };
}

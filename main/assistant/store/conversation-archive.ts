import { access, copyFile, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import type { SqlValue } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import type { OutputOf } from '../../contract.ts';
import { type AppStore, appFile } from './app-store.ts';
import {
  type ConversationRows,
  HEADER,
  imageData,
  readConversationRows,
  TABLES,
  type Table,
} from './conversation-rows.ts';
import { detailsOf, turnsIn, withoutTurns } from './message-table.ts';

type Store = Pick<AppStore, 'file' | 'images'>;

/** In the folder of a backup, beside the files of the memory. */
const FILE = 'conversations.jsonl';

/** The rows of a table that belong to conversations, of one scope or of all; of images, without their bytes. */
function rowsOf({ file }: Store, table: Table, scope?: string) {
  const ofScope = scope === undefined ? '' : 'WHERE scope = ?';
  const messages = `conversation IN (SELECT id FROM conversation ${ofScope})`;
  const where = {
    folder: ofScope,
    conversation: ofScope,
    message: `WHERE ${messages} ORDER BY rowid`,
    message_turn: `WHERE message IN (SELECT id FROM message WHERE ${messages})`,
    attachment_turn: `WHERE message IN (SELECT id FROM message WHERE ${messages})`,
    image: ofScope,
  }[table];
  const columns = table === 'image' ? 'id, scope, message, type' : '*';
  const rows = file.all(`SELECT ${columns} FROM ${table} ${where}`, scope === undefined ? [] : [scope]);
  return rows.map(({ rowid: _, ...row }) => ({ table, row }));
}

/** Whether a scope has a conversation or a project. */
function hasConversations({ file }: Store, scope: string): boolean {
  return (['folder', 'conversation'] as const).some(
    (table) => file.all(`SELECT 1 FROM ${table} WHERE scope = ? LIMIT 1`, [scope]).length > 0,
  );
}

/**
 * The conversations as lines of JSON, of one scope or of all; the last line counts the others. All rows are read at once:
 * somebody may chat while they are written. The bytes of images are read one by one; those of one that was forgotten
 * meanwhile are not written.
 */
function* conversationLines(store: Store, scope?: string): Generator<string> {
  const rows = TABLES.flatMap((table) => rowsOf(store, table, scope));
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  yield line(HEADER);
  let written = 0;
  for (const { table, row } of rows) {
    const data = table === 'image' ? store.images.bytes(String(row.id)) : undefined;
    if (data === null) continue;
    yield line({ table, row: { ...row, ...(data && { data: Buffer.from(data).toString('base64') }) } });
    written++;
  }
  yield line({ conversationRows: written });
}

/** The conversations of a scope as an export sends them, a piece a message or so. */
export async function* exportedConversations(
  store: Store,
  scope: string,
): AsyncGenerator<OutputOf<'exportConversations'>, void> {
  let lines = 0;
  // An export of a memory without chats ends with its rows.
  const pieces = hasConversations(store, scope) ? conversationLines(store, scope) : [];
  for (const text of pieces) {
    lines++;
    yield { type: 'text', text };
  }
  yield { type: 'done', lines };
}

/** Writes the conversations into the folder of a backup: a file that is there is whole. */
export async function saveConversations(store: Store, folder: string): Promise<void> {
  const path = join(folder, FILE);
  const handle = await open(`${path}.part`, 'w', 0o600);
  try {
    for (const line of conversationLines(store)) await handle.appendFile(line);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.part`, path);
}

/** As `saveConversations`, of a memory that no process has open. */
export async function saveConversationsOf(memory: string, folder: string): Promise<void> {
  if (await exists(appFile(memory))) await withStore(memory, (store) => saveConversations(store, folder));
}

/** A copy that was read and checked, and the path that messages name. */
export interface ConversationCopy {
  readonly path: string;
  /** The one that was read; the bytes of images are read from it when they are added. */
  readonly file: string;
  readonly rows: ConversationRows;
}

/** The conversations of a backup; null where it has none. @throws FileUnreadableError */
export async function conversationsOf(folder: string): Promise<ConversationCopy | null> {
  const path = join(folder, FILE);
  return (await exists(path)) ? conversationsIn(path) : null;
}

/**
 * The conversations of an export.
 *
 * @param named The file that messages name. @throws FileUnreadableError
 */
export async function conversationsIn(path: string, named = path): Promise<ConversationCopy> {
  return { path: named, file: path, rows: await readConversationRows(path, named) };
}

const stagedPath = ({ file }: Pick<AppStore, 'file'>): string => `${file.path}.restoring`;

/**
 * Copies the conversations of a backup beside the app's file, so that what was checked is what is added later.
 *
 * @throws FileUnreadableError: nothing is staged.
 */
export async function stageConversations(store: AppStore, folder: string): Promise<void> {
  const staged = stagedPath(store);
  await rm(staged, { force: true });
  const path = join(folder, FILE);
  if (!(await exists(path))) return;
  await copyFile(path, staged);
  try {
    refuseForeign(store, await conversationsIn(staged, path));
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
}

/** Adds what `stageConversations` has copied. */
export async function addStaged(store: AppStore, options: AddOptions): Promise<void> {
  const path = stagedPath(store);
  if (await exists(path)) addConversations(store, await conversationsIn(path), options);
  await dropStagedConversations(store);
}

export const dropStagedConversations = (store: Pick<AppStore, 'file'>): Promise<void> =>
  rm(stagedPath(store), { force: true });

export interface AddOptions {
  /** The scope that the conversations are put into. Default: as in the file. */
  readonly scope?: string;
  /** Turns of the copy that memory has forgotten since: their messages are blanked, as a forgetting does. */
  readonly gone?: Iterable<string>;
  /** Whether the memory is that of the copy now: conversations that moved since are where their turns are. */
  readonly movesBack?: boolean;
  /** Whether messages and conversations come back that were forgotten here. Default: they do not. */
  readonly bringsBack?: boolean;
}

/**
 * Adds the conversations that the store lacks; those that it has stay as they are. What was forgotten since the copy was
 * made stays away.
 *
 * @throws FileUnreadableError: nothing of it was added.
 */
export function addConversations(
  store: AppStore,
  copy: ConversationCopy,
  { scope, gone = [], bringsBack = false, movesBack = false }: AddOptions = {},
): void {
  refuseForeign(store, copy);
  const { file, folders, removals } = store;
  const { rows } = copy;
  const forgotten = bringsBack ? new Set<string>() : removals.forgotten();
  const lost = new Set(gone);
  const blanked = blankedAmong(rows.message, { gone: lost, forgotten });
  const added = missingIn(store, rows).filter(({ id }) => !forgotten.has(id));
  const ids = new Set(added.map(({ id }) => id));
  const messages = rows.message.filter(({ conversation }) => ids.has(conversation));
  const isAdded = new Set(messages.map(({ id }) => id));
  const openings = new Set(
    messages.flatMap(({ id, parent, conversation }) =>
      parent === null && blanked.get(id)?.state === 'forgotten' ? [conversation] : [],
    ),
  );
  const images = rows.image.filter(
    ({ id, message }) =>
      !forgotten.has(id) &&
      (message === null || (isAdded.has(message) && blanked.get(message)?.state !== 'forgotten')),
  );
  const put = (table: Table, row: Readonly<Record<string, SqlValue>>) => {
    const columns = Object.keys(row);
    const marks = columns.map(() => '?').join();
    file.run(
      `INSERT OR IGNORE INTO ${table} (${columns.join()}) VALUES (${marks})`,
      Object.entries(row).map(([name, value]) => (name === 'scope' && scope !== undefined ? scope : value)),
    );
  };
  file.transaction(() => {
    for (const row of rows.folder) put('folder', row);
    for (const row of added) {
      const folder = row.folder === null || folders.find(row.folder) === undefined ? null : row.folder;
      const title = openings.has(row.id) && row.has_own_title === 0 ? '' : row.title;
      put('conversation', { ...row, folder, title });
    }
    for (const row of messages) put('message', blanked.get(row.id) ?? row);
    for (const table of ['message_turn', 'attachment_turn'] as const)
      for (const row of rows[table]) if (isAdded.has(row.message) && !lost.has(row.episode)) put(table, row);
    for (const image of images) {
      const { place: _, ...row } = image;
      put('image', { ...row, data: imageData(copy.file, image) });
    }
    if (movesBack) moveBack(store, rows);
    removals.unbury([...ids, ...isAdded, ...images.map(({ id }) => id)].filter(() => bringsBack));
  });
}

/**
 * Puts conversations back into the scopes that they have in the copy, and has the messages that are in both name the turns
 * of the copy: a move gives them others.
 */
function moveBack(
  { conversations, folders, images, messages, file }: AppStore,
  rows: ConversationRows,
): void {
  for (const { id, scope, folder, session } of rows.conversation) {
    const known = conversations.find(id);
    if (known === undefined || known.scope === scope) continue;
    // Another one may go on with the session there.
    if (conversations.ofSession(scope, session ?? id) !== undefined) continue;
    const isThere = folder !== null && folders.find(folder)?.scope === scope;
    conversations.update(id, { scope, folder: isThere ? folder : null });
    images.move({ conversation: id, named: [], from: known.scope, to: scope });
  }
  for (const { id, scope } of rows.image)
    file.run('UPDATE image SET scope = ? WHERE id = ? AND message IS NULL', [scope, id]);
  const linked = new Set<string>();
  for (const { id, conversation, memory_key, details } of rows.message) {
    const known = messages.find(id);
    if (known?.conversation !== conversation || known.state === 'forgotten') continue;
    const { own, remembered } = detailsOf(details);
    messages.unlink(id, known.own);
    messages.update(id, {
      own,
      remembered: known.remembered && { ...known.remembered, turns: remembered?.turns ?? [] },
    });
    file.run('UPDATE message SET memory_key = ? WHERE id = ?', [memory_key, id]);
    file.run('DELETE FROM attachment_turn WHERE message = ?', [id]);
    linked.add(id);
  }
  for (const { message, episode } of rows.attachment_turn)
    if (linked.has(message))
      file.run('INSERT OR IGNORE INTO attachment_turn (message, episode) VALUES (?, ?)', [message, episode]);
}

type MessageRow = ConversationRows['message'][number];

/**
 * Messages without what was forgotten, by id: those that change. What tools replied may hold any text of memory; it goes
 * where anything was forgotten.
 */
function blankedAmong(
  messages: readonly MessageRow[],
  { gone, forgotten }: { readonly gone: ReadonlySet<string>; readonly forgotten: ReadonlySet<string> },
): ReadonlyMap<string, MessageRow> {
  const changed = new Map<string, MessageRow>();
  for (const row of messages) {
    const details = detailsOf(row.details);
    const isForgotten = forgotten.has(row.id);
    const calls = gone.size + forgotten.size > 0 ? [] : details.calls;
    const isSame = calls.length === details.calls.length;
    if (isSame && !isForgotten && !turnsIn(details).some((id) => gone.has(id))) continue;
    const {
      text = row.text,
      state = row.state,
      why = row.why,
      ...left
    } = withoutTurns(details, gone, isForgotten);
    changed.set(row.id, {
      ...row,
      text,
      state,
      why,
      details: JSON.stringify({ ...details, calls, ...left }),
    });
  }
  return changed;
}

function missingIn({ conversations }: AppStore, rows: ConversationRows): ConversationRows['conversation'] {
  return rows.conversation.filter(({ id }) => conversations.find(id) === undefined);
}

/** @throws FileUnreadableError if a message that the store has would get into another conversation. */
function refuseForeign(store: AppStore, { path, rows }: ConversationCopy): void {
  const missing = new Set(missingIn(store, rows).map(({ id }) => id));
  for (const { id, conversation } of rows.message)
    if (missing.has(conversation) && store.messages.find(id) !== undefined)
      throw new FileUnreadableError(path, `the message ${id} is of another conversation here`);
}

/** Why the conversations of a backup cannot be added; null if they can. */
export async function conversationProblem(store: AppStore, folder: string): Promise<string | null> {
  try {
    const copy = await conversationsOf(folder);
    if (copy !== null) refuseForeign(store, copy);
    return null;
  } catch (error) {
    if (!FileUnreadableError.isInstance(error)) throw error;
    return error.message;
  }
}

/** Checks a copy against a memory that no process has open. @throws FileUnreadableError */
export async function checkConversationsFor(memory: string, copy: ConversationCopy): Promise<void> {
  if (await exists(appFile(memory))) await withStore(memory, async (store) => refuseForeign(store, copy));
}

/** As `addConversations`, to a memory that no process has open. */
export async function addConversationsTo(
  memory: string,
  copy: ConversationCopy,
  options: AddOptions,
): Promise<void> {
  await withStore(memory, async (store) => addConversations(store, copy, options));
}

async function withStore(memory: string, work: (store: AppStore) => Promise<void>): Promise<void> {
  const { AppStore } = await import('./app-store.ts');
  const store = await AppStore.open(memory);
  await work(store).finally(() => store.close());
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

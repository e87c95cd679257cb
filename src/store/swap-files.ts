import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { DatabaseCorruptError } from '../errors/index.ts';
import { syncFolder } from '../util/files.ts';
import { parseJson } from '../util/parse-json.ts';

/** Where the files that will replace a memory are prepared, and where the replaced ones are kept until it is open. */
export const draftPath = (path: string): string => `${path}.restoring`;
const asidePath = (path: string): string => `${path}.replaced`;
const recordPath = (path: string): string => `${path}.swap`;

/**
 * `ready`: the old files are moved aside. `aside`: the new ones are moved in. `placed`: the new ones are opened.
 * `undoing`: the new ones are moved out. `emptied`: the old ones are moved back. `done` and `undone`: ended; the record
 * is kept for whoever began it.
 */
const recordSchema = z.strictObject({
  id: z.string().max(200),
  step: z.enum(['ready', 'aside', 'placed', 'undoing', 'emptied', 'done', 'undone']),
  /** How often the new files were to be opened. */
  tries: z.number().int().nonnegative(),
});
type SwapRecord = z.infer<typeof recordSchema>;

/** A process that ended while it opened the new files may have been killed, so they are tried once more. */
const MOST_TRIES = 2;

/**
 * Endings of the files of a memory: of Kùzu its log, shadow file, seal and copies before a checkpoint, of SQLite its
 * log, journal and the `-shm` that other programs make, and the indexes of both. The lock and the app's own files stay.
 */
const ENDINGS = [
  '',
  '.wal',
  '.shadow',
  '.seal',
  '.before',
  '.before.wal',
  '-wal',
  '-shm',
  '-journal',
  '.indexes',
];

function filesOf(path: string): string[] {
  return ENDINGS.map((ending) => path + ending);
}

/** Has the draft replace the memory when it is opened next. @param id Names the swap for `swapState`. */
export function beginSwap(path: string, id: string): void {
  drop(asidePath(path));
  syncFolder(dirname(path));
  write(path, { id, step: 'ready', tries: 0 });
}

/**
 * Continues a swap before the memory is opened; the caller holds its lock. Each step can be repeated, so that a process
 * that is killed anywhere in between leaves the old memory or the new one for the next opening.
 *
 * @returns whether the files are new ones, which `confirmSwap` or `undoSwap` has to follow.
 * @throws DatabaseCorruptError if the record of the swap is damaged: nothing is changed.
 */
export function continueSwap(path: string): boolean {
  let record = read(path);
  if (record === null || isEnded(record)) {
    keepMemory(path, record);
    // Of a process that was killed before the begin of a swap: a copy of a memory that nobody would find.
    dropDraft(path);
    return false;
  }
  if (record.step === 'ready' && !existsSync(draftPath(path))) {
    move(asidePath(path), path); // some of the old files may be aside already
    write(path, { ...record, step: 'undone' });
    return false;
  }
  if (record.step === 'ready') {
    move(path, asidePath(path));
    record = write(path, { ...record, step: 'aside' });
  }
  if (record.step === 'aside') {
    move(draftPath(path), path);
    record = write(path, { ...record, step: 'placed' });
  }
  if (record.step === 'placed' && record.tries < MOST_TRIES) {
    write(path, { ...record, tries: record.tries + 1 });
    return true;
  }
  putBack(path, record);
  return false;
}

/** Without a swap under way: the files aside are dropped only where a record says that the new ones are open. */
function keepMemory(path: string, record: SwapRecord | null): void {
  const aside = asidePath(path);
  if (existsSync(path)) {
    // Left by a process that was killed after the end of a swap.
    if (record?.step === 'done') drop(aside);
    else if (!existsSync(aside) && filesOf(aside).some((file) => existsSync(file)))
      throw new DatabaseCorruptError(
        path,
        `its replacement was interrupted, and the record of it, ${recordPath(path)}, is missing; some files of the memory are still aside. Move each file ${aside}… back to the same name that begins with ${path}, then open the memory again`,
      );
    return;
  }
  if (!existsSync(aside)) return;
  drop(path); // what a kill left of new files, which are complete only with the database file
  move(aside, path);
}

/** Removes the old files, now that the new ones are open. */
export function confirmSwap(path: string): void {
  const record = read(path);
  if (record?.step !== 'placed') return;
  write(path, { ...record, step: 'done' });
  drop(asidePath(path));
}

/** Puts the old files back, because the new ones cannot be opened. */
export function undoSwap(path: string): void {
  const record = read(path);
  if (record !== null && !isEnded(record)) putBack(path, record);
}

function putBack(path: string, begun: SwapRecord): void {
  let record = begun;
  if (record.step === 'placed') record = write(path, { ...record, step: 'undoing' });
  if (record.step === 'undoing') {
    move(path, draftPath(path));
    record = write(path, { ...record, step: 'emptied' });
  }
  move(asidePath(path), path);
  write(path, { ...record, step: 'undone' });
  dropDraft(path);
}

/** Whether a swap was begun and has not ended: the next opening continues it. */
export function isSwapPending(path: string): boolean {
  const record = read(path);
  return record !== null && !isEnded(record);
}

/** Whether the next opening finds a memory that a killed process has moved away from its path. */
export function isSetAside(path: string): boolean {
  return existsSync(asidePath(path)) || isSwapPending(path);
}

/** What became of a swap; null if none with this id was begun. */
export function swapState(path: string, id: string): 'under-way' | 'done' | 'undone' | null {
  const record = read(path);
  if (record === null || record.id !== id) return null;
  return record.step === 'done' || record.step === 'undone' ? record.step : 'under-way';
}

/** Removes the record of a swap that has ended. */
export function forgetSwap(path: string, id: string): void {
  const record = read(path);
  if (record !== null && record.id === id && isEnded(record)) rmSync(recordPath(path), { force: true });
}

/** Removes a draft, complete or not, with the locks of a killed process that had it open; the memory is locked. */
export function dropDraft(path: string): void {
  const draft = draftPath(path);
  drop(draft);
  for (const lock of ['.owner.lock', '.lock']) rmSync(draft + lock, { recursive: true, force: true });
}

const isEnded = ({ step }: SwapRecord): boolean => step === 'done' || step === 'undone';

/** What was moved before is not moved again. The database file is the last, as a sign that all are there. */
function move(from: string, to: string): void {
  const targets = filesOf(to);
  for (const [index, file] of [...filesOf(from).entries()].reverse())
    if (existsSync(file)) renameSync(file, targets[index]!);
  syncFolder(dirname(to));
}

function drop(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { recursive: true, force: true });
}

function read(path: string): SwapRecord | null {
  let text: string;
  try {
    text = readFileSync(recordPath(path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const json = parseJson(text);
  const parsed = recordSchema.safeParse(json.ok ? json.value : null);
  if (parsed.success) return parsed.data;
  throw new DatabaseCorruptError(
    path,
    `the record of its replacement, ${recordPath(path)}, is damaged; the former memory is at ${asidePath(path)} if there is such a file, else at its own path`,
  );
}

function write(path: string, record: SwapRecord): SwapRecord {
  const part = `${recordPath(path)}.part`;
  writeFileSync(part, JSON.stringify(record), { mode: 0o600 });
  const file = openSync(part, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(part, recordPath(path));
  syncFolder(dirname(path));
  return record;
}

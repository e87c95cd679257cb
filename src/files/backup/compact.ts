import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refuseUnfinishedForgetting } from '../../edit/forget/records.ts';
import { InvalidInputError, NotEnoughRoomError } from '../../errors/index.ts';
import {
  AbsentEmbedder,
  type EmbeddingInUse,
  EmbeddingSwitch,
} from '../../inference/embedder/embedding-switch.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { clearAnalyzerCache } from '../../search/analyzer.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import type { Compaction, CompactionProgress, StoreFiles } from '../../store/store-files.ts';
import { follow } from '../../util/follow.ts';
import { bytesOf, freeBytesIn } from '../disk.ts';
import { openStoreAt } from '../open-store.ts';
import { type BackupSummary, backup } from './backup.ts';
import type { OpenedMemory } from './check-memory.ts';

interface CompactedMemory extends OpenedMemory {
  readonly embedding: EmbeddingSwitch;
  /** Of every scope that may have an index in memory. */
  readonly indexes: Iterable<HeldIndex>;
}

/** The search index of a scope; null in `requested`: nobody needed it yet. */
export interface HeldIndex {
  readonly requested: unknown;
  /** Has the next save write the snapshot, which was deleted. */
  forgetSnapshot(): void;
  /** Builds the index from the graph again and saves it. */
  rebuild(embedding: EmbeddingInUse): Promise<void>;
}

/**
 * Progress of `Mnemis.compact`: `progress` counts rows, first of the copy, then of its check; `done` comes last.
 * `seconds` is the time since the start.
 */
export type CompactEvent =
  | ({ readonly type: 'progress'; readonly seconds: number } & CompactionProgress)
  | ({ readonly type: 'done' } & CompactReport);

/** The result of a compaction: the size of the memory's file before and after, in bytes. */
export interface CompactReport extends Compaction {
  readonly seconds: number;
}

/** The new file, and as much for its rows on their way: a file of Kùzu's, SQLite's log. */
const COPIES = 2;

/**
 * Writes the whole memory into a new file and replaces the old one with it, so that no removed row remains in any of
 * its files. Searches continue, except for a moment; writers wait. Index snapshots are deleted and the indexes in
 * memory are rebuilt, because they contain words of removed rows.
 *
 * A signal, an error or a kill may interrupt it at any point: either the old or the new memory opens, complete.
 *
 * @throws InvalidInputError for an in-memory store, NotEnoughRoomError, CancelledError, DiskFullError,
 *   StoreWriteError: the memory is unchanged.
 */
export async function* compact(
  context: CompactedMemory,
  { signal: given }: CallOptions = {},
): AsyncGenerator<CompactEvent> {
  const files = context.store.files();
  if (files === null)
    throw new InvalidInputError(
      'A memory without files cannot be compacted; a database server erases removed rows with its command VACUUM FULL',
    );
  await checkRoom(context.store.describe().path, files);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  yield* follow<CompactEvent>(async (emit, signal) => {
    const onProgress = (progress: CompactionProgress) =>
      emit({ type: 'progress', ...progress, seconds: seconds() });
    const { gate } = context.embedding;
    const done = await gate.exclusive(() => exchange(context, files, { signal, onProgress }));
    emit({ type: 'done', ...done, seconds: seconds() });
  }, given);
}

/** Deletes the snapshots first, so that a kill after the exchange leaves no file with removed words. */
async function exchange(
  { embedding, snapshotFolder, indexes }: CompactedMemory,
  files: StoreFiles,
  options: Parameters<StoreFiles['compact']>[0],
): Promise<Compaction> {
  if (snapshotFolder !== null) await rm(snapshotFolder, { recursive: true, force: true });
  const held = [...indexes].filter(({ requested }) => requested !== null);
  let done: Compaction;
  try {
    done = await files.compact(options);
  } catch (error) {
    for (const index of held) index.forgetSnapshot();
    throw error;
  }
  clearAnalyzerCache();
  for (const index of held) await index.rebuild(embedding.current);
  return done;
}

/** @throws NotEnoughRoomError */
async function checkRoom(path: string, files: StoreFiles): Promise<void> {
  const neededBytes = COPIES * (await bytesOf(files.paths()));
  const freeBytes = await freeBytesIn(dirname(path));
  if (freeBytes < neededBytes) throw new NotEnoughRoomError('Compacting', { neededBytes, freeBytes });
}

/** As `backup`, for a memory that no engine has open. @throws also what an open throws. */
export async function backupFile(
  path: string,
  target: string,
  options: CallOptions = {},
): Promise<BackupSummary> {
  const store = await openStoreAt(path);
  try {
    return await backup({ store, snapshotFolder: snapshotsOf(store), clock: Date.now }, target, options);
  } finally {
    await store.close();
  }
}

/** As `compact`, for a memory that no engine has open. @throws also what an open throws. */
export async function* compactFile(path: string, options: CallOptions = {}): AsyncGenerator<CompactEvent> {
  const store = await openStoreAt(path);
  try {
    await refuseUnfinishedForgetting(store);
    const embedder = new AbsentEmbedder(store.describe().fingerprint);
    const embedding = new EmbeddingSwitch({ embedder, comparesVectors: false });
    yield* compact({ store, embedding, snapshotFolder: snapshotsOf(store), indexes: [] }, options);
  } finally {
    await store.close();
  }
}

/** Null for a memory without files. */
export function snapshotsOf(store: GraphStore): string | null {
  return store.files() === null ? null : `${store.describe().path}.indexes`;
}

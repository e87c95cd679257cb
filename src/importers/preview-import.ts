import { stat } from 'node:fs/promises';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { shownName } from './files/import-file.ts';
import { openFiles } from './files/open-files.ts';
import type { Importer, ImportRecord, LeftOut, ReadOptions, TurnRecord } from './importer.ts';
import { unreadable } from './unreadable.ts';

/** The most speakers and conversations to list, the largest first. */
const NAMED = 20;
/** The most reasons to list; a file has a few. */
const REASONS = 200;
const OTHER = 'other reasons';

/** The content of a file, before it is imported. Counts cover readable records. */
export interface ImportPreview {
  readonly format: string;
  /** Size of the file or archive on disk, or of all files of a folder; null for a pipe. */
  readonly bytes: number | null;
  readonly conversations: number;
  readonly turns: number;
  readonly characters: number;
  /** Milliseconds since 1970 of the earliest and the latest turn; null if there is none. */
  readonly from: number | null;
  readonly to: number | null;
  /** Those with the most turns, at most 20. */
  readonly speakers: readonly { readonly name: string; readonly role: string; readonly turns: number }[];
  /** Those with the most turns, at most 20. */
  readonly largest: readonly { readonly id: string; readonly title: string | null; readonly turns: number }[];
  /** Records that would be skipped on purpose and invalid records, by reason, with the first place of each. */
  readonly leftOut: readonly LeftOutCount[];
  readonly rejected: readonly LeftOutCount[];
  /** Assumptions: an order of dates, a time zone. */
  readonly notes: readonly string[];
}

export interface LeftOutCount extends LeftOut {
  readonly count: number;
}

/** Counts what an import would add while its records are read. */
export class PreviewTally {
  readonly #conversations = new Map<string, { id: string; title: string | null; turns: number }>();
  readonly #speakers = new Map<string, { name: string; role: string; turns: number }>();
  readonly #leftOut = new Map<string, { where: string; reason: string; count: number }>();
  readonly #rejected = new Map<string, { where: string; reason: string; count: number }>();
  readonly #notes: string[] = [];
  #turns = 0;
  #characters = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  /** Listeners to pass to `read`, so that the tally also counts skipped records and notes. */
  get listeners(): Required<Pick<ReadOptions, 'onLeftOut' | 'onNote'>> {
    return {
      onLeftOut: (what) => count(this.#leftOut, what),
      onNote: (note) => void this.#notes.push(note),
    };
  }

  add(record: ImportRecord): void {
    if (record.kind === 'rejected') count(this.#rejected, record);
    else this.#addTurn(record);
  }

  #addTurn({ turn, conversation }: TurnRecord): void {
    const { content, role = 'user', session = 'main', speaker } = turn;
    const at = parseTimestamp(turn.at ?? '');
    this.#turns++;
    this.#characters += content.length;
    if (at !== null) [this.#from, this.#to] = [Math.min(this.#from, at), Math.max(this.#to, at)];
    const name = speaker ?? role;
    const said = this.#speakers.get(JSON.stringify([name, role])) ?? { name, role, turns: 0 };
    this.#speakers.set(JSON.stringify([name, role]), { ...said, turns: said.turns + 1 });
    const chat = this.#conversations.get(session) ?? {
      id: session,
      title: conversation?.title ?? null,
      turns: 0,
    };
    this.#conversations.set(session, { ...chat, turns: chat.turns + 1 });
  }

  get leftOut(): readonly LeftOutCount[] {
    return [...this.#leftOut.values()];
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  result(about: Pick<ImportPreview, 'format' | 'bytes'>): ImportPreview {
    return {
      ...about,
      conversations: this.#conversations.size,
      turns: this.#turns,
      characters: this.#characters,
      from: this.#turns === 0 ? null : this.#from,
      to: this.#turns === 0 ? null : this.#to,
      speakers: largest(this.#speakers.values()),
      largest: largest(this.#conversations.values()),
      leftOut: this.leftOut,
      rejected: [...this.#rejected.values()],
      notes: this.notes,
    };
  }
}

/**
 * Reports what importing a file would add; stores nothing. Reads the file once, with the same memory use as the import.
 *
 * @throws FileUnreadableError, CancelledError, and InvalidInputError for invalid settings.
 */
export async function previewImport(
  importer: Importer,
  path: string,
  options: Pick<ReadOptions, 'signal' | 'settings' | 'onProgress'> = {},
): Promise<ImportPreview> {
  const tally = new PreviewTally();
  for await (const record of importer.read(path, { ...options, ...tally.listeners })) tally.add(record);
  return tally.result({ format: importer.name, bytes: await bytesOf(path) });
}

/** Size on disk, of a folder that of the files with these names; null for a pipe. */
export async function bytesOf(path: string, only?: ReadonlySet<string>): Promise<number | null> {
  const status = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (status.isFile()) return status.size;
  if (!status.isDirectory()) return null;
  const { files } = await openFiles(path, (name) => only?.has(shownName(name)) ?? true);
  return files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
}

function count(
  counts: Map<string, { where: string; reason: string; count: number }>,
  { where, reason }: LeftOut,
): void {
  const known = counts.get(reason);
  if (known !== undefined) known.count++;
  else if (counts.size < REASONS || reason === OTHER) counts.set(reason, { where, reason, count: 1 });
  else count(counts, { where, reason: OTHER });
}

function largest<Item extends { turns: number }>(items: Iterable<Item>): Item[] {
  return [...items].sort((a, b) => b.turns - a.turns).slice(0, NAMED);
}

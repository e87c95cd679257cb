import { basename, resolve } from 'node:path';
import { FileUnreadableError } from '../errors/index.ts';
import { CONVERSATION_TITLE } from '../model/turn-metadata.ts';
import { Breather } from '../util/breathe.ts';
import { cached } from '../util/collections.ts';
import { writtenAt } from '../util/speaker-clock.ts';
import { type FileSample, type ImportFile, type ImportFiles, shownName } from './files/import-file.ts';
import { openFiles } from './files/open-files.ts';
import {
  type FactRecord,
  type Importer,
  type ImportRecord,
  type ReadOptions,
  type ReadSettings,
  type RejectedRecord,
  readSettings,
  rejected,
  throwIfCancelled,
  withTolerance,
} from './importer.ts';
import { reasonOf } from './unreadable.ts';

/** A local date and time; months count from 1. */
interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Zone offsets change at full quarters of an hour. */
const STEP = HOUR / 4;

/** Converts local times of a zone to milliseconds since 1970. */
class WallClock {
  readonly #format: Intl.DateTimeFormat | null;
  readonly #offsets = new Map<number, number>();
  #last = Number.NEGATIVE_INFINITY;

  /** A zone as IANA names it; throws RangeError for another. */
  constructor(timeZone: string) {
    this.#format =
      timeZone === 'UTC'
        ? null
        : new Intl.DateTimeFormat('en-US', { timeZone, ...NUMERIC, era: 'short', hourCycle: 'h23' });
  }

  /**
   * Null for an invalid date, such as 30 February. A time in a repeated hour is its first pass, unless that would be
   * before the time asked for last: messages come in their order. For a skipped hour in spring, the hour after it.
   */
  at(time: WallTime): number | null {
    const shown = utcOf(time);
    if (shown === null || this.#format === null) return shown;
    const [before, after] = [this.#offset(shown - DAY), this.#offset(shown + DAY)];
    const fits = [before, after].filter((offset) => this.#offset(shown - offset) === offset);
    const [first, second] = [shown - (fits[0] ?? before), shown - (fits[1] ?? fits[0] ?? before)];
    this.#last = first < this.#last && this.#last <= second ? second : first;
    return this.#last;
  }

  /** How far the zone is ahead of UTC at a time. */
  offsetAt(at: number): number {
    return this.#format === null ? 0 : this.#offset(at);
  }

  #offset(at: number): number {
    const step = Math.floor(at / STEP);
    return cached(this.#offsets, step, () => this.#measure(step * STEP));
  }

  #measure(at: number): number {
    const parts = Object.fromEntries(this.#format!.formatToParts(at).map(({ type, value }) => [type, value]));
    const [year, month, day, hour, minute, second] = FIELDS.map((field) => Number(parts[field]));
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - at;
  }
}

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
const NUMERIC = Object.fromEntries(FIELDS.map((field) => [field, 'numeric'])) as Record<
  (typeof FIELDS)[number],
  'numeric'
>;

function utcOf({ year, month, day, hour, minute, second }: WallTime): number | null {
  if (hour > 23 || minute > 59 || second > 60) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.getTime() + (hour * 3600 + minute * 60 + second) * 1000;
}

/** The state that a format shares between the files of one import. */
export class ReadContext {
  readonly path: string;
  /** Of the file, the folder or the archive. */
  readonly name: string;
  readonly settings: ReadSettings;
  readonly files: ImportFiles;
  /** Names of the conversations read so far, to detect a repeated name. */
  readonly known = new Set<string>();
  /** The owners in an export of several people's memories. */
  readonly groups = new Set<string>();
  readonly #options: ReadOptions;
  readonly #noted = new Set<string>();
  readonly #total: number | null;
  #clock: WallClock | null = null;
  #done = 0;

  constructor(files: ImportFiles, settings: ReadSettings, options: ReadOptions) {
    this.path = files.path;
    this.name = options.name ?? basename(resolve(files.path));
    this.files = files;
    this.settings = settings;
    this.#options = options;
    const sizes = files.files.map((file) => file.bytes);
    this.#total = sizes.includes(null) ? null : sizes.reduce((sum: number, size) => sum + size!, 0);
  }

  /** Parses times without a zone. */
  get clock(): WallClock {
    this.#clock ??= new WallClock(this.settings.timeZone);
    return this.#clock;
  }

  /** Prefix of a place within a file: empty if there is only one file. */
  in(file: ImportFile): string {
    return this.files.files.length > 1 ? `${file.name}, ` : '';
  }

  leftOut(where: string, reason: string): void {
    this.#options.onLeftOut?.({ where, reason });
  }

  /** Each note once. */
  note(note: string): void {
    if (this.#noted.has(note)) return;
    this.#noted.add(note);
    this.#options.onNote?.(note);
  }

  /** Notes that a file's times have no zone. */
  noteTimeZone(): void {
    this.note(`Its times have no zone and are read as ${this.settings.timeZone}`);
  }

  /** Reports bytes read. Throws CancelledError when the signal is aborted. */
  advance(bytes: number): void {
    throwIfCancelled(this.#options.signal);
    this.#done += bytes;
    this.#options.onProgress?.({ unit: 'bytes', done: this.#done, total: this.#total });
  }
}

/** A format that comes as a file, as a folder of files, or as a zip archive. */
export interface ChatFormat {
  readonly name: string;
  readonly description: string;
  /** Whether to read a file of a folder or an archive, by its path in it. */
  wanted(name: string): boolean;
  recognize(sample: FileSample): string | null;
  records(file: ImportFile, context: ReadContext): AsyncIterable<ImportRecord>;
  /** Whether its times are days rather than moments, so that the time zone of the import does not move them. */
  readonly hasDays?: true;
  facts?(file: ImportFile, context: ReadContext): AsyncIterable<FactRecord | RejectedRecord>;
}

export function chatImporter(format: ChatFormat): Importer {
  const { name, description, facts } = format;
  return {
    name,
    description,
    readsFolders: true,
    recognize: (sample) => (sample.isWithin && !format.wanted(sample.name) ? null : format.recognize(sample)),
    read: (path, options = {}) =>
      withTolerance(path, options, (inner) =>
        withTitles(
          readFiles(path, {
            format,
            options: inner,
            read: (file, context) =>
              format.hasDays ? format.records(file, context) : inZone(format.records(file, context), context),
          }),
        ),
      ),
    ...(facts === undefined
      ? {}
      : {
          facts: (path, options = {}) =>
            readFiles(path, { format, options, read: (file, context) => facts(file, context) }),
        }),
  };
}

/** The first turn of each conversation keeps its title. */
async function* withTitles(records: AsyncIterable<ImportRecord>): AsyncGenerator<ImportRecord> {
  const known = new Set<string>();
  for await (const record of records) {
    const { id, title } = (record.kind === 'turn' && record.conversation) || {};
    if (record.kind !== 'turn' || id === undefined || title === undefined || known.has(id)) yield record;
    else {
      known.add(id);
      const { turn } = record;
      // Where the session has its name, that is enough.
      const metadata = id.endsWith(title) ? turn.metadata : { ...turn.metadata, [CONVERSATION_TITLE]: title };
      yield { ...record, turn: { ...turn, ...(metadata !== undefined && { metadata }) } };
    }
  }
}

/** Turns with their times as the clocks of the import's time zone showed them, so that "today" is their day. */
async function* inZone(records: AsyncIterable<ImportRecord>, { clock }: ReadContext) {
  for await (const record of records) {
    const at = record.kind === 'turn' ? record.turn.at : undefined;
    const offset = at instanceof Date ? clock.offsetAt(at.getTime()) : 0;
    if (record.kind !== 'turn' || !(at instanceof Date) || offset === 0) yield record;
    else yield { ...record, turn: { ...record.turn, at: writtenAt({ validAt: at.getTime(), offset }) } };
  }
}

interface Reading<Item> {
  readonly format: ChatFormat;
  readonly options: ReadOptions;
  readonly read: (file: ImportFile, context: ReadContext) => AsyncIterable<Item>;
}

async function* readFiles<Item>(
  path: string,
  { format, options, read }: Reading<Item>,
): AsyncGenerator<Item | RejectedRecord> {
  const settings = readSettings(options.settings);
  throwIfCancelled(options.signal);
  const { only } = options;
  const isWanted = (name: string) => format.wanted(name) && (only === undefined || only.has(shownName(name)));
  const files = await openFiles(path, isWanted, options.name);
  try {
    if (files.files.length === 0) throw new FileUnreadableError(path, reasonForNone(format, files));
    for (const { name, reason } of files.refused) yield rejected(name, reason);
    const context = new ReadContext(files, settings, options);
    const state: Bad = { first: null, isAnyRead: false };
    for (const file of files.files)
      yield* orRejected(read(file, context), { path, file, state, signal: options.signal });
    if (!state.isAnyRead && state.first !== null) throw state.first.error;
  } finally {
    await files.close();
  }
}

function reasonForNone({ name }: ChatFormat, { refused }: ImportFiles): string {
  const [first] = refused;
  return first === undefined ? `it has no file of the format ${name}` : `${first.name} ${first.reason}`;
}

/** A bad file is skipped and reported; if nothing of any file is read, the error of the first is thrown. */
interface Bad {
  /** The first bad file, not reported yet. */
  first: { readonly rejection: RejectedRecord; readonly error: FileUnreadableError } | null;
  isAnyRead: boolean;
}

interface OneOfFiles {
  readonly path: string;
  readonly file: ImportFile;
  readonly state: Bad;
  readonly signal: AbortSignal | undefined;
}

async function* orRejected<Item>(
  items: AsyncIterable<Item>,
  { path, file, state, signal }: OneOfFiles,
): AsyncGenerator<Item | RejectedRecord> {
  const breather = new Breather();
  try {
    for await (const item of items) {
      throwIfCancelled(signal);
      await breather.breathe();
      if (!state.isAnyRead && state.first !== null) yield state.first.rejection;
      state.isAnyRead = true;
      yield item;
    }
  } catch (error) {
    if (!FileUnreadableError.isInstance(error)) throw error;
    const rejection = rejected(file.name, reasonOf(path, error).replace(`${file.name}, `, ''));
    if (state.first === null && !state.isAnyRead) state.first = { rejection, error };
    else yield rejection;
  }
}

import type { z } from 'zod';
import { FileUnreadableError } from '../errors/file-unreadable-error.ts';
import { breathe } from '../util/breathe.ts';
import { describeIssues } from '../util/describe-issues.ts';
import type { Importer, ImportRecord, ReadOptions, RejectedRecord } from './importer.ts';
import { readJsonFile } from './read-json-file.ts';
import { throwIfCancelled, withTolerance } from './tolerate.ts';
import { rejected } from './turn-record.ts';
import { UniqueNames } from './unique-names.ts';

/** A JSON file that is a list of entries (conversations, questions with their passages). */
export interface JsonFormat<Data> {
  readonly name: string;
  readonly description: string;
  /** What an entry is called in reports: "conversation". */
  readonly noun: string;
  readonly schema: z.ZodType<Data>;
  /** A key of every entry, by which a file of the format is told from others. */
  readonly tellingKey: string;
  /** The entry's own id, if it has one. */
  idOf(data: Data): string | undefined;
  /** Its turns in order; `prefixed` sessions begin with the entry's id. */
  records(entry: Entry<Data>, options: RecordOptions): Iterable<ImportRecord>;
}

export interface RecordOptions {
  /** Set where several entries go into one scope and their sessions must not meet. */
  readonly prefixed: boolean;
}

export interface Entry<Data> {
  readonly kind: 'entry';
  /** "conversation 3" */
  readonly where: string;
  /** Unique within the file. */
  readonly id: string;
  readonly data: Data;
}

/** Reads the file's list; a single entry that is no list counts as a list of one. */
export async function readEntryList<Data>(
  format: JsonFormat<Data>,
  path: string,
  signal?: AbortSignal,
): Promise<readonly unknown[]> {
  const root = await readJsonFile(path, signal);
  if (Array.isArray(root)) return root;
  if (format.schema.safeParse(root).success) return [root];
  throw new FileUnreadableError(
    path,
    `it is neither a ${format.noun} of the format ${format.name} nor a list of them`,
  );
}

/** One at a time: the checked copy of an entry can be let go before the next is made. */
export function* parseEntries<Data>(
  format: JsonFormat<Data>,
  list: readonly unknown[],
): Generator<Entry<Data> | RejectedRecord> {
  const ids = new UniqueNames();
  for (const [position, raw] of list.entries()) {
    const where = `${format.noun} ${position + 1}`;
    const parsed = format.schema.safeParse(raw);
    if (!parsed.success) yield rejected(where, describeIssues(parsed.error));
    else {
      const id = ids.take(format.idOf(parsed.data) ?? `${format.noun}-${position + 1}`);
      yield { kind: 'entry', where, id, data: parsed.data };
    }
  }
}

/** The importer of a JSON format: all entries into one scope. */
export function jsonImporter<Data>(format: JsonFormat<Data>): Importer {
  return {
    name: format.name,
    description: format.description,
    read: (path, options = {}) => readRecords(format, path, options),
    recognize: ({ isWithin, keys }) =>
      !isWithin && [format.tellingKey, `[].${format.tellingKey}`].some((key) => keys.has(key))
        ? `its ${format.noun}s have "${format.tellingKey}"`
        : null,
  };
}

async function* readRecords<Data>(
  format: JsonFormat<Data>,
  path: string,
  options: ReadOptions,
): AsyncGenerator<ImportRecord> {
  const list = await readEntryList(format, path, options.signal);
  yield* withTolerance(path, options, (inner) => recordsOf(format, list, inner));
}

async function* recordsOf<Data>(
  format: JsonFormat<Data>,
  list: readonly unknown[],
  { signal, onProgress }: ReadOptions,
): AsyncGenerator<ImportRecord> {
  const prefixed = list.length > 1;
  let done = 0;
  for (const entry of parseEntries(format, list)) {
    throwIfCancelled(signal);
    if (entry.kind === 'rejected') yield entry;
    else yield* format.records(entry, { prefixed });
    onProgress?.({ unit: 'entries', done: ++done, total: list.length });
    await breathe();
  }
}

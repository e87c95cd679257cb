import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { FileUnreadableError } from '../../errors/index.ts';
import { breathe } from '../../util/breathe.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseJson } from '../../util/parse-json.ts';
import {
  type Importer,
  type ImportRecord,
  type ReadOptions,
  type RejectedRecord,
  rejected,
  throwIfCancelled,
  withTolerance,
} from '../importer.ts';
import { UniqueNames } from '../unique-names.ts';
import { foreignStart, unreadable } from '../unreadable.ts';

/** The JSON is parsed in memory; V8's longest string is 512 MB. */
export const MAX_JSON_BYTES = 400 * 1024 * 1024;

/** Returns the parsed file, not validated yet. Throws FileUnreadableError with the position of the error. */
export async function readJsonFile(path: string, signal?: AbortSignal): Promise<unknown> {
  const bytes = await readBytes(path, signal);
  const foreign = foreignStart(bytes);
  if (foreign !== null) throw new FileUnreadableError(path, foreign);
  if (!isUtf8(bytes))
    throw new FileUnreadableError(path, `it is not UTF-8 text near byte ${findBadByte(bytes)}`);
  const json = parseJson(new TextDecoder().decode(bytes));
  if (!json.ok) throw new FileUnreadableError(path, json.reason);
  return json.value;
}

async function readBytes(path: string, signal: AbortSignal | undefined): Promise<Buffer> {
  throwIfCancelled(signal);
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    await checkSize(path, file);
    return await file.readFile(signal === undefined ? {} : { signal });
  } catch (cause) {
    throwIfCancelled(signal);
    throw unreadable(path, cause);
  } finally {
    await file?.close();
  }
}

async function checkSize(path: string, file: FileHandle): Promise<void> {
  const status = await file.stat();
  if (status.isDirectory()) throw new FileUnreadableError(path, 'it is a directory');
  if (!status.isFile()) throw new FileUnreadableError(path, 'it is not a regular file');
  if (status.size > MAX_JSON_BYTES)
    throw new FileUnreadableError(path, `it is larger than ${MAX_JSON_BYTES / 1024 / 1024} MB; split it`);
}

/** Accurate to one step, because the decoder does not report the position of the wrong byte. */
function findBadByte(bytes: Uint8Array): number {
  const step = 1024;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let at = 0; at < bytes.length; at += step) {
    try {
      decoder.decode(bytes.subarray(at, at + step), { stream: true });
    } catch {
      return at;
    }
  }
  return bytes.length;
}

/** A JSON file that is a list of entries (conversations, questions with their passages). */
export interface JsonFormat<Data> {
  readonly name: string;
  readonly description: string;
  /** The noun for an entry in reports: "conversation". */
  readonly noun: string;
  readonly schema: z.ZodType<Data>;
  /** A key of every entry that identifies the format. */
  readonly identifyingKey: string;
  /** The entry's own id, if it has one. */
  idOf(data: Data): string | undefined;
  /** Its turns in order; `prefixed` sessions begin with the entry's id. */
  records(entry: Entry<Data>, options: RecordOptions): Iterable<ImportRecord>;
}

export interface RecordOptions {
  /** Set if several entries share a scope and their sessions must stay separate. */
  readonly prefixed: boolean;
}

export interface Entry<Data> {
  readonly kind: 'entry';
  readonly where: string;
  /** Unique within the file. */
  readonly id: string;
  readonly data: Data;
}

/** Reads the file's list; a single entry counts as a list of one. */
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

/** One at a time, so that the validated copy of an entry is freed before the next is created. */
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
      !isWithin && [format.identifyingKey, `[].${format.identifyingKey}`].some((key) => keys.has(key))
        ? `its ${format.noun}s have "${format.identifyingKey}"`
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

/** An identifier; some exports write numbers. */
export const idSchema = z
  .union([z.string(), z.number()])
  .transform((id) => String(id).trim())
  .pipe(z.string().min(1));

/** All turns of a session share one time; one second is added per turn to keep their order. */
export function secondsAfter(start: number, index: number): Date {
  return new Date(start + index * 1000);
}

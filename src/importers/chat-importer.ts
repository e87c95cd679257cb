import { FileUnreadableError } from '../errors/file-unreadable-error.ts';
import { Breather } from '../util/breathe.ts';
import type { FileSample } from './files/file-sample.ts';
import type { ImportFile, ImportFiles } from './files/import-file.ts';
import { openFiles } from './files/open-files.ts';
import { readSettings } from './import-settings.ts';
import type { FactRecord, Importer, ImportRecord, ReadOptions, RejectedRecord } from './importer.ts';
import { ReadContext } from './read-context.ts';
import { throwIfCancelled, withTolerance } from './tolerate.ts';
import { rejected } from './turn-record.ts';
import { reasonOf } from './unreadable.ts';

/** A format that comes as a file, as a folder of files, or as a zip archive. */
export interface ChatFormat {
  readonly name: string;
  readonly description: string;
  /** Which files of a folder or an archive are read, by their path in it. */
  wanted(name: string): boolean;
  recognize(sample: FileSample): string | null;
  records(file: ImportFile, context: ReadContext): AsyncIterable<ImportRecord>;
  facts?(file: ImportFile, context: ReadContext): AsyncIterable<FactRecord | RejectedRecord>;
}

export function chatImporter(format: ChatFormat): Importer {
  const { name, description, facts } = format;
  return {
    name,
    description,
    recognize: (sample) => (sample.isWithin && !format.wanted(sample.name) ? null : format.recognize(sample)),
    read: (path, options = {}) =>
      withTolerance(path, options, (inner) =>
        readFiles(path, { format, options: inner, read: (file, context) => format.records(file, context) }),
      ),
    ...(facts === undefined
      ? {}
      : {
          facts: (path, options = {}) =>
            readFiles(path, { format, options, read: (file, context) => facts(file, context) }),
        }),
  };
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
  const files = await openFiles(path, (name) => format.wanted(name));
  try {
    if (files.files.length === 0) throw new FileUnreadableError(path, reasonForNone(format, files));
    for (const { name, reason } of files.refused) yield rejected(name, reason);
    const context = new ReadContext(files, settings, options);
    for (const [position, file] of files.files.entries())
      yield* orRejected(read(file, context), { path, file, isFirst: position === 0, signal: options.signal });
  } finally {
    await files.close();
  }
}

function reasonForNone({ name }: ChatFormat, { refused }: ImportFiles): string {
  const [first] = refused;
  return first === undefined
    ? `it holds no file that the format ${name} reads`
    : `${first.name} ${first.reason}`;
}

interface OneOfFiles {
  readonly path: string;
  readonly file: ImportFile;
  readonly isFirst: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Of several files a bad one is left out; where it is the only or the first one, there is nothing to keep. */
async function* orRejected<Item>(
  items: AsyncIterable<Item>,
  { path, file, isFirst, signal }: OneOfFiles,
): AsyncGenerator<Item | RejectedRecord> {
  const breather = new Breather();
  let given = 0;
  try {
    for await (const item of items) {
      throwIfCancelled(signal);
      await breather.breathe();
      given++;
      yield item;
    }
  } catch (error) {
    if (!FileUnreadableError.isInstance(error) || (isFirst && given === 0)) throw error;
    yield rejected(file.name, reasonOf(path, error).replace(`${file.name}, `, ''));
  }
}

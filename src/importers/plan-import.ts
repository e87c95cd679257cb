import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileUnreadableError } from '../errors/index.ts';
import { detectFormat, MAY_BE_IMPORTED } from './detect-format.ts';
import { type ImportFile, type ImportFiles, sampleOf } from './files/import-file.ts';
import { openFiles } from './files/open-files.ts';
import type { Importer } from './importer.ts';
import { IMPORTERS } from './registry.ts';
import { reasonOf, unreadable } from './unreadable.ts';

/** Files of one format, which are read together. */
export interface ImportPart {
  readonly importer: Importer;
  /** The evidence for the format, as in "its conversations have …". */
  readonly because: string;
  /** The file, archive or folder to read. */
  readonly path: string;
  /** Of the folder, the names of the files to read, for `only` of `read`; null if all of the path is read. */
  readonly only: ReadonlySet<string> | null;
  /** The same names, or that of the one file or archive, for reports. */
  readonly files: readonly string[];
}

/** What is in a path, by format. */
export interface ImportPlan {
  readonly isFolder: boolean;
  readonly parts: readonly ImportPart[];
  /** Files that may be exports or documents and are not read, with the reason. */
  readonly unrecognized: readonly { readonly name: string; readonly reason: string }[];
  /** Number of other files, such as pictures. */
  readonly others: number;
}

const ZIP = /\.zip$/i;

/**
 * Finds the files to import. Each file and each archive of a folder is recognized by itself, so that a folder may hold
 * exports of several kinds; those of one format that comes in folders are one part. A file or an archive is one part.
 *
 * @param importers The candidates, in this order.
 * @throws FileUnreadableError if the path cannot be read, or nothing in it is recognized.
 */
export async function planImport(
  path: string,
  importers: readonly Importer[] = IMPORTERS,
): Promise<ImportPlan> {
  const status = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (!status.isDirectory()) {
    const { importer, because } = await detectFormat(path, importers);
    const part = { importer, because, path, only: null, files: [path] };
    return { isFolder: false, parts: [part], unrecognized: [], others: 0 };
  }
  let others = 0;
  const isWanted = (name: string) => {
    const isIt = MAY_BE_IMPORTED.test(name) || ZIP.test(name);
    if (!isIt) others++;
    return isIt;
  };
  const files = await openFiles(path, isWanted);
  const plan = await planFolder(files, importers);
  if (plan.parts.length > 0) return { ...plan, isFolder: true, others };
  const [first] = plan.unrecognized;
  throw new FileUnreadableError(
    path,
    first === undefined ? 'it has no file in a known format' : `${first.name} in it: ${first.reason}`,
  );
}

async function planFolder(
  { path, files, refused }: ImportFiles,
  importers: readonly Importer[],
): Promise<Pick<ImportPlan, 'parts' | 'unrecognized'>> {
  const together = new Map<Importer, { because: string; files: string[] }>();
  const alone: ImportPart[] = [];
  const unrecognized = [...refused];
  for (const file of files) {
    const found = ZIP.test(file.name)
      ? await ofArchive(path, file, importers)
      : await ofFile(file, importers);
    if (typeof found === 'string') unrecognized.push({ name: file.name, reason: found });
    else if (found.isOfFolder) {
      const part = together.get(found.importer) ?? { because: found.because, files: [] };
      part.files.push(file.name);
      together.set(found.importer, part);
    } else alone.push({ ...found, path: join(path, file.name), only: null, files: [file.name] });
  }
  const groups = [...together].map(([importer, part]) => ({
    importer,
    path,
    only: new Set(part.files),
    ...part,
  }));
  return { parts: [...groups, ...alone], unrecognized };
}

interface Found extends Pick<ImportPart, 'importer' | 'because'> {
  /** Whether the importer reads it as a file of the folder. */
  readonly isOfFolder: boolean;
}

/** The format of a file; else why it has none. */
async function ofFile(file: ImportFile, importers: readonly Importer[]): Promise<Found | string> {
  const sample = await sampleOf(file, { isWithin: true });
  if (sample.text.trim() === '') return 'it is empty, or it is not UTF-8 text';
  for (const importer of importers)
    for (const isWithin of [true, false]) {
      const because = importer.recognize?.({ ...sample, isWithin }) ?? null;
      if (because !== null)
        return { importer, because, isOfFolder: isWithin && importer.readsFolders === true };
    }
  return 'its format was not recognized';
}

async function ofArchive(
  folder: string,
  file: ImportFile,
  importers: readonly Importer[],
): Promise<Found | string> {
  const path = join(folder, file.name);
  try {
    return { ...(await detectFormat(path, importers)), isOfFolder: false };
  } catch (error) {
    if (!FileUnreadableError.isInstance(error)) throw error;
    return reasonOf(path, error);
  }
}

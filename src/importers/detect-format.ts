import { stat } from 'node:fs/promises';
import { FileUnreadableError } from '../errors/index.ts';
import { type FileSample, type ImportFile, type ImportFiles, sampleOf } from './files/import-file.ts';
import { openFiles } from './files/open-files.ts';
import type { Importer } from './importer.ts';
import { IMPORTERS } from './registry.ts';
import { unreadable } from './unreadable.ts';

/** Names of files that may be an export or a document. */
export const MAY_BE_IMPORTED = /(?:\.(?:jsonl?|ndjson|csv|tsv|txt|text|md|markdown|mdx)|activity\.html)$/i;
/** File names of the main file in exports of chats. */
const LIKELY = /(?:^|\/)(?:conversations|result|_chat|main\.jsonl|myactivity|users\.json|data\.json)[^/]*$/i;
/** The most files of a folder or an archive to inspect. */
const SAMPLES = 12;

/** The format of a file, and the evidence for it: show both to the user. */
export interface DetectedFormat {
  readonly importer: Importer;
  /** The evidence, as in "its conversations have …". */
  readonly because: string;
}

/**
 * Detects the format of a file, a folder or an archive by its content, and of documents by their name.
 *
 * @param path A file, a folder, or a zip archive; the format of a pipe cannot be detected.
 * @param importers The candidates, in this order.
 * @param name The file's own name, where the path does not have it.
 * @throws FileUnreadableError If it cannot be read, or has no known format.
 */
export async function detectFormat(
  path: string,
  importers: readonly Importer[] = IMPORTERS,
  name?: string,
): Promise<DetectedFormat> {
  const status = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (!status.isFile() && !status.isDirectory())
    throw new FileUnreadableError(
      path,
      'it is not a regular file, so its format cannot be detected; name the format',
    );
  const files = await openFiles(path, (each) => MAY_BE_IMPORTED.test(each), name);
  try {
    const samples = await samplesOf(files);
    for (const importer of importers)
      for (const sample of samples) {
        const because = importer.recognize?.(sample) ?? null;
        if (because !== null) return { importer, because };
      }
    throw new FileUnreadableError(path, reasonFor(files, samples, importers));
  } finally {
    await files.close();
  }
}

async function samplesOf({ files, kind }: ImportFiles): Promise<FileSample[]> {
  const isWithin = kind !== 'file';
  const rank = ({ name }: ImportFile) => (LIKELY.test(name) ? 0 : 1);
  const likely = files.toSorted((a, b) => rank(a) - rank(b)).slice(0, SAMPLES);
  const samples: FileSample[] = [];
  for (const file of likely) samples.push(await sampleOf(file, { isWithin }));
  return samples;
}

function reasonFor(
  { refused }: ImportFiles,
  samples: readonly FileSample[],
  importers: readonly Importer[],
): string {
  const [first] = refused;
  if (samples.length === 0 && first !== undefined) return `${first.name} ${first.reason}`;
  if (samples.length === 0) return 'it has no file in a known format';
  if (samples.some(({ text }) => text.startsWith('{"format":"mnemis-export"')))
    return 'it is an export of Mnemis itself, which is restored, not imported ("mnemis restore")';
  if (samples.every(({ text }) => text.trim() === '')) return 'it is empty, or it is not UTF-8 text';
  const names = importers.map(({ name }) => name).join(', ');
  return `its format was not recognized; name it, if it is one of: ${names}`;
}

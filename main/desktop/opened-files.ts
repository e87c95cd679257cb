import { createReadStream, statSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { Readable } from 'node:stream';

/** The endings that the installers register (electron-builder.yml, desktop/installer.nsh). */
export const IMPORTED_ENDINGS = ['zip', 'json', 'jsonl', 'txt', 'md', 'pdf'] as const;
const IMPORTED = new RegExp(`\\.(?:${IMPORTED_ENDINGS.join('|')})$`, 'i');
const MOST_FILES = 50;

/**
 * Files that the system has the app open. The page reads them at addresses that hold an id and no path, and shows them
 * as it does chosen ones: nothing is imported before a person says so.
 */
export class OpenedFiles {
  readonly #paths = new Map<string, string>();

  /** The place that shows files of these words, which may be a program's arguments; null if none is a file to import. */
  placeOf(words: readonly string[], folder: string): string | null {
    const paths = words.flatMap((word) => {
      if (word.startsWith('-') || !IMPORTED.test(word)) return [];
      const path = isAbsolute(word) ? word : resolve(folder, word);
      return statSync(path, { throwIfNoEntry: false })?.isFile() ? [path] : [];
    });
    if (paths.length === 0) return null;
    // Of files that were opened before, the oldest are left out.
    for (const oldest of this.#paths.keys()) {
      if (this.#paths.size + paths.length <= MOST_FILES) break;
      this.#paths.delete(oldest);
    }
    const ids = paths.map((path) => {
      const id = crypto.randomUUID();
      this.#paths.set(id, path);
      return id;
    });
    return `/import/${ids.join(',')}`;
  }

  /** The bytes of an opened file, with its name in a header; null for an id that is not known or a file that is gone. */
  read(id: string): Response | null {
    const path = this.#paths.get(id);
    const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (path === undefined || !stat?.isFile()) return null;
    return new Response(Readable.toWeb(createReadStream(path)) as ReadableStream, {
      headers: {
        'content-type': 'application/octet-stream',
        'cache-control': 'no-store',
        'x-file-name': encodeURIComponent(basename(path)),
      },
    });
  }
}

import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HeldTally, type TextHolder } from './text-holder.ts';
import { BytePatterns } from './text-patterns.ts';

const CHUNK = 2 ** 20;

/** Files and folders, searched byte by byte; missing ones hold nothing. */
export function fileHolder(paths: () => Iterable<string>): TextHolder {
  return {
    name: 'files',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      const patterns = new BytePatterns(texts);
      for (const path of paths())
        for (const file of await filesUnder(path)) {
          const found = { add: (text: number) => tally.add(text, basename(file)) };
          await searchFile(file, patterns, { signal, ...found });
        }
      return tally.all();
    },
  };
}

async function filesUnder(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => null);
  if (stats?.isFile()) return [path];
  if (!stats?.isDirectory()) return [];
  const files: string[] = [];
  for (const name of (await readdir(path)).sort()) files.push(...(await filesUnder(join(path, name))));
  return files;
}

interface SearchOptions {
  readonly signal: AbortSignal | undefined;
  readonly add: (text: number) => void;
}

async function searchFile(
  path: string,
  patterns: BytePatterns,
  { signal, add }: SearchOptions,
): Promise<void> {
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      const bytes = Buffer.concat([rest, chunk]);
      // Matches that begin in the last bytes are reported with the next chunk, unless the file ends here.
      const kept = Math.min(bytes.length, Math.max(0, patterns.longest - 1));
      for (const { text, at } of patterns.search(bytes)) if (at < bytes.length - kept) add(text);
      rest = bytes.subarray(bytes.length - kept);
      await nextTurn();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // removed in the meantime
  }
  for (const { text } of patterns.search(rest)) add(text);
}

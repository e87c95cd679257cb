import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Mnemis } from '../../src/engine.ts';
import { CancelledError, StoreWriteError } from '../../src/errors/index.ts';
import { hasFiles } from '../beside-memory.ts';
import type { ExportEvent } from '../contract.ts';

/** Of one event. */
const BYTES = 256 * 1024;

/**
 * The lines of an export, through a file: one snapshot, whose slow reader does not block writers.
 *
 * @throws CancelledError, DiskFullError, StoreWriteError; nothing is left of the file.
 */
export async function* exportedText(
  engine: Mnemis,
  scope: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ExportEvent, void> {
  const folder = await makeFolder(engine.describe().path);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, 'scope.jsonl');
    const { nodes, relationships } = await engine.scope(scope).exportTo(file, { signal });
    const handle = await open(file);
    try {
      await remove().catch(() => undefined); // where an open file can go, a kill leaves nothing of it from here on
      const lines = handle.createReadStream({ encoding: 'utf8', highWaterMark: BYTES, autoClose: false });
      for await (const text of lines as AsyncIterable<string>) {
        if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
        yield { type: 'text', text };
      }
    } finally {
      await handle.close();
    }
    yield { type: 'done', nodes, relationships };
  } finally {
    await remove();
  }
}

/**
 * Beside the memory's file, else in the system's temporary folder. One process at a time has a file open, so that what
 * others have left of theirs is nobody's.
 */
async function makeFolder(path: string): Promise<string> {
  if (!hasFiles(path)) return mkdtemp(join(tmpdir(), 'mnemis-export-'));
  const own = `${path}.export-${process.pid}-`;
  try {
    for (const name of await readdir(dirname(path)))
      if (name.startsWith(`${basename(path)}.export-`) && !name.startsWith(basename(own)))
        await rm(join(dirname(path), name), { recursive: true, force: true });
    return await mkdtemp(own);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StoreWriteError(`there could be no folder for the export: ${code}`, cause);
  }
}

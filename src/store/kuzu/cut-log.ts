import { existsSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { InvalidInputError } from '../../errors/index.ts';
import { makeFolder } from '../../util/files.ts';
import { copyWhole } from '../copy-file.ts';
import { lockFile } from '../memory-file.ts';
import type { CutLog, CutLogOptions } from '../store-files.ts';
import { undoInterruptedCheckpoint } from './checkpoint-copies.ts';
import { damageOfLog, finishReplacement, readSeal, Seal, sealPath, sizeOf, walPath } from './file-set.ts';

/**
 * Has the next opening of a database take its damaged log up to the break, where Kùzu stops, and keeps the damaged
 * files aside. Nobody may have the file open.
 *
 * @throws InvalidInputError if the log is not damaged, DatabaseCorruptError if the file itself is.
 */
export async function cutDamagedLog(path: string, { kept, opens }: CutLogOptions): Promise<CutLog> {
  const lock = await lockFile(path);
  try {
    undoInterruptedCheckpoint(path);
    finishReplacement(path);
    const damage = damageOfLog(path);
    const seal = readSeal(path);
    if (damage === null || seal === null)
      throw new InvalidInputError('The log of the memory has no damage to cut off');
    const altered = sizeOf(walPath(path)) >= seal.walBytes;
    const files = [path, walPath(path), sealPath(path)].filter((file) => existsSync(file));
    await makeFolder(kept);
    for (const file of files) await copyWhole(file, join(kept, basename(file)));
    const log = sizeOf(walPath(path)) === 0 ? Buffer.alloc(0) : readFileSync(walPath(path));
    const ends = endsOfCommits(log);
    const trial = async (end: number) => {
      const folder = `${kept}.trial`;
      const copy = join(folder, basename(path));
      try {
        await makeFolder(folder);
        await copyWhole(path, copy);
        await copyWhole(walPath(path), walPath(copy), { bytes: end });
        sealAnyLog(copy);
        return await opens(copy);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    };
    const end = altered ? await longestSound([...ends, log.length], trial) : ends.at(-1);
    if (log.length > 0) truncateSync(walPath(path), end ?? 0);
    sealAnyLog(path);
    const undo = async () => {
      for (const file of [path, walPath(path), sealPath(path)]) rmSync(file, { force: true });
      for (const file of files) renameSync(join(kept, basename(file)), file);
      rmSync(kept, { recursive: true, force: true });
    };
    return { kept, commits: seal.commits ?? null, altered, undo };
  } finally {
    await lock.release();
  }
}

/** The last of these ends where the trial succeeds, going back further each time. */
async function longestSound(
  ends: readonly number[],
  trial: (end: number) => Promise<boolean>,
): Promise<number> {
  for (let back = 1; back <= ends.length; back *= 2) {
    const end = ends.at(-back)!;
    if (await trial(end)) return end;
  }
  return 0;
}

function sealAnyLog(path: string): void {
  const seal = new Seal(path);
  seal.write({ state: 'settled', databaseBytes: sizeOf(path), walBytes: 0, walCrc: 0 });
  seal.close();
}

/** Types of records in Kùzu's log: its enumeration `WALRecordType`. */
const [BEGIN, COMMIT] = [1, 2];
const [FIRST_CHANGE, LAST_CHANGE] = [30, 35];

/**
 * Where the whole transactions of a log end, but for the last one. Kùzu reads a record without its end as if it were
 * there, which may end the process. A transaction begins with a change, whose type the number of its table follows in
 * eight bytes, of which six are zero.
 */
function endsOfCommits(log: Buffer): number[] {
  const ends: number[] = [];
  for (let at = log.indexOf(COMMIT); at >= 0 && at <= log.length - 11; at = log.indexOf(COMMIT, at + 1)) {
    const type = log[at + 2]!;
    if (log[at + 1] !== BEGIN || type < FIRST_CHANGE || type > LAST_CHANGE) continue;
    if (log.readUIntLE(at + 5, 6) === 0) ends.push(at + 1);
  }
  return ends;
}

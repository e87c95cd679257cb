import { existsSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { InvalidInputError } from '../../errors/index.ts';
import { makeFolder } from '../../util/files.ts';
import { lockFile } from '../memory-file.ts';
import { undoInterruptedCheckpoint } from './checkpoint-copies.ts';
import { copyWhole, damageOfLog, readSeal, Seal, sealPath, sizeOf, walPath } from './file-set.ts';

/** A damaged log that the next opening reads up to the break. */
export interface CutLog {
  /** Folder with the files as they were. */
  readonly kept: string;
  /** Commits of all scopes that were acknowledged; null if the seal does not say. */
  readonly commits: number | null;
  /** Whether the log has its full length, so that what is damaged are bytes within it. */
  readonly altered: boolean;
  /** Puts the damaged files back. */
  undo(): Promise<void>;
}

/**
 * Has the next opening of a database take its damaged log up to the break, where Kùzu stops, and keeps the damaged
 * files aside. Nobody may have the file open.
 *
 * @param kept A new folder for the files as they are.
 * @throws InvalidInputError if the log is not damaged, DatabaseCorruptError if the file itself is.
 */
export async function cutDamagedLog(path: string, kept: string): Promise<CutLog> {
  const lock = await lockFile(path);
  try {
    undoInterruptedCheckpoint(path);
    const damage = damageOfLog(path);
    const seal = readSeal(path);
    if (damage === null || seal === null)
      throw new InvalidInputError('The log of the memory has no damage to cut off');
    const altered = sizeOf(walPath(path)) >= seal.walBytes;
    const files = [path, walPath(path), sealPath(path)].filter((file) => existsSync(file));
    await makeFolder(kept);
    for (const file of files) await copyWhole(file, join(kept, basename(file)));
    if (!altered) truncateSync(walPath(path), endOfCommits(readFileSync(walPath(path))));
    const writer = new Seal(path);
    writer.write({ state: 'settled', databaseBytes: sizeOf(path), walBytes: 0, walCrc: 0 });
    writer.close();
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

/** Types of records in Kùzu's log: its enumeration `WALRecordType`. */
const [BEGIN, COMMIT] = [1, 2];
const [FIRST_CHANGE, LAST_CHANGE] = [30, 35];

/**
 * Where the last whole transaction of a shortened log ends: Kùzu reads a record without its end as if it were there,
 * which may end the process. A transaction begins with a change, whose type the number of its table follows in eight
 * bytes, of which six are zero.
 */
function endOfCommits(log: Buffer): number {
  for (let at = log.length - 10; at > 0; at -= 1) {
    const type = log[at + 2]!;
    if (log[at] !== COMMIT || log[at + 1] !== BEGIN || type < FIRST_CHANGE || type > LAST_CHANGE) continue;
    if (log.readUIntLE(at + 5, 6) === 0) return at + 1;
  }
  return 0;
}

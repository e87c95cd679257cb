import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { sealPath } from './file-set.ts';

const sealSchema = z.object({
  /** `creating`: the first open has not ended. `unsettled`: a checkpoint may be under way, nothing can be told. */
  state: z.enum(['creating', 'unsettled', 'settled']),
  /** Size of the database file at the last checkpoint: between checkpoints it only grows. */
  databaseBytes: z.number().int().nonnegative(),
  /** How much of the log held acknowledged commits, and its CRC-32. */
  walBytes: z.number().int().nonnegative(),
  walCrc: z.number().int().nonnegative(),
});
export type SealState = z.infer<typeof sealSchema>;

/** One write of one size, so that a crash leaves the old content or the new one. */
const BYTES = 256;
const RESERVE = 65_536;

/**
 * `<path>.seal`: what the database's files must at least hold. Kùzu has no checksums: it opens a shortened file
 * without complaint, and it silently drops a damaged log from the damage on, acknowledged commits included.
 */
export class Seal {
  readonly #file: number;

  constructor(database: string) {
    this.#file = openForUpdate(sealPath(database));
    this.reserve();
  }

  /**
   * Takes some disk room to be given back when a write failed for want of it: Kùzu, when closed, writes the
   * last page of its log once more, and a failure there ends the process.
   */
  reserve(): void {
    try {
      const { size } = fstatSync(this.#file);
      if (size < BYTES + RESERVE) writeSync(this.#file, Buffer.alloc(RESERVE, 0x20), 0, RESERVE, BYTES);
    } catch {
      // No room now; commits are refused before it matters, and the next open tries again.
    }
  }

  release(): void {
    ftruncateSync(this.#file, BYTES);
  }

  write(state: SealState): void {
    writeSync(this.#file, JSON.stringify(state).padEnd(BYTES), 0);
    // Commits happen often, and an older seal of the same log stays true; a checkpoint makes it untrue.
    if (state.state !== 'settled' || state.walBytes === 0) fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Null when there is none, or none that can be understood: then nothing can be told. */
export function readSeal(database: string): SealState | null {
  try {
    return sealSchema.parse(JSON.parse(readFileSync(sealPath(database), 'utf8')));
  } catch {
    return null;
  }
}

/** 'a' mode would ignore positions, 'r+' does not create. */
function openForUpdate(path: string): number {
  closeSync(openSync(path, 'a', 0o600));
  return openSync(path, 'r+');
}

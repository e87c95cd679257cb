import type { BatchReading } from '../../ingest/write/read-batch.ts';

interface Reading {
  readonly key: string;
  readonly result: Promise<BatchReading | null>;
}

/**
 * The reading of the batch after the one that is written: turns are read while the store writes. It holds texts, so it
 * is dropped when something is forgotten.
 */
export class ReadAhead {
  #reading: Reading | null = null;

  /** Begins to read a batch, unless that has begun; a failure is that of a reading in vain. */
  begin(key: string, read: () => Promise<BatchReading>): void {
    if (this.#reading?.key !== key) this.#reading = { key, result: read().catch(() => null) };
  }

  /** The reading of a batch; null if none was begun, or if it failed. */
  async take(key: string): Promise<BatchReading | null> {
    const reading = this.#reading;
    if (reading?.key !== key) return null;
    const result = await reading.result;
    const isKept = this.#reading === reading;
    if (isKept) this.#reading = null;
    return isKept ? result : null;
  }

  drop(): void {
    this.#reading = null;
  }
}

import type { BatchResolution } from '../../ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../ingest/write/build-batch.ts';
import type { BatchReading } from '../../ingest/write/read-batch.ts';
import { ReadAhead } from './read-ahead.ts';

/** What the steps of a batch have computed so far; null: nothing yet. */
export interface BatchInWork {
  reading: BatchReading | null;
  resolution: BatchResolution | null;
  built: BuiltBatch | null;
}

/** A run works on one batch at a time; a few runs may be at work, or stopped at a breakpoint. */
const MOST_BATCHES = 4;

/**
 * Keeps what was computed for a scope's batches between the steps of the ingestion graph, whose state only names them.
 * A value is kept under the content that it was computed from, and may be missing at any time: after a restart, and
 * because the desk is cleared when something is forgotten. A step that works on a batch when the desk is cleared puts
 * nothing back.
 */
export class BatchDesk {
  readonly ahead = new ReadAhead();
  readonly #batches = new Map<string, BatchInWork>();

  /** The batch with this key, from now on the one used last. */
  of(key: string): BatchInWork {
    const batch = this.#batches.get(key) ?? { reading: null, resolution: null, built: null };
    this.#put(key, batch);
    return batch;
  }

  /** Continues a batch that is on the desk with a part of it, under another key. */
  narrow(
    key: string,
    batch: BatchInWork,
    narrowed: { readonly key: string; readonly reading: BatchReading },
  ) {
    const isKept = this.#batches.get(key) === batch;
    this.#batches.delete(key);
    if (isKept) this.#put(narrowed.key, { reading: narrowed.reading, resolution: null, built: null });
  }

  drop(key: string): void {
    this.#batches.delete(key);
  }

  clear(): void {
    this.ahead.drop();
    this.#batches.clear();
  }

  #put(key: string, batch: BatchInWork): void {
    this.#batches.delete(key);
    this.#batches.set(key, batch);
    for (const oldest of this.#batches.keys()) {
      if (this.#batches.size <= MOST_BATCHES) break;
      this.#batches.delete(oldest);
    }
  }
}

import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Bytes after which the older half of a log is dropped. */
const MOST_BYTES = 256_000;

/** A bounded log for the user's own eyes. Synchronous, because the process may be about to end. */
export class LogFile {
  readonly #path: string;
  readonly #mostBytes: number;

  constructor(path: string, mostBytes = MOST_BYTES) {
    this.#path = path;
    this.#mostBytes = mostBytes;
  }

  /** Never throws: a log that cannot be written is no reason to fail. */
  write(entry: string): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      appendFileSync(this.#path, `${new Date().toISOString()} ${entry}\n`, { mode: 0o600 });
      if (statSync(this.#path).size > this.#mostBytes) this.#halve();
    } catch {
      // as said
    }
  }

  #halve(): void {
    const kept = readFileSync(this.#path, 'utf8').slice(-this.#mostBytes / 2);
    writeFileSync(this.#path, kept.slice(kept.indexOf('\n') + 1), { mode: 0o600 });
  }
}

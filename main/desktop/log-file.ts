import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeStateFolder } from '../../src/util/files.ts';

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
      makeStateFolder(dirname(this.#path));
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

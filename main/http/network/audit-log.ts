import type { Logger } from '../../../src/model/logger.ts';

/** How a request ended: `ok`, or the code of its error. */
export type Outcome = string;
export const OK: Outcome = 'ok';

/** One request: who did what to which scope, and how it ended. It has no text of a request or a reply. */
export interface AuditEntry {
  /** Id of the token; null for a request without a valid one. */
  readonly token: string | null;
  readonly via: 'http' | 'mcp';
  /** Of the contract; null for an address that names none. */
  readonly method: string | null;
  readonly scope: string | null;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Of the whole request. */
  readonly milliseconds: number;
}

/** Writes entries as lines of JSON, each with the time at which the request ended. */
export class AuditLog {
  readonly #output: NodeJS.WritableStream;
  readonly #clock: () => number;
  #isWritten = true;

  constructor(
    output: NodeJS.WritableStream,
    { logger, clock = Date.now }: { readonly logger: Logger; readonly clock?: () => number },
  ) {
    this.#output = output;
    this.#clock = clock;
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#isWritten) logger.warn(`The audit log cannot be written (${error.code ?? error.name}).`);
      this.#isWritten = false;
    });
  }

  /** False from the first failure on: the server then is not ready. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  write({ token, via, method, scope, outcome, milliseconds }: AuditEntry): void {
    const time = new Date(this.#clock()).toISOString();
    const entry = { time, token, via, method, scope, outcome, milliseconds: Math.round(milliseconds) };
    this.#output.write(`${JSON.stringify(entry)}\n`);
  }
}

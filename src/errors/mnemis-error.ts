const marker = Symbol.for('mnemis.error');

/** Constructor options of MnemisError, for its subclasses. */
export interface MnemisErrorOptions {
  /** In kebab-case, one per class; programs and other processes distinguish errors by it. */
  readonly code: string;
  /** One sentence: what failed, what was kept, and what to do. Never the user's text, never a key. */
  readonly message: string;
  readonly cause?: unknown;
}

/** The base class of every error that Mnemis throws; distinguish errors by `code` or by the class's `isInstance`. */
export class MnemisError extends Error {
  readonly code: string;

  constructor(options: MnemisErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    Object.defineProperty(this, marker, { value: true });
  }

  /** Works across copies of the package, where `instanceof` does not. */
  static readonly isInstance: (value: unknown) => value is MnemisError = isMnemisError;
}

function isMnemisError(value: unknown): value is MnemisError {
  return typeof value === 'object' && value !== null && marker in value;
}

/** Creates the `isInstance` of an error class: it compares the `code`. */
export function hasCode<T extends MnemisError>(code: string): (value: unknown) => value is T {
  return (value): value is T => isMnemisError(value) && value.code === code;
}

/** Adds to an error, in a sentence, what a call of many steps had stored before it failed. */
export function withOutcome(error: unknown, outcome: string): unknown {
  if (!isMnemisError(error)) return error;
  const message = `${error.message} ${outcome}`;
  if (error.stack !== undefined) error.stack = error.stack.replace(error.message, () => message);
  error.message = message;
  return error;
}

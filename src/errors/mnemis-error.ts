const marker = Symbol.for('mnemis.error');

/** What every error of Mnemis is made of, for classes that extend MnemisError. */
export interface MnemisErrorOptions {
  /** Kebab-case and the same for all of a class: what programs and other processes tell errors apart by. */
  readonly code: string;
  /** One sentence: what failed, what was kept, and what to do. Never the user's text, never a key. */
  readonly message: string;
  readonly cause?: unknown;
}

/** The root of every error that Mnemis throws; tell one from another by `code` or by its class's `isInstance`. */
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

/** The `isInstance` of a class of errors: it compares their `code`. */
export function hasCode<T extends MnemisError>(code: string): (value: unknown) => value is T {
  return (value): value is T => isMnemisError(value) && value.code === code;
}

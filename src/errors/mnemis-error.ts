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

/** What the constructor of an error class gives: its message, its cause, and further fields of the error. */
type ErrorParts = Omit<MnemisErrorOptions, 'code'>;

/** The type of a class that `defineError` returns. */
export interface ErrorClass<Code extends string, Given extends unknown[], Parts extends ErrorParts> {
  readonly code: Code;
  new (...given: Given): MnemisError & Readonly<Omit<Parts, keyof ErrorParts>>;
  isInstance(this: void, value: unknown): value is MnemisError & Readonly<Omit<Parts, keyof ErrorParts>>;
}

/**
 * The class of one kind of error, to be extended under its name: `class XError extends defineError('x', …) {}`.
 *
 * @param code - `isInstance` compares it, so that it works across copies of the package.
 * @param parts - Makes the message, the cause and the fields from the arguments of the constructor.
 */
export function defineError<Code extends string, Given extends unknown[], Parts extends ErrorParts>(
  code: Code,
  parts: (...given: Given) => Parts,
): ErrorClass<Code, Given, Parts> {
  class DefinedError extends MnemisError {
    static readonly code = code;
    static override readonly isInstance = (value: unknown): value is MnemisError =>
      isMnemisError(value) && value.code === code;

    constructor(...given: Given) {
      const { message, cause, ...fields } = parts(...given);
      super({ code, message, cause });
      Object.assign(this, fields);
    }
  }
  return DefinedError as unknown as ErrorClass<Code, Given, Parts>;
}

/** Adds to an error, in a sentence, what a call of many steps had stored before it failed. */
export function withOutcome(error: unknown, outcome: string): unknown {
  if (!isMnemisError(error)) return error;
  const message = `${error.message} ${outcome}`;
  if (error.stack !== undefined) error.stack = error.stack.replace(error.message, () => message);
  error.message = message;
  return error;
}

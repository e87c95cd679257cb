import { hasCode, MnemisError } from './mnemis-error.ts';

/** A caller's input does not fit its schema. */
export class InvalidInputError extends MnemisError {
  static readonly code = 'invalid-input';
  static override readonly isInstance = hasCode<InvalidInputError>(InvalidInputError.code);

  /** The problem alone, without the sentence about memory. */
  readonly what: string;

  constructor(what: string, cause?: unknown) {
    super({ code: InvalidInputError.code, message: `${what}. Memory was not changed.`, cause });
    this.what = what;
  }
}

/** No recipe, format or data set has that name. */
export class UnknownNameError extends MnemisError {
  static readonly code = 'unknown-name';
  static override readonly isInstance = hasCode<UnknownNameError>(UnknownNameError.code);

  constructor(kind: string, name: string, known: readonly string[]) {
    super({
      code: UnknownNameError.code,
      message: `There is no ${kind} named ${JSON.stringify(name)}${known.length === 0 ? '; none exist' : `; known: ${known.join(', ')}`}.`,
    });
  }
}

/** A change breaks the graph's schema. */
export class InvalidChangeError extends MnemisError {
  static readonly code = 'invalid-change';
  static override readonly isInstance = hasCode<InvalidChangeError>(InvalidChangeError.code);

  constructor(what: string) {
    super({
      code: InvalidChangeError.code,
      message: `The change was rejected: ${what}. Nothing was written.`,
    });
  }
}

/** A change refers to a node that its scope does not contain. */
export class ScopeViolationError extends MnemisError {
  static readonly code = 'scope-violation';
  static override readonly isInstance = hasCode<ScopeViolationError>(ScopeViolationError.code);

  constructor(what: string) {
    super({ code: ScopeViolationError.code, message: `${what} is not in this scope; nothing was written.` });
  }
}

/** The caller's AbortSignal fired; `kept` says what was stored before. */
export class CancelledError extends MnemisError {
  static readonly code = 'cancelled';
  static override readonly isInstance = hasCode<CancelledError>(CancelledError.code);

  constructor(kept: string, cause?: unknown) {
    super({ code: CancelledError.code, message: `Cancelled; ${kept}.`, cause });
  }
}

/** A named file could not be read or parsed. */
export class FileUnreadableError extends MnemisError {
  static readonly code = 'file-unreadable';
  static override readonly isInstance = hasCode<FileUnreadableError>(FileUnreadableError.code);

  constructor(path: string, reason: string, cause?: unknown) {
    super({
      code: FileUnreadableError.code,
      message: `${path} could not be read: ${reason}. Nothing of it was imported.`,
      cause,
    });
  }
}

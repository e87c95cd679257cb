import { MnemisError } from '../src/errors/index.ts';

/** What stands on the command line makes no command; exit code 2. */
export class UsageError extends MnemisError {
  static readonly code = 'usage';

  constructor(message: string) {
    super({ code: UsageError.code, message });
  }
}

/** A setting's value does not fit; the message names where the value comes from. */
export class InvalidSettingError extends MnemisError {
  static readonly code = 'invalid-setting';

  constructor(what: string, cause?: unknown) {
    super({ code: InvalidSettingError.code, message: `${what}. Nothing was done.`, cause });
  }
}

/** A command that only reads was pointed at a file that is not there. */
export class MemoryMissingError extends MnemisError {
  static readonly code = 'memory-missing';

  constructor(path: string) {
    super({
      code: MemoryMissingError.code,
      message: `There is no memory at ${path} yet; nothing was made. "mnemis import" makes one, --path names another.`,
    });
  }
}

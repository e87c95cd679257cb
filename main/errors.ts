import { MnemisError } from '../src/errors/index.ts';
import { hasCode } from '../src/errors/mnemis-error.ts';

/** The command line is invalid; exit code 2. */
export class UsageError extends MnemisError {
  static readonly code = 'usage';
  static override readonly isInstance = hasCode<UsageError>(UsageError.code);

  constructor(message: string) {
    super({ code: UsageError.code, message });
  }
}

/** A setting's value is invalid; the message names the source of the value. */
export class InvalidSettingError extends MnemisError {
  static readonly code = 'invalid-setting';
  static override readonly isInstance = hasCode<InvalidSettingError>(InvalidSettingError.code);

  constructor(what: string, cause?: unknown) {
    super({ code: InvalidSettingError.code, message: `${what}. Nothing was done.`, cause });
  }
}

/** A command that only reads was given a file that does not exist. */
export class MemoryMissingError extends MnemisError {
  static readonly code = 'memory-missing';
  static override readonly isInstance = hasCode<MemoryMissingError>(MemoryMissingError.code);

  constructor(path: string) {
    super({
      code: MemoryMissingError.code,
      message: `There is no memory at ${path}; nothing was created. "mnemis import" creates one, --path names another.`,
    });
  }
}

/** A scope that a command reads from holds nothing, as after a typing error in its name. */
export class ScopeEmptyError extends MnemisError {
  static readonly code = 'scope-empty';
  static override readonly isInstance = hasCode<ScopeEmptyError>(ScopeEmptyError.code);

  constructor(
    scope: string,
    { path, scopes }: { readonly path: string; readonly scopes: readonly string[] },
  ) {
    const named = scopes.slice(0, MOST_SCOPES).map((name) => `"${name}"`);
    const more = scopes.length > named.length ? ` and ${scopes.length - named.length} more` : '';
    const others =
      scopes.length === 0
        ? 'The memory has no other scope; "mnemis add" and "mnemis import" store turns'
        : `The memory has ${named.join(', ')}${more}; --scope names one`;
    super({
      code: ScopeEmptyError.code,
      message: `Scope "${scope}" of ${path} is empty. ${others}.`,
    });
  }
}

const MOST_SCOPES = 10;

/** An answer of the conversation is still being written, and another one was requested. */
export class ConversationBusyError extends MnemisError {
  static readonly code = 'conversation-busy';
  static override readonly isInstance = hasCode<ConversationBusyError>(ConversationBusyError.code);

  constructor() {
    super({
      code: ConversationBusyError.code,
      message:
        'An answer in this conversation is still being written; nothing was sent. Wait for it or stop it, then send again.',
    });
  }
}

import { defineError } from '../src/errors/mnemis-error.ts';

/** The command line is invalid; exit code 2. */
export class UsageError extends defineError('usage', (message: string) => ({
  message,
})) {}

/** A setting's value is invalid; the message names the source of the value. */
export class InvalidSettingError extends defineError('invalid-setting', (what: string, cause?: unknown) => ({
  message: `${what}. Nothing was done.`,
  cause,
})) {}

/** A command that only reads was given a file that does not exist. */
export class MemoryMissingError extends defineError('memory-missing', (path: string) => ({
  message: `There is no memory at ${path}; nothing was created. "mnemis import" creates one, --path names another.`,
})) {}

/** A scope that a command reads from holds nothing, as after a typing error in its name. */
export class ScopeEmptyError extends defineError(
  'scope-empty',
  (scope: string, { path, scopes }: { readonly path: string; readonly scopes: readonly string[] }) => {
    const named = scopes.slice(0, MOST_SCOPES).map((name) => `"${name}"`);
    const more = scopes.length > named.length ? ` and ${scopes.length - named.length} more` : '';
    const others =
      scopes.length === 0
        ? 'The memory has no other scope; "mnemis add" and "mnemis import" store turns'
        : `The memory has ${named.join(', ')}${more}; --scope names one`;
    return {
      message: `Scope "${scope}" of ${path} is empty. ${others}.`,
    };
  },
) {}

const MOST_SCOPES = 10;

const BUSY = {
  answer:
    'An answer in this conversation is still being written; nothing was sent. Wait for it or stop it, then send again.',
  decision: 'An answer of this conversation is being remembered; nothing was changed. Try again in a moment.',
  move: 'This conversation is being moved; nothing was sent or changed. Try again in a moment.',
  deletion: 'This conversation is being deleted; nothing was sent or changed.',
} as const;

/** Something else holds the conversation: an answer that is being written, a move, a deletion. */
export class ConversationBusyError extends defineError(
  'conversation-busy',
  (work: keyof typeof BUSY = 'answer') => ({ message: BUSY[work] }),
) {}

import { defineError } from './mnemis-error.ts';

/** A caller's input does not fit its schema. */
export class InvalidInputError extends defineError('invalid-input', (what: string, cause?: unknown) => ({
  message: `${what}. Memory was not changed.`,
  cause,

  /** The problem alone, without the sentence about memory. */
  what,
})) {}

/** No recipe, format or data set has that name. */
export class UnknownNameError extends defineError(
  'unknown-name',
  (kind: string, name: string, known: readonly string[]) => ({
    message: `There is no ${kind} named ${JSON.stringify(name)}${known.length === 0 ? '; none exist' : `; known: ${known.join(', ')}`}.`,
  }),
) {}

/** A change breaks the graph's schema. */
export class InvalidChangeError extends defineError('invalid-change', (what: string) => ({
  message: `The change was rejected: ${what}. Nothing was written.`,
})) {}

/** A change refers to a node that its scope does not contain. */
export class ScopeViolationError extends defineError('scope-violation', (what: string) => ({
  message: `${what} is not in this scope; nothing was written.`,
})) {}

/** The caller's AbortSignal fired; `kept` says what was stored before. */
export class CancelledError extends defineError('cancelled', (kept: string, cause?: unknown) => ({
  message: `Cancelled; ${kept}.`,
  cause,
})) {}

/** A named file could not be read or parsed. */
export class FileUnreadableError extends defineError(
  'file-unreadable',
  (path: string, reason: string, cause?: unknown) => ({
    message: `${path} could not be read: ${reason}. Nothing of it was imported.`,
    cause,
  }),
) {}

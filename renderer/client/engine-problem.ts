import type { ErrorReason } from '../../main/contract.ts';

/** The app's own codes; all others come from the engine. */
export const codes = {
  /** The input does not fit the contract. */
  input: 'invalid-input',
  /** The caller cancelled. */
  cancelled: 'cancelled',
  /** The app behind the page does not answer, or broke off before its reply was complete. */
  unreachable: 'app-unreachable',
  /** This page has no valid token: it needs a new link. */
  signedOut: 'unauthorized',
  /** The reply is not one that this version knows. */
  reply: 'engine-reply',
} as const;

/** A request that failed, with the engine's code and a message for people. */
export class EngineProblem extends Error {
  readonly code: string;
  readonly reason: ErrorReason | undefined;
  /** Whether the request surely had no effect. */
  readonly isUndone: boolean;

  constructor(
    code: string,
    message: string,
    {
      cause,
      isUndone = false,
      reason,
    }: {
      readonly cause?: unknown;
      readonly isUndone?: boolean;
      readonly reason?: ErrorReason | undefined;
    } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EngineProblem';
    this.code = code;
    this.isUndone = isUndone;
    this.reason = reason;
  }

  static isInstance(value: unknown): value is EngineProblem {
    return value instanceof EngineProblem;
  }
}

export const problems = {
  unreachable: (cause?: unknown) =>
    new EngineProblem(
      codes.unreachable,
      'The app does not answer. What it acknowledged is stored; the last request may or may not have been carried out.',
      { cause },
    ),
  cancelled: (cause?: unknown) =>
    new EngineProblem(codes.cancelled, 'Cancelled; everything acknowledged is stored.', { cause }),
  reply: (cause?: unknown) =>
    new EngineProblem(
      codes.reply,
      'The reply is not one that this version of the page knows. What was acknowledged is stored. Load the page again.',
      { cause },
    ),
  signedOut: () =>
    new EngineProblem(
      codes.signedOut,
      'This page has no access to the memory. "mnemis app" opens one that has.',
      { isUndone: true },
    ),
} as const;

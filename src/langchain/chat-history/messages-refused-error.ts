import { hasCode, MnemisError } from '../../errors/mnemis-error.ts';

/** Messages of a chat history that memory does not take; the others of the call are stored. */
export class MessagesRefusedError extends MnemisError {
  static readonly code = 'messages-refused';
  static override readonly isInstance = hasCode<MessagesRefusedError>(MessagesRefusedError.code);
  /** Why, each reason once: a rule of the user's, or what is wrong with a message. */
  readonly reasons: readonly string[];

  constructor(refused: number, reasons: readonly string[]) {
    const each = [...new Set(reasons)];
    super({
      code: MessagesRefusedError.code,
      message: `Memory did not take ${refused} of the messages (${each.join('; ')}). The others are stored; leave these out.`,
    });
    this.reasons = each;
  }
}

import { MnemisError } from './mnemis-error.ts';

/** A file that was named could not be read or understood. */
export class FileUnreadableError extends MnemisError {
  static readonly code = 'file-unreadable';

  constructor(path: string, reason: string, cause?: unknown) {
    super({
      code: FileUnreadableError.code,
      message: `${path} could not be read: ${reason}. Nothing of it was imported.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is FileUnreadableError {
    return MnemisError.isInstance(value) && value.code === FileUnreadableError.code;
  }
}

import { hasCode, MnemisError } from '../../errors/mnemis-error.ts';

/** The file of checkpoints cannot be read or written. */
export class CheckpointFileError extends MnemisError {
  static readonly code = 'checkpoint-file';
  static override readonly isInstance = hasCode<CheckpointFileError>(CheckpointFileError.code);

  constructor(path: string, reason: string, cause?: unknown) {
    super({
      code: CheckpointFileError.code,
      message: `The checkpoints in ${path} cannot be used (${reason}); what was acknowledged before is kept, and memory is not touched. Remove the cause and try again, or choose another file.`,
      cause,
    });
  }
}

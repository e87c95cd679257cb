import { MnemisError } from './mnemis-error.ts';

/** Work that was not begun, because it would fill the disk. */
export class NotEnoughRoomError extends MnemisError {
  static readonly code = 'not-enough-room';

  constructor(work: string, { neededBytes, freeBytes }: { neededBytes: number; freeBytes: number }) {
    super({
      code: NotEnoughRoomError.code,
      message: `${work} needs about ${megabytes(neededBytes)} of free disk space, ${megabytes(freeBytes)} are free; nothing was changed. Free some space and try again.`,
    });
  }

  static override isInstance(value: unknown): value is NotEnoughRoomError {
    return MnemisError.isInstance(value) && value.code === NotEnoughRoomError.code;
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

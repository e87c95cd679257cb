import { MnemisError } from './mnemis-error.ts';

/** There was no room for a write. */
export class DiskFullError extends MnemisError {
  static readonly code = 'disk-full';

  constructor(
    path: string,
    cause?: unknown,
    kept = 'nothing of this write was stored, everything acknowledged before is kept',
  ) {
    super({
      code: DiskFullError.code,
      message: `There is no room left to write ${path}; ${kept}. Free some space and try again.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is DiskFullError {
    return MnemisError.isInstance(value) && value.code === DiskFullError.code;
  }
}

import { MnemisError } from './mnemis-error.ts';

/** A file that ships with the package is missing or damaged. */
export class BundledFileError extends MnemisError {
  static readonly code = 'bundled-file';

  constructor(file: string, finding: string, cause?: unknown) {
    super({
      code: BundledFileError.code,
      message: `${file}, which ships with mnemis, ${finding}. No memory was touched; install the package again (in a checkout: git restore models), and let a bundler leave mnemis out (external).`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is BundledFileError {
    return MnemisError.isInstance(value) && value.code === BundledFileError.code;
  }
}

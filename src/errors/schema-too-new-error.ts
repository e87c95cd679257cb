import { MnemisError } from './mnemis-error.ts';

/** A newer Mnemis wrote the file. */
export class SchemaTooNewError extends MnemisError {
  static readonly code = 'schema-too-new';

  constructor(path: string, found: number, known: number) {
    super({
      code: SchemaTooNewError.code,
      message: `${path} has schema version ${found}, this version of Mnemis knows ${known}; nothing was changed. Update mnemis to open it.`,
    });
  }

  static override isInstance(value: unknown): value is SchemaTooNewError {
    return MnemisError.isInstance(value) && value.code === SchemaTooNewError.code;
  }
}

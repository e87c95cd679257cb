import { MnemisError } from './mnemis-error.ts';

/** The engine or its store was used after `close()`. */
export class StoreClosedError extends MnemisError {
  static readonly code = 'store-closed';

  constructor() {
    super({
      code: StoreClosedError.code,
      message: 'The memory is closed; everything acknowledged before is stored. Open it again to go on.',
    });
  }

  static override isInstance(value: unknown): value is StoreClosedError {
    return MnemisError.isInstance(value) && value.code === StoreClosedError.code;
  }
}

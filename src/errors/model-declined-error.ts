import { MnemisError } from './mnemis-error.ts';

/** A language model, or its provider's filter, declined to answer a prompt. */
export class ModelDeclinedError extends MnemisError {
  static readonly code = 'model-declined';
  readonly by: 'model' | 'filter';

  constructor(model: string, by: 'model' | 'filter') {
    super({
      code: ModelDeclinedError.code,
      message: `${by === 'model' ? model : `The content filter of ${model}`} declined to answer. Nothing of this call was stored; leave this text out, or use another model.`,
    });
    this.by = by;
  }

  static override isInstance(value: unknown): value is ModelDeclinedError {
    return MnemisError.isInstance(value) && value.code === ModelDeclinedError.code;
  }
}

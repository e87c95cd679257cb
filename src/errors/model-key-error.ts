import { MnemisError } from './mnemis-error.ts';

/** A language model's server wants a key that it was not given, or refused the one it was given. */
export class ModelKeyError extends MnemisError {
  static readonly code = 'model-key';
  readonly status: number | null;

  constructor(model: string, problem: 'missing' | 'refused', status: number | null = null) {
    const what =
      problem === 'missing'
        ? `${model} needs a key, and none is set`
        : `The server of ${model} refused the key, or this key may not use the model${status === null ? '' : ` (${status})`}`;
    super({
      code: ModelKeyError.code,
      message: `${what}. Nothing of this call was stored; set MNEMIS_LLM_API_KEY${model.startsWith('openai:') ? ' (for OpenAI’s own server OPENAI_API_KEY does as well)' : ''} in the environment, or apiKey in the settings given from code.`,
    });
    this.status = status;
  }

  static override isInstance(value: unknown): value is ModelKeyError {
    return MnemisError.isInstance(value) && value.code === ModelKeyError.code;
  }
}

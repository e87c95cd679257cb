import { MnemisError } from './mnemis-error.ts';

/** A server does not know the language model of that name, or is no model server at all. */
export class UnknownModelError extends MnemisError {
  static readonly code = 'unknown-model';

  constructor(model: string) {
    super({
      code: UnknownModelError.code,
      message: `The server does not know ${model}. Nothing of this call was stored; check the model's name (with Ollama, pull it first) and the base URL (OpenAI-compatible ones end in /v1).`,
    });
  }

  static override isInstance(value: unknown): value is UnknownModelError {
    return MnemisError.isInstance(value) && value.code === UnknownModelError.code;
  }
}

import { MnemisError } from './mnemis-error.ts';

/** How a server turned a request down that it would turn down again: trying once more does not help. */
export interface RequestRefusal {
  /** HTTP status; null where the client library refused before it asked. */
  readonly status: number | null;
  /** The provider's own name of the problem, if it gave one that is no prose. */
  readonly providerCode: string | null;
  /** What the refusal seems to be about. */
  readonly about: 'reply-format' | 'schema' | 'sampling' | 'other';
}

/** A language model's server refuses this request for good. */
export class ModelRequestRefusedError extends MnemisError {
  static readonly code = 'model-request-refused';
  readonly status: number | null;
  readonly providerCode: string | null;
  readonly about: RequestRefusal['about'];

  constructor(model: string, { status, providerCode, about }: RequestRefusal) {
    const detail = [status, providerCode].filter((part) => part !== null).join(', ');
    super({
      code: ModelRequestRefusedError.code,
      message: `The server of ${model} refused a request${detail === '' ? '' : ` (${detail})`}. Nothing of this call was stored; "mnemis llm check" tells whether the model and its settings work.`,
    });
    this.status = status;
    this.providerCode = providerCode;
    this.about = about;
  }

  static override isInstance(value: unknown): value is ModelRequestRefusedError {
    return MnemisError.isInstance(value) && value.code === ModelRequestRefusedError.code;
  }
}

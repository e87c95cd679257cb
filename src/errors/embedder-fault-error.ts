import { MnemisError } from './mnemis-error.ts';

/** An embedder broke its contract: a wrong number of vectors, or one of another dimension than it declares. */
export class EmbedderFaultError extends MnemisError {
  static readonly code = 'embedder-fault';
  readonly what: string;

  constructor(what: string) {
    super({
      code: EmbedderFaultError.code,
      message: `The embedder gave ${what}. Nothing of this write was stored; check the embedder that the engine was opened with.`,
    });
    this.what = what;
  }

  static override isInstance(value: unknown): value is EmbedderFaultError {
    return MnemisError.isInstance(value) && value.code === EmbedderFaultError.code;
  }
}

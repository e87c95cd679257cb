import { Embeddings, type EmbeddingsInterface, type EmbeddingsParams } from '@langchain/core/embeddings';
import { z } from 'zod';
import { CancelledError, EmbedderFaultError, InvalidInputError } from '../errors/index.ts';
import { defineError } from '../errors/mnemis-error.ts';
import { type Embedder, type EmbedOptions, refuseIfAborted } from '../inference/embedder.ts';
import type { EmbeddingFingerprint } from '../model/nodes.ts';
import { describeIssues } from '../util/describe-issues.ts';

/** Properties that a memory needs and LangChain's `Embeddings` do not have. */
export interface EmbedderFromOptions {
  /**
   * Permanent name of the vectors, without white space: a memory opens only with the embedder that it was created with.
   */
  readonly model: string;
  /** Dimension of the vectors. */
  readonly dimension: number;
}

const optionsSchema = z.strictObject({
  model: z.string().regex(/^\S+$/, 'is a name without white space').max(200),
  dimension: z.number().int().min(1).max(65_536),
});

/** A text without letters and digits has no features, and many servers reject it. */
const FEATURE = /[\p{L}\p{N}\p{S}]/u;

/**
 * LangChain's `Embeddings` as an embedder of a memory: `Mnemis.open({ path, embedder: embedderFrom(embeddings, …) })`.
 * Vectors are scaled to unit length. LangChain takes no signal, so a cancelled call rejects at once while its request
 * continues in the background.
 *
 * @throws InvalidInputError for options that are none.
 */
export function embedderFrom(embeddings: EmbeddingsInterface, options: EmbedderFromOptions): Embedder {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(
      `The embedder cannot use these options: ${describeIssues(parsed.error, Object.keys(optionsSchema.shape))}`,
    );
  return new LangChainEmbedder(embeddings, parsed.data);
}

class LangChainEmbedder implements Embedder {
  readonly fingerprint: EmbeddingFingerprint;
  readonly #embeddings: EmbeddingsInterface;

  constructor(embeddings: EmbeddingsInterface, fingerprint: EmbeddingFingerprint) {
    this.#embeddings = embeddings;
    this.fingerprint = fingerprint;
  }

  /** @throws CancelledError, EmbeddingsFailedError, EmbedderFaultError for invalid vectors. */
  async embed(texts: readonly string[], { as, signal }: EmbedOptions): Promise<Float32Array[]> {
    refuseIfAborted(signal);
    const wellFormed = texts.map((text) => text.toWellFormed().replaceAll('\0', ' '));
    const told = wellFormed.filter((text) => FEATURE.test(text));
    const vectors = told.length === 0 ? [] : await unlessAborted(this.#ask(told, as), signal);
    if (vectors.length !== told.length)
      throw new EmbedderFaultError(`${vectors.length} vectors for ${told.length} texts`);
    let next = 0;
    const { dimension } = this.fingerprint;
    return wellFormed.map((text) =>
      FEATURE.test(text) ? unitVector(vectors[next++]!, dimension) : new Float32Array(dimension),
    );
  }

  async #ask(texts: string[], as: EmbedOptions['as']): Promise<readonly number[][]> {
    try {
      if (as === 'passage') return await this.#embeddings.embedDocuments(texts);
      return await Promise.all(texts.map((text) => this.#embeddings.embedQuery(text)));
    } catch (error) {
      throw new EmbeddingsFailedError(this.fingerprint.model, error);
    }
  }
}

/** Computed in double precision, so that the length is exactly 1. */
function unitVector(values: readonly number[], dimension: number): Float32Array {
  if (values.length !== dimension)
    throw new EmbedderFaultError(`a vector of ${values.length} numbers in place of ${dimension}`);
  const length = Math.hypot(...values);
  if (!Number.isFinite(length))
    throw new EmbedderFaultError('a vector with something in it that is no number');
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length));
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(new CancelledError('what was done before is kept', signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** LangChain's own settings, and the embedder. */
export interface MnemisEmbeddingsOptions extends EmbeddingsParams {
  /** Owned by the caller, which closes it. */
  readonly embedder: Embedder;
}

/**
 * A Mnemis embedder as LangChain's `Embeddings`, for vector stores and the like: documents are embedded as passages,
 * queries as queries. Vectors have unit length, or are all zero for a text without features.
 */
export class MnemisEmbeddings extends Embeddings {
  readonly #embedder: Embedder;

  constructor({ embedder, ...params }: MnemisEmbeddingsOptions) {
    super(params);
    this.#embedder = embedder;
  }

  override async embedDocuments(documents: readonly string[]): Promise<number[][]> {
    const vectors = await this.#embedder.embed(documents, { as: 'passage' });
    return vectors.map((vector) => Array.from(vector));
  }

  override async embedQuery(question: string): Promise<number[]> {
    const [vector] = await this.#embedder.embed([question], { as: 'query' });
    return Array.from(vector!);
  }
}

/** LangChain embeddings that a memory works with threw; `cause` is what they threw. */
export class EmbeddingsFailedError extends defineError(
  'embeddings-failed',
  (model: string, cause: unknown) => ({
    message: `The embeddings ${model} failed; earlier batches of the call are kept. The cause says why; remove it and try again.`,
    cause,
  }),
) {}

import { LRUCache } from 'lru-cache';
import { InvalidInputError, ModelFaultError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { breathe } from '../../util/breathe.ts';
import { dotProduct } from '../../util/dot-product.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { refuseIfAborted } from '../refuse-if-aborted.ts';
import type { Device } from './onnx-runtime.ts';
import { type LoadOptions, type OpenModel, openModel } from './open-model.ts';
import { cutToUnit, pool } from './pooling.ts';
import type { EmbedderCheck, EmbedderProfile } from './profile.ts';
import { selfCheck } from './self-check.ts';

/** Texts that are tokenized and sorted together: enough to fill batches of like length, little enough to hold. */
const WINDOW = 512;
/** Tokenizing so many short texts takes some milliseconds (docs/design.md, "Responsiveness"). */
const TEXTS_PER_TURN = 64;
const QUERIES_REMEMBERED = 512;
const STATES = ['last_hidden_state', 'token_embeddings', 'hidden_states'];
const VECTORS = ['sentence_embedding', 'text_embeds', 'pooler_output'];

export interface OnnxEmbedderOptions extends LoadOptions<EmbedderProfile> {
  /** The profile's own, or one of its shorter ones. */
  readonly dimension?: number | undefined;
}

/** Vectors from an ONNX model on disk: tokenizer, session and pooling are objects of their own. */
export class OnnxEmbedder implements Embedder {
  readonly fingerprint: EmbeddingFingerprint;
  readonly #model: OpenModel;
  readonly #profile: EmbedderProfile;
  readonly #output: string;
  readonly #queries = new LRUCache<string, Float32Array>({ max: QUERIES_REMEMBERED });

  private constructor(model: OpenModel, profile: EmbedderProfile, dimension: number) {
    this.#model = model;
    this.#profile = profile;
    this.#output = model.outputNamed(profile.pooling === 'graph' ? VECTORS : STATES);
    // Full and half precision differ by rounding only, so their vectors may share a memory.
    const coarse = model.precision === 'fp32' || model.precision === 'fp16' ? '' : `-${model.precision}`;
    this.fingerprint = { model: `${profile.name}${coarse}`, dimension };
  }

  /**
   * @throws InvalidInputError, ModelMissingError, ModelFaultError, RuntimeMissingError, DeviceFailedError,
   *   SelfCheckFailedError, CancelledError
   */
  static load(options: OnnxEmbedderOptions): Promise<OnnxEmbedder> {
    const { profile, dimension = profile.dimension } = options;
    const dimensions = [profile.dimension, ...profile.shorterDimensions];
    if (!dimensions.includes(dimension))
      return Promise.reject(
        new InvalidInputError(`The model ${profile.name} gives vectors of ${dimensions.join(', ')} numbers`),
      );
    return openModel(options, async (model) => {
      const embedder = new OnnxEmbedder(model, profile, dimension);
      await embedder.embed(['a text to try the device with'], { as: 'passage', signal: options.signal });
      if (options.selfCheck !== 'skip') await selfCheck(model, () => embedder.#check(profile.selfCheck));
      return embedder;
    });
  }

  /** Where it runs. */
  get device(): Device {
    return this.#model.device;
  }

  /** @throws CancelledError, ModelClosedError, ModelFaultError */
  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += WINDOW) {
      refuseIfAborted(options.signal);
      const window = texts.slice(start, start + WINDOW);
      vectors.push(
        ...(await (options.as === 'query'
          ? this.#embedQueries(window, options)
          : this.#embed(window, options))),
      );
    }
    return vectors;
  }

  /** Frees the session after the calls under way. Idempotent. */
  async close(): Promise<void> {
    this.#queries.clear();
    await this.#model.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Questions come again (a search after a search), passages do not. */
  async #embedQueries(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const known = new Map(texts.map((text) => [text, this.#queries.get(text)]));
    const missing = [...known.keys()].filter((text) => known.get(text) === undefined);
    for (const [at, vector] of (await this.#embed(missing, options)).entries()) {
      known.set(missing[at]!, vector);
      this.#queries.set(missing[at]!, vector);
    }
    return texts.map((text) => known.get(text)!.slice());
  }

  async #embed(texts: readonly string[], { as, signal }: EmbedOptions): Promise<Float32Array[]> {
    const { dimension } = this.fingerprint;
    const vectors = texts.map(() => new Float32Array(dimension));
    // What says nothing has no direction; a model would give its prefix's.
    const rows = [...texts.keys()].filter((row) => texts[row]!.trim() !== '');
    const encodings = await this.#encode(
      rows.map((row) => this.#profile.prefix[as] + texts[row]!),
      signal,
    );
    for await (const batch of this.#model.run(encodings, { output: this.#output, signal })) {
      const pooled = pool(batch.output, batch.spans, this.#profile.pooling);
      for (const [at, row] of batch.rows.entries()) {
        const vector = pooled === null ? null : cutToUnit(pooled[at]!, dimension);
        if (vector === null)
          throw new ModelFaultError(
            this.#profile.name,
            `its graph gave no vector of ${dimension} finite numbers`,
          );
        vectors[rows[row]!] = vector;
      }
    }
    return vectors;
  }

  async #encode(texts: readonly string[], signal: AbortSignal | undefined) {
    const encodings = [];
    for (const text of texts) {
      if (encodings.length > 0 && encodings.length % TEXTS_PER_TURN === 0) {
        await breathe();
        refuseIfAborted(signal);
      }
      encodings.push(this.#model.tokenizer.encode(text));
    }
    return encodings;
  }

  async #check(checks: readonly EmbedderCheck[]): Promise<boolean[]> {
    const queries = await this.embed(
      checks.map(({ query }) => query),
      { as: 'query' },
    );
    const nearer = await this.embed(
      checks.map((check) => check.nearer),
      { as: 'passage' },
    );
    const farther = await this.embed(
      checks.map((check) => check.farther),
      { as: 'passage' },
    );
    return queries.map((query, at) => dotProduct(query, nearer[at]!) > dotProduct(query, farther[at]!));
  }
}

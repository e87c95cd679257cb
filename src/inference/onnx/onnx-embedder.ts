import { LRUCache } from 'lru-cache';
import { InvalidInputError, ModelFaultError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { breathe } from '../../util/breathe.ts';
import { dotProduct } from '../../util/dot-product.ts';
import { type Embedder, type EmbedOptions, refuseIfAborted } from '../embedder.ts';
import type { Span } from './batches.ts';
import type { Device, SessionOutput, TensorInfo } from './onnx-runtime.ts';
import { type LoadOptions, type OpenModel, openModel } from './open-model.ts';
import type { EmbedderCheck, EmbedderProfile, Pooling } from './profile.ts';
import { selfCheck } from './self-check.ts';

/** Texts that are tokenized and sorted together: enough for batches of similar length, few enough for memory. */
const WINDOW = 512;
/** Tokenizing so many short texts takes some milliseconds, after which other tasks get their turn. */
const TEXTS_PER_TURN = 64;
/** Vectors that are kept: questions repeat, and so do names and topics within an ingestion. */
const REMEMBERED = { query: 512, passage: 4_096 };

export interface OnnxEmbedderOptions extends LoadOptions<EmbedderProfile> {
  /** The profile's own, or one of its shorter ones. */
  readonly dimension?: number | undefined;
}

/** Vectors from an ONNX model on disk. */
export class OnnxEmbedder implements Embedder {
  readonly fingerprint: EmbeddingFingerprint;
  readonly maxTokens: number;
  readonly #model: OpenModel;
  readonly #profile: EmbedderProfile;
  readonly #output: string;
  readonly #known = {
    query: new LRUCache<string, Float32Array>({ max: REMEMBERED.query }),
    passage: new LRUCache<string, Float32Array>({ max: REMEMBERED.passage }),
  };

  private constructor(model: OpenModel, profile: EmbedderProfile, dimension: number) {
    this.#model = model;
    this.#profile = profile;
    this.#output = outputOf(profile, model.outputs);
    // Full and half precision differ by rounding only, so their vectors may share a memory.
    const coarse = model.precision === 'fp32' || model.precision === 'fp16' ? '' : `-${model.precision}`;
    this.fingerprint = { model: `${profile.name}${coarse}`, dimension };
    this.maxTokens = profile.maxTokens;
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
      vectors.push(...(await this.#embedOnce(texts.slice(start, start + WINDOW), options)));
    }
    return vectors;
  }

  /** Frees the session after the calls under way. Idempotent. */
  async close(): Promise<void> {
    for (const vectors of Object.values(this.#known)) vectors.clear();
    await this.#model.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #embedOnce(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const remembered = this.#known[options.as];
    const known = new Map(texts.map((text) => [text, remembered.get(text)]));
    const missing = [...known.keys()].filter((text) => known.get(text) === undefined);
    for (const [at, vector] of (await this.#embed(missing, options)).entries()) {
      known.set(missing[at]!, vector);
      remembered.set(missing[at]!, vector);
    }
    return texts.map((text) => known.get(text)!.slice());
  }

  async #embed(texts: readonly string[], { as, signal }: EmbedOptions): Promise<Float32Array[]> {
    const { dimension } = this.fingerprint;
    const vectors = texts.map(() => new Float32Array(dimension));
    // A blank text has the zero vector; a model would return its prefix's.
    const rows = [...texts.keys()].filter((row) => texts[row]!.trim() !== '');
    const encodings = await this.#encode(
      rows.map((row) => this.#profile.prefix[as] + texts[row]!),
      signal,
    );
    for await (const batch of this.#model.run(encodings, {
      output: this.#output,
      isUrgent: as === 'query',
      signal,
    })) {
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

/**
 * The graph's output that pooling reads: one with a usual name, else the only one of the right form. Exporters name
 * outputs as they like; states are rows × tokens × width, vectors rows × width.
 *
 * @throws ModelFaultError, which lists the outputs.
 */
export function outputOf(
  { name, dimension, pooling }: Pick<EmbedderProfile, 'name' | 'dimension' | 'pooling'>,
  outputs: readonly TensorInfo[],
): string {
  const { names, form, rank } = OUTPUTS[pooling === 'graph' ? 'vectors' : 'states'];
  const named = names.find((usual) => outputs.some((output) => output.name === usual));
  if (named !== undefined) return named;
  const [found, ...others] = outputs.filter(
    ({ type, shape }) =>
      type.startsWith('float') && shape.length === rank && [dimension, undefined].includes(sizeOf(shape)),
  );
  if (found !== undefined && others.length === 0) return found.name;
  const listed = outputs.map((output) => `${output.name} (${output.type}, ${output.shape.join(' × ')})`);
  const number = found === undefined ? 'none' : 'more than one';
  throw new ModelFaultError(
    name,
    `${number} of its graph's outputs has the form ${form}: ${listed.join(', ')}`,
  );
}

const OUTPUTS = {
  states: {
    names: ['last_hidden_state', 'token_embeddings', 'hidden_states'],
    form: 'rows × tokens × width',
    rank: 3,
  },
  vectors: {
    names: ['sentence_embedding', 'text_embeds', 'pooler_output'],
    form: 'rows × width',
    rank: 2,
  },
};

/** The last size; undefined where the graph does not fix it. */
function sizeOf(shape: TensorInfo['shape']): number | undefined {
  const size = shape.at(-1);
  return typeof size === 'number' ? size : undefined;
}

/** Numbers in memory of their own, unlike a view of the runtime's. */
export type Vector = Float32Array<ArrayBuffer>;

/**
 * One vector per row: pooled from hidden states (rows × tokens × width) by the profile's rule, or the graph's
 * own (rows × width). Padding never counts. Null if the output has another shape.
 */
export function pool(output: SessionOutput, spans: readonly Span[], pooling: Pooling): Vector[] | null {
  const [rows, second, third] = output.dimensions;
  if (rows !== spans.length || second === undefined) return null;
  if (pooling === 'graph')
    return third === undefined ? spans.map((_, row) => slice(output.data, row, second)) : null;
  if (third === undefined || output.dimensions.length !== 3) return null;
  if (spans.some(({ start, end }) => start >= end || end > second)) return null;
  return spans.map((span, row) => {
    const first = row * second;
    if (pooling === 'mean')
      return mean(output.data, third, { start: first + span.start, end: first + span.end });
    return slice(output.data, first + (pooling === 'cls' ? span.start : span.end - 1), third);
  });
}

/** Keeps the first `dimension` numbers and scales them to unit length; null if that is impossible. */
export function cutToUnit(vector: Vector, dimension: number): Vector | null {
  if (vector.length < dimension) return null;
  const cut = vector.length === dimension ? vector : vector.slice(0, dimension);
  let squares = 0;
  for (let position = 0; position < dimension; position++) squares += cut[position]! ** 2;
  if (!(squares > 0 && Number.isFinite(squares))) return null;
  const scale = 1 / Math.sqrt(squares);
  for (let position = 0; position < dimension; position++) cut[position]! *= scale;
  return cut;
}

function slice(data: Float32Array, row: number, width: number): Vector {
  return data.slice(row * width, (row + 1) * width);
}

/** Plain loops: iterators and `Float32Array.from` cost several times as much, for every number of every token. */
function mean(data: Float32Array, width: number, { start, end }: Span): Vector {
  const sum = new Float64Array(width);
  for (let row = start, at = start * width; row < end; row++)
    for (let position = 0; position < width; position++, at++) sum[position]! += data[at]!;
  const vector = new Float32Array(width);
  for (let position = 0; position < width; position++) vector[position] = sum[position]! / (end - start);
  return vector;
}

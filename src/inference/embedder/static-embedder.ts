import { z } from 'zod';
import { BundledFileError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { readBundledFile, readBundledStart } from '../bundled-file.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { addHashedTerm, embedTerms } from './embed-terms.ts';

/**
 * A word outside the vocabulary is a name, a typing error or slang. Its spelling counts, but less than a rare
 * known word, because spellings match by chance.
 */
const UNKNOWN_WEIGHT = 0.55;

export interface StaticEmbedderOptions {
  /** Splits a text into index terms; the shipped model's words are those of `src/search/analyzer.ts`. */
  readonly analyze: (text: string) => readonly string[];
  readonly model: StaticModel | UnreadModel;
}

/** A model that is read with the first text: it takes 15 MB, and only its name is needed to open a memory. */
interface UnreadModel extends Pick<StaticModel, 'name' | 'dimension'> {
  readonly read: () => Promise<StaticModel>;
}

/**
 * The weighted sum of word vectors, inverse-frequency weights and common directions removed when the model was
 * made (Arora, Liang and Ma 2017). English; plain typed arrays, no runtime, no download.
 */
export class StaticEmbedder implements Embedder {
  readonly meaning = 'words';
  readonly fingerprint: EmbeddingFingerprint;
  readonly #analyze: (text: string) => readonly string[];
  readonly #model: StaticModel | UnreadModel;

  constructor({ analyze, model }: StaticEmbedderOptions) {
    this.fingerprint = { model: model.name, dimension: model.dimension };
    this.#analyze = analyze;
    this.#model = model;
  }

  /**
   * With the model that ships with the package.
   *
   * @throws BundledFileError when it is missing, of another format or not of its length; `embed` throws it when the
   *   model is damaged inside.
   */
  static async load(analyze: StaticEmbedderOptions['analyze']): Promise<StaticEmbedder> {
    return new StaticEmbedder({ analyze, model: { ...(await readStaticName()), read: bundledModel } });
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<Float32Array[]> {
    const model = 'read' in this.#model ? await this.#model.read() : this.#model;
    const { dimension, rowOf } = model;
    return embedTerms(texts, signal, {
      dimension,
      analyze: this.#analyze,
      addTerm: (vector, term, weight) => {
        const row = rowOf.get(term);
        if (row === undefined) addHashedTerm(vector, term, UNKNOWN_WEIGHT * weight);
        else addRow(vector, model, row, weight);
      },
    });
  }
}

function addRow(
  vector: Float32Array,
  { rows, factors, dimension }: StaticModel,
  row: number,
  weight: number,
): void {
  const factor = factors[row]! * weight;
  const start = row * dimension;
  for (let place = 0; place < dimension; place++) vector[place]! += factor * rows[start + place]!;
}

/** Path of the model in the package; `npm run build:static-model` creates it. */
export const STATIC_MODEL_FILE = 'models/static-en.bin';
export const STATIC_MODEL_MAGIC = 'MNEMSTAT';

const headerSchema = z.object({
  format: z.literal(1),
  /** Part of the fingerprint of every vector made with it; changes with the rows. */
  name: z.string().regex(/^\S+$/),
  dimension: z.number().int().min(1).max(4096),
  words: z.number().int().min(1).max(1_000_000),
  /** Bytes of the list of words. */
  wordBytes: z.number().int().min(1),
});
export type StaticModelHeader = z.infer<typeof headerSchema>;

/** Word vectors in 8 bits a number. */
export interface StaticModel {
  readonly name: string;
  readonly dimension: number;
  /** Row number by index term. */
  readonly rowOf: ReadonlyMap<string, number>;
  /** By row: the factor of its numbers, which gives the row its word's weight as length, 0 to 1. */
  readonly factors: Float32Array;
  /** Row after row, `dimension` numbers each. */
  readonly rows: Int8Array;
}

let bundled: Promise<StaticModel> | null = null;

/** The model that ships with the package, read once per process and never changed. */
function bundledModel(): Promise<StaticModel> {
  bundled ??= readStaticModel().catch((error: unknown) => {
    bundled = null;
    throw error;
  });
  return bundled;
}

/** Whether an index term is one of the 37,000 words of the model that ships with the package. */
export async function isEnglishTerm(term: string): Promise<boolean> {
  return (await bundledModel()).rowOf.has(term);
}

/**
 * Reads the model that ships with the package, or another file of its format, little-endian: magic, length of
 * the header (4 bytes), header (JSON), words (one a line), zeros up to a multiple of 4, factors (32-bit
 * floats), rows.
 *
 * @throws BundledFileError when it is missing or not of this format.
 */
export async function readStaticModel(file = STATIC_MODEL_FILE): Promise<StaticModel> {
  const { path, bytes } = await readBundledFile(file);
  const { name, dimension, words, wordBytes, start, factorsAt, rowsAt } = layoutOf(path, bytes, bytes.length);
  const list = bytes.toString('utf8', start, start + wordBytes).split('\n');
  const rowOf = new Map(list.map((word, row) => [word, row]));
  if (rowOf.size !== words || list.length !== words)
    throw new BundledFileError(path, 'has another number of words than it says');
  // Copied, since the bytes need not start at a multiple of 4 in memory.
  const factors = new Float32Array(
    bytes.buffer.slice(bytes.byteOffset + factorsAt, bytes.byteOffset + rowsAt),
  );
  if (!factors.every((factor) => factor >= 0 && factor <= 1)) throw new BundledFileError(path, 'is damaged');
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, words * dimension);
  return { name, dimension, rowOf, factors, rows };
}

/** More than the header of a model takes. */
const MOST_HEADER_BYTES = 4096;

/**
 * Reads the name and the dimension of a model without its words and rows.
 *
 * @throws BundledFileError as `readStaticModel`, except for damage after the header.
 */
export async function readStaticName(
  file = STATIC_MODEL_FILE,
): Promise<Pick<StaticModel, 'name' | 'dimension'>> {
  const { path, bytes, size } = await readBundledStart(file, MOST_HEADER_BYTES);
  const { name, dimension } = layoutOf(path, bytes, size);
  return { name, dimension };
}

/** The header, and where the parts are in a file of `size` bytes. */
function layoutOf(path: string, bytes: Buffer, size: number) {
  const header = readHeader(bytes);
  if (header === null) throw new BundledFileError(path, 'is not a static model of this version');
  const factorsAt = Math.ceil((header.start + header.wordBytes) / 4) * 4;
  const rowsAt = factorsAt + 4 * header.words;
  if (size !== rowsAt + header.words * header.dimension)
    throw new BundledFileError(path, 'is cut off or too long');
  return { ...header, factorsAt, rowsAt };
}

function readHeader(bytes: Buffer): (StaticModelHeader & { start: number }) | null {
  const first = STATIC_MODEL_MAGIC.length + 4;
  if (bytes.length < first || bytes.toString('latin1', 0, first - 4) !== STATIC_MODEL_MAGIC) return null;
  const start = first + bytes.readUInt32LE(first - 4);
  try {
    return { ...headerSchema.parse(JSON.parse(bytes.toString('utf8', first, start))), start };
  } catch {
    return null;
  }
}

import { z } from 'zod';
import { BundledFileError } from '../../../errors/index.ts';
import { readBundledFile } from '../../../inference/bundled-file.ts';
import { startsOf, WordTable } from '../../../util/word-table.ts';

/** Path of the tagger's model in the package; `npm run build:static-model` creates it. */
export const TAGGER_MODEL_FILE = 'models/tagger-en.bin';
export const TAGGER_MODEL_MAGIC = 'MNEMTAGR';

const headerSchema = z.object({
  format: z.literal(1),
  words: z.number().int().min(1),
  /** Length of the lexicon, in 32-bit numbers. */
  lexicon: z.number().int().min(1),
  /** Length of the expansions of contractions, in 32-bit numbers. */
  expansions: z.number().int().min(1),
  /** What wink's model has besides, with the classes of words as lists and without the features' hashes. */
  core: z.looseObject({
    features: z.looseObject({
      prefix: z.looseObject({ list: z.array(z.string()) }),
      suffix: z.looseObject({ list: z.array(z.string()) }),
      shape: z.looseObject({ list: z.array(z.string()) }),
      posClusters: z.object({ list: z.array(z.array(z.number())) }),
    }),
  }),
});
export type TaggerModelHeader = z.infer<typeof headerSchema>;

/** The language model of `wink-eng-lite-web-model` as wink has it in memory, without the words that it learns. */
export interface TaggerModel {
  readonly core: TaggerModelHeader['core'];
  readonly words: WordTable;
  readonly lexicon: Uint32Array;
  readonly expansions: Uint32Array;
}

let shared: Promise<TaggerModel> | null = null;

/** One per process: it never changes, and contains nothing of a memory. */
export function sharedTaggerModel(): Promise<TaggerModel> {
  shared ??= readTaggerModel().catch((error: unknown) => {
    shared = null;
    throw error;
  });
  return shared;
}

/** Whether it is among the 87,593 words that the tagger knows, inflected ones ("fatter") and names among them. */
export async function isInLexicon(word: string): Promise<boolean> {
  return (await sharedTaggerModel()).words.indexOf(word) !== undefined;
}

/**
 * Reads the tagger's model that ships with the package, or another file of its format, little-endian: magic, length of
 * the header (4 bytes), header (JSON), zeros up to a multiple of 4, lexicon and expansions (32-bit numbers), a byte per
 * word with its length in UTF-16 code units, the words (UTF-8).
 *
 * @throws BundledFileError when it is missing or not of this format.
 */
export async function readTaggerModel(file = TAGGER_MODEL_FILE): Promise<TaggerModel> {
  const { path, bytes } = await readBundledFile(file);
  const header = readHeader(bytes);
  if (header === null) throw new BundledFileError(path, 'is not a model of the tagger of this version');
  const { core, words, start } = header;
  const [expansionsAt, lengthsAt] = [
    start + 4 * header.lexicon,
    start + 4 * (header.lexicon + header.expansions),
  ];
  if (lengthsAt + words > bytes.length) throw new BundledFileError(path, 'is cut off');
  const numbers = (from: number, to: number) =>
    new Uint32Array(bytes.buffer.slice(bytes.byteOffset + from, bytes.byteOffset + to));
  const starts = startsOf(bytes.subarray(lengthsAt, lengthsAt + words));
  const text = bytes.toString('utf8', lengthsAt + words);
  if (starts.at(-1) !== text.length) throw new BundledFileError(path, 'is cut off or too long');
  return {
    core,
    words: new WordTable(text, starts),
    lexicon: numbers(start, expansionsAt),
    expansions: numbers(expansionsAt, lengthsAt),
  };
}

function readHeader(bytes: Buffer): (TaggerModelHeader & { start: number }) | null {
  const first = TAGGER_MODEL_MAGIC.length + 4;
  if (bytes.length < first || bytes.toString('latin1', 0, first - 4) !== TAGGER_MODEL_MAGIC) return null;
  const end = first + bytes.readUInt32LE(first - 4);
  try {
    const header = headerSchema.parse(JSON.parse(bytes.toString('utf8', first, end)));
    return { ...header, start: Math.ceil(end / 4) * 4 };
  } catch {
    return null;
  }
}

/** The core model in the form of wink's own `core()`, to which it adds the words that it learns. */
export function winkCore({ core, words, lexicon, expansions }: TaggerModel): object {
  const { prefix, suffix, shape, posClusters } = core.features;
  return {
    ...core,
    lexicon,
    xpansions: expansions,
    features: {
      ...core.features,
      prefix: withHash(prefix),
      suffix: withHash(suffix),
      shape: withHash(shape),
      posClusters: { list: posClusters.list.map((cluster) => new Set(cluster)) },
      lexeme: lexemesOf(words),
    },
  };
}

function withHash<Feature extends { readonly list: readonly string[] }>(feature: Feature): object {
  const hash: Record<string, number> = Object.create(null);
  for (const [index, value] of feature.list.entries()) hash[value] = index;
  return { ...feature, list: [...feature.list], hash };
}

/**
 * wink reads its 87,593 words from an array and their numbers from an object, and appends the words that it learns to
 * both. To build these takes longer than to read a hundred turns. They begin empty here: a word that they lack is
 * looked up in the table, their prototype, and then kept.
 */
function lexemesOf(words: WordTable): object {
  const hash: Record<string, number> = Object.create(
    new Proxy(Object.create(null), {
      get: (_, word, found) =>
        typeof word === 'string' ? kept(found, word, words.indexOf(word)) : undefined,
    }),
  );
  const list: string[] = new Array(words.size);
  Object.setPrototypeOf(
    list,
    new Proxy(Array.prototype, {
      get: (array, key, found) => Reflect.get(array, key) ?? kept(found, key, words.at(Number(String(key)))),
    }),
  );
  return { hash, list, intrinsicSize: words.size, index: words.size };
}

function kept<Value>(holder: object, key: string | symbol, value: Value): Value {
  if (value !== undefined)
    Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
  return value;
}

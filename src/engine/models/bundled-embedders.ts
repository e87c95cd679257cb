import { InvalidInputError } from '../../errors/index.ts';
import type { Embedder } from '../../inference/embedder.ts';
import { HashingEmbedder } from '../../inference/hashing/hashing-embedder.ts';
import { StaticEmbedder } from '../../inference/static/static-embedder.ts';
import { analyze } from '../../search/analyzer.ts';

type Open = (dimension: number | undefined) => Promise<Embedder>;

/** Embedders that come with the package and need no folder of models. */
export const BUNDLED_EMBEDDERS: Readonly<Record<'static' | 'hashing', Open>> = {
  static: openStatic,
  hashing: async (dimension) =>
    new HashingEmbedder({ analyze, ...(dimension === undefined ? {} : { dimension }) }),
};

export interface BundledEntry {
  readonly name: keyof typeof BUNDLED_EMBEDDERS;
  readonly kind: 'embedder';
  readonly dimension: number;
  /** About what it takes on disk. */
  readonly megabytes: number;
  readonly licence: string;
}

/** For lists of models. */
export const BUNDLED_ENTRIES: readonly BundledEntry[] = [
  { name: 'static', kind: 'embedder', dimension: 256, megabytes: 10, licence: 'WordNet License' },
  { name: 'hashing', kind: 'embedder', dimension: 256, megabytes: 0, licence: 'MIT' },
];

/** What a memory is made with where nothing else is asked for. */
export const DEFAULT_EMBEDDER: keyof typeof BUNDLED_EMBEDDERS = 'static';

async function openStatic(wanted: number | undefined): Promise<Embedder> {
  const embedder = await StaticEmbedder.load(analyze);
  const { dimension } = embedder.fingerprint;
  if (wanted === undefined || wanted === dimension) return embedder;
  throw new InvalidInputError(`The static embedder gives vectors of ${dimension} numbers, no others`);
}

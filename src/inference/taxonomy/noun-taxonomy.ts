import { BundledFileError } from '../../errors/index.ts';
import { hashOf, startsOf } from '../../util/word-table.ts';
import { readBundledFile } from '../bundled-file.ts';

/** Path of the taxonomy in the package; `npm run build:static-model` creates it. */
export const NOUN_TAXONOMY_FILE = 'models/nouns-en.bin';
export const NOUN_TAXONOMY_MAGIC = 'MNEMNOUN';

/** A meaning of nouns: numbered from 0, "entity" first. */
export type NounSense = number;

/** What kinds of things nouns name (WordNet's hypernyms). Several parents are possible, cycles are not. */
export interface NounTaxonomy {
  /** Meanings of a noun or compound in its base form, most frequent first; none if it is unknown. */
  sensesOf(noun: string): readonly NounSense[];
  /** Its synonyms, the usual one first: "dog", "domestic dog". */
  namesOf(sense: NounSense): readonly string[];
  /** Its hypernyms, or for a name such as "Paris" what it is an instance of; none for the root. */
  parentsOf(sense: NounSense): readonly NounSense[];
  /** The same for all senses without a list for each; parents have lower numbers than their children. */
  readonly parentTable: ParentTable;
}

/** The parents of sense `n` are at `starts[n]` to `starts[n + 1]` of `parents`; `starts` ends with their number. */
export interface ParentTable {
  readonly parents: Uint32Array;
  readonly starts: Uint32Array;
}

let shared: Promise<NounTaxonomy> | null = null;

/** One per process: it never changes, and contains nothing of a memory. */
export function sharedNounTaxonomy(): Promise<NounTaxonomy> {
  shared ??= readNounTaxonomy().catch((error: unknown) => {
    shared = null;
    throw error;
  });
  return shared;
}

/** A power of two, about as many as there are names. */
export const NOUN_BUCKETS = 2 ** 17;

/** Of a name in lower case. */
export function nounBucket(name: string): number {
  return hashOf(name) & (NOUN_BUCKETS - 1);
}

/**
 * Reads the taxonomy that ships with the package, or another file of its format, little-endian: magic, four numbers
 * (senses, names, parents, length of the text), then
 * - 32-bit numbers: the names bucket by bucket, the parents sense by sense;
 * - bytes: per name its sense's rank among all senses of the name, and its length; per bucket its number of names; per
 *   sense its numbers of names and of parents;
 * - the text: all names, sense by sense, in ASCII.
 *
 * Nothing has to be parsed, because the first flush of every process reads it.
 *
 * @throws BundledFileError when it is missing or not of this format.
 */
export async function readNounTaxonomy(file = NOUN_TAXONOMY_FILE): Promise<NounTaxonomy> {
  const { path, bytes } = await readBundledFile(file);
  const head = NOUN_TAXONOMY_MAGIC.length;
  if (bytes.length < head + 16 || bytes.toString('latin1', 0, head) !== NOUN_TAXONOMY_MAGIC)
    throw new BundledFileError(path, 'is not a taxonomy of this version');
  const [senses, names, parents, length] = [0, 4, 8, 12].map((at) => bytes.readUInt32LE(head + at)) as Counts;
  let at = head + 16;
  const next = (size: number) => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  const [bucketNames, senseParents] = [numbersOf(next(4 * names)), numbersOf(next(4 * parents))];
  const [orders, lengths, bucketSizes] = [next(names), next(names), next(NOUN_BUCKETS)];
  const [nameCounts, parentCounts, text] = [next(senses), next(senses), next(length)];
  if (at !== bytes.length) throw new BundledFileError(path, 'is cut off or too long');
  const tables: TaxonomyTables = {
    text: text.toString('latin1'),
    starts: startsOf(lengths),
    orders: Uint8Array.from(orders), // a view would keep the whole file in memory
    firstNames: startsOf(nameCounts),
    parents: senseParents,
    firstParents: startsOf(parentCounts),
    bucketNames,
    firstInBuckets: startsOf(bucketSizes),
  };
  if (!isSound(tables)) throw new BundledFileError(path, 'is damaged');
  return new PackedTaxonomy(tables);
}

type Counts = [senses: number, names: number, parents: number, length: number];

/** Copied, since the bytes need not start at a multiple of 4 in memory. */
function numbersOf({ buffer, byteOffset, byteLength }: Buffer): Uint32Array {
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

interface TaxonomyTables {
  /** All names concatenated, and where each begins. */
  readonly text: string;
  readonly starts: Uint32Array;
  /** Per name: the rank of its sense among all senses of the name. */
  readonly orders: Uint8Array;
  /** Per sense, and for one after the last: where its names and its parents begin. */
  readonly firstNames: Uint32Array;
  readonly parents: Uint32Array;
  readonly firstParents: Uint32Array;
  /** Names by `nounBucket`, ascending in each bucket, and where each bucket begins. */
  readonly bucketNames: Uint32Array;
  readonly firstInBuckets: Uint32Array;
}

function isSound({ text, parents, firstParents, bucketNames, ...tables }: TaxonomyTables): boolean {
  const names = bucketNames.length;
  const ends = [
    firstParents.at(-1),
    tables.starts.at(-1),
    tables.firstNames.at(-1),
    tables.firstInBuckets.at(-1),
  ];
  const wanted = [parents.length, text.length, names, names];
  if (ends.some((end, at) => end !== wanted[at])) return false;
  for (let name = 0; name < names; name++) if (bucketNames[name]! >= names) return false;
  for (let sense = 0; sense < firstParents.length - 1; sense++)
    for (let at = firstParents[sense]!; at < firstParents[sense + 1]!; at++)
      if (parents[at]! >= sense) return false;
  return true;
}

/**
 * One text and a few arrays of numbers. As objects (a list for each sense and for each name) the taxonomy took 50 MB of
 * the heap for as long as the process lived; packed it takes 6 MB.
 */
class PackedTaxonomy implements NounTaxonomy {
  readonly #tables: TaxonomyTables;
  /** Per name. */
  readonly #senses: Uint32Array;

  constructor(tables: TaxonomyTables) {
    this.#tables = tables;
    const { firstNames } = tables;
    this.#senses = new Uint32Array(tables.bucketNames.length);
    for (let sense = 0; sense < firstNames.length - 1; sense++)
      this.#senses.fill(sense, firstNames[sense], firstNames[sense + 1]);
  }

  sensesOf(noun: string): readonly NounSense[] {
    const { orders, bucketNames, firstInBuckets } = this.#tables;
    const wanted = noun.toLowerCase();
    const bucket = nounBucket(wanted);
    const found: number[] = [];
    for (let at = firstInBuckets[bucket]!; at < firstInBuckets[bucket + 1]!; at++)
      if (this.#nameAt(bucketNames[at]!).toLowerCase() === wanted) found.push(bucketNames[at]!);
    if (found.length > 1) found.sort((a, b) => orders[a]! - orders[b]! || a - b);
    return found.map((name) => this.#senses[name]!);
  }

  namesOf(sense: NounSense): readonly string[] {
    const { firstNames } = this.#tables;
    const names: string[] = [];
    const end = firstNames[sense + 1] ?? 0; // of no sense: none
    for (let name = firstNames[sense] ?? 0; name < end; name++) names.push(this.#nameAt(name));
    return names;
  }

  parentsOf(sense: NounSense): readonly NounSense[] {
    const { parents, firstParents } = this.#tables;
    return Array.from(parents.subarray(firstParents[sense] ?? 0, firstParents[sense + 1] ?? 0));
  }

  get parentTable(): ParentTable {
    return { parents: this.#tables.parents, starts: this.#tables.firstParents };
  }

  #nameAt(name: number): string {
    const { text, starts } = this.#tables;
    return text.slice(starts[name], starts[name + 1]);
  }
}

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BundledFileError } from '../../errors/index.ts';
import { breathe } from '../../util/breathe.ts';
import { readBundledFile } from '../bundled-file.ts';

/** Path of the taxonomy in the package; `npm run build:static-model` creates it. */
export const NOUN_TAXONOMY_FILE = 'models/nouns-en.txt.gz';
export const NOUN_TAXONOMY_HEADER = 'mnemis noun taxonomy 1';

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
}

/** Some milliseconds of work, after which other tasks get their turn. */
const LINES_PER_TURN = 4_096;

const unzip = promisify(gunzip);

let shared: Promise<NounTaxonomy> | null = null;

/** One per process: it never changes, and contains nothing of a memory. */
export function sharedNounTaxonomy(): Promise<NounTaxonomy> {
  shared ??= readNounTaxonomy().catch((error: unknown) => {
    shared = null;
    throw error;
  });
  return shared;
}

/**
 * Reads the taxonomy that ships with the package: after the header one sense a line, its names with their sense
 * numbers (`dog|hot dog:2`; 1 is left out), a tab, and its parents' distances back (`3,17`).
 *
 * @throws BundledFileError when it is missing or not of this format.
 */
export async function readNounTaxonomy(file = NOUN_TAXONOMY_FILE): Promise<NounTaxonomy> {
  const { path, bytes } = await readBundledFile(file);
  const text = await unzip(bytes).catch((cause: unknown) => {
    throw new BundledFileError(path, 'cannot be unpacked', cause);
  });
  const whole = text.toString('utf8').trimEnd();
  const body = whole.indexOf('\n') + 1;
  if (whole.slice(0, body).trimEnd() !== NOUN_TAXONOMY_HEADER)
    throw new BundledFileError(path, 'is not a taxonomy of this version');
  const names: string[] = [];
  const [senses, orders, firstNames]: [number[], number[], number[]] = [[], [], []];
  const [parents, firstParents]: [NounSense[], number[]] = [[], []];
  for (let [sense, start] = [0, body]; start < whole.length; sense++) {
    if (sense % LINES_PER_TURN === 0) await breathe();
    const newline = whole.indexOf('\n', start);
    const end = newline < 0 ? whole.length : newline;
    const tab = whole.indexOf('\t', start);
    if (tab < 0 || tab >= end) throw new BundledFileError(path, 'is damaged');
    firstNames.push(names.length);
    for (const name of partsOf(whole.slice(start, tab), '|')) {
      const colon = name.lastIndexOf(':');
      names.push(colon < 0 ? name : name.slice(0, colon));
      orders.push(colon < 0 ? 1 : Number(name.slice(colon + 1)));
      senses.push(sense);
    }
    firstParents.push(parents.length);
    if (tab + 1 < end)
      for (const back of partsOf(whole.slice(tab + 1, end), ',')) {
        const parent = sense - Number(back);
        if (!(parent >= 0 && parent < sense)) throw new BundledFileError(path, 'is damaged');
        parents.push(parent);
      }
    start = end + 1;
  }
  firstNames.push(names.length);
  firstParents.push(parents.length);
  return new PackedTaxonomy(names, {
    senses: Uint32Array.from(senses),
    orders: Uint16Array.from(orders),
    firstNames: Uint32Array.from(firstNames),
    parents: Uint32Array.from(parents),
    firstParents: Uint32Array.from(firstParents),
  });
}

/** Most lists have one element. */
function partsOf(list: string, mark: string): readonly string[] {
  return list.includes(mark) ? list.split(mark) : [list];
}

interface TaxonomyNumbers {
  /** Per name: its sense, and the rank of this sense among all senses of the name. */
  readonly senses: Uint32Array;
  readonly orders: Uint16Array;
  /** Per sense, and for one after the last: where its names and its parents begin. */
  readonly firstNames: Uint32Array;
  readonly parents: Uint32Array;
  readonly firstParents: Uint32Array;
}

/** A power of two, about as many as there are names. */
const BUCKETS = 2 ** 17;

/**
 * One text and a few arrays of numbers. As objects (a list for each sense and for each name) the taxonomy took 50 MB of
 * the heap for as long as the process lived; packed it takes 5 MB.
 */
class PackedTaxonomy implements NounTaxonomy {
  /** All names concatenated, and where each begins. */
  readonly #text: string;
  readonly #starts: Uint32Array;
  readonly #numbers: TaxonomyNumbers;
  /** Names by their hash: the first name of each bucket and the next one after each name, plus 1; 0 is none. */
  readonly #buckets = new Uint32Array(BUCKETS);
  readonly #next: Uint32Array;

  constructor(names: readonly string[], numbers: TaxonomyNumbers) {
    this.#numbers = numbers;
    this.#text = Buffer.from(names.join('')).toString(); // flat: a joined string keeps its parts
    this.#starts = new Uint32Array(names.length + 1);
    this.#next = new Uint32Array(names.length);
    for (const [at, name] of names.entries()) {
      this.#starts[at + 1] = this.#starts[at]! + name.length;
      const bucket = bucketOf(name.toLowerCase());
      this.#next[at] = this.#buckets[bucket]!;
      this.#buckets[bucket] = at + 1;
    }
  }

  sensesOf(noun: string): readonly NounSense[] {
    const { senses, orders } = this.#numbers;
    const wanted = noun.toLowerCase();
    const found: number[] = [];
    for (let name = this.#buckets[bucketOf(wanted)]!; name > 0; name = this.#next[name - 1]!)
      if (this.#nameAt(name - 1).toLowerCase() === wanted) found.push(name - 1);
    if (found.length > 1) found.sort((a, b) => orders[a]! - orders[b]! || a - b);
    return found.map((name) => senses[name]!);
  }

  namesOf(sense: NounSense): readonly string[] {
    const { firstNames } = this.#numbers;
    const names: string[] = [];
    const end = firstNames[sense + 1] ?? 0; // of no sense: none
    for (let name = firstNames[sense] ?? 0; name < end; name++) names.push(this.#nameAt(name));
    return names;
  }

  parentsOf(sense: NounSense): readonly NounSense[] {
    const { parents, firstParents } = this.#numbers;
    return Array.from(parents.subarray(firstParents[sense] ?? 0, firstParents[sense + 1] ?? 0));
  }

  #nameAt(name: number): string {
    return this.#text.slice(this.#starts[name], this.#starts[name + 1]);
  }
}

/** FNV-1a over UTF-16 code units. */
function bucketOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return ((hash >>> 15) ^ hash) & (BUCKETS - 1);
}

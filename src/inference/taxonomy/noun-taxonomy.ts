import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BundledFileError } from '../../errors/index.ts';
import { breathe } from '../../util/breathe.ts';
import { readBundledFile } from '../bundled-file.ts';

/** Where the taxonomy lies in the package; `npm run build:static-model` makes it. */
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
  /** Kinds that it is a kind of, or, for a name such as "Paris", is one of; none for the root. */
  parentsOf(sense: NounSense): readonly NounSense[];
}

/** Some milliseconds of work, after which others get their turn (DESIGN §8.13). */
const LINES_PER_TURN = 4_096;

const unzip = promisify(gunzip);

let shared: Promise<NounTaxonomy> | null = null;

/** One for all of the process: it never changes, and holds nothing of a memory. */
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
  const [header, ...lines] = text.toString('utf8').trimEnd().split('\n');
  if (header !== NOUN_TAXONOMY_HEADER) throw new BundledFileError(path, 'is not a taxonomy of this version');
  const names: (readonly string[])[] = [];
  const parents: (readonly NounSense[])[] = [];
  const senses = new Map<string, { sense: NounSense; order: number }[]>();
  for (const [sense, line] of lines.entries()) {
    if (sense % LINES_PER_TURN === 0) await breathe();
    const [nameList, parentList] = line.split('\t');
    if (nameList === undefined || parentList === undefined) throw new BundledFileError(path, 'is damaged');
    const read = nameList.split('|').map(readName);
    for (const { name, order } of read) {
      const known = senses.get(name.toLowerCase()) ?? [];
      if (known.length === 0) senses.set(name.toLowerCase(), known);
      known.push({ sense, order });
    }
    names.push(read.map(({ name }) => name));
    parents.push(parentList === '' ? [] : parentList.split(',').map((back) => sense - Number(back)));
    if (!parents[sense]!.every((parent) => parent >= 0 && parent < sense))
      throw new BundledFileError(path, 'is damaged');
  }
  for (const list of senses.values()) list.sort((a, b) => a.order - b.order);
  return {
    sensesOf: (noun) => senses.get(noun.toLowerCase())?.map(({ sense }) => sense) ?? [],
    namesOf: (sense) => names[sense] ?? [],
    parentsOf: (sense) => parents[sense] ?? [],
  };
}

function readName(text: string): { name: string; order: number } {
  const colon = text.lastIndexOf(':');
  const order = colon < 0 ? 1 : Number(text.slice(colon + 1));
  return { name: colon < 0 ? text : text.slice(0, colon), order };
}

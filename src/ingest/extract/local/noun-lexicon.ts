import {
  type NounSense,
  type NounTaxonomy,
  sharedNounTaxonomy,
} from '../../../inference/taxonomy/noun-taxonomy.ts';
import { capitalized } from '../../../util/tidy.ts';
import { entityKey } from './entity-key.ts';
import { kindsBySense, sensesNamed } from './noun-kinds.ts';

/** What the rules need to know about nouns. Words are in lower case, singular or plural. */
export interface NounLexicon {
  /** Whether a word, or a compound such as "rocking chair", is a noun. */
  isNoun(noun: string): boolean;
  /** Whether it names something that people own, meet, do or make, and would list with others of its kind. */
  isThing(noun: string): boolean;
  /** Whether it names an occupation. */
  isOccupation(noun: string): boolean;
  /** Whether it names what everybody has around them, so that "the" needs no thing before it: the kitchen, the harbour. */
  isSurrounding(noun: string): boolean;
  /** Whether it has a meaning that is written without a capital: true for "apple" and "turkey", false for "paris". */
  isCommon(noun: string): boolean;
  /** Whether it is also the name of a place: true for "turkey" and "amazon", false for "apple". */
  isPlaceName(noun: string): boolean;
  /** The kinds of its most frequent sense, as bits in the order of `NOUN_KINDS`; 0 if it is unknown. */
  kindsOf(noun: string): number;
}

const NATURAL = 1;
const OWNED = 2;
const OCCUPATION = 4;
/** A word with a sense of these kinds is not a thing, regardless of its other senses. */
const EVERYDAY = 8;
const PLACE = 16;
const SURROUNDING = 32;

/** Roots of the taxonomy whose descendants are of a kind; `plant<organism` is the sense of "plant" below "organism". */
const ROOTS = new Map([
  [
    NATURAL,
    `animal<organism, plant<organism, food<substance, food<solid, ill health<pathological state, inflammation<symptom,
     medicine<drug, sport<diversion, game<diversion, game<activity, game of chance<gambling, martial art<self-defense,
     dancing<diversion, dance music<music, handicraft<trade, needlework<creation, musical instrument<device`,
  ],
  [
    OWNED,
    `clothing<covering, footwear<covering, fabric<artifact, jewelry<adornment, gem<crystal, furniture<furnishing,
     tool<implement, plaything<artifact, weapon<instrument, vehicle<conveyance, building<structure, tower<structure`,
  ],
  [
    OCCUPATION,
    `worker<person, professional<adult, capitalist<person, creator<person, entertainer<person, expert<person,
     linguist<person, cashier<person, messenger<traveler, athlete<contestant, religious person<person`,
  ],
  [PLACE, 'stream<body of water, lake<body of water, district<region, land<object, land<physical object'],
  [
    SURROUNDING,
    `structure<artifact, facility<artifact, way<artifact, geological formation<object, body of water<thing,
     furniture<furnishing, home appliance<appliance, public transport<conveyance, musical instrument<device,
     port<geographic point, roof<protective covering, workplace<geographic point, mercantile establishment<place of business`,
  ],
  [EVERYDAY, 'meal<nutriment, dessert<course, pet<animal, feed<food, body part<part'],
]);

/**
 * The more senses a word has, the smaller the share of them that counts: four of four, two of six, the first of
 * eight.
 */
const MANY_SENSES = 8;
/** Words for possessions have few senses; words with more have unrelated uses ("bed", "ring", "case"). */
const MOST_SENSES_OF_OWNED = 3;
/** A noun with more kinds than this is too general to be a thing: "bird", "tree", "vegetable". */
const MOST_KINDS = 200;

/** Looks nouns up in a taxonomy. Keeps data of the taxonomy only, no word that it was asked about. */
export function createNounLexicon(taxonomy: NounTaxonomy): NounLexicon {
  const [kinds, counts] = readKinds(taxonomy);
  const fineKinds = kindsBySense(taxonomy);
  const is = (sense: NounSense | undefined, kind: number): boolean =>
    sense !== undefined && (kinds[sense]! & kind) !== 0 && counts[sense]! <= MOST_KINDS;
  const isEveryday = (sense: NounSense): boolean =>
    (kinds[sense]! & EVERYDAY) !== 0 || ((kinds[sense]! & NATURAL) !== 0 && counts[sense]! > MOST_KINDS);
  const mayBe = (senses: readonly NounSense[], kind: number): boolean =>
    senses.slice(0, Math.max(1, MANY_SENSES - senses.length)).some((sense) => is(sense, kind));
  const isThing = (noun: string): boolean => {
    const senses = sensesOf(noun, taxonomy);
    if (senses.some((sense) => isEveryday(sense))) return false;
    if (senses.length <= MOST_SENSES_OF_OWNED && senses.some((sense) => is(sense, OWNED))) return true;
    return mayBe(senses, NATURAL);
  };
  return {
    kindsOf: (noun) => fineKinds[commonSensesOf(noun, taxonomy)[0] ?? -1] ?? 0,
    isNoun: (noun) => sensesOf(noun, taxonomy).length > 0,
    isThing: (noun) => isThing(noun) || isThing(doneWith(noun, taxonomy)),
    isOccupation: (noun) => mayBe(sensesOf(noun, taxonomy), OCCUPATION),
    isSurrounding: (noun) =>
      sensesOf(noun, taxonomy)
        .slice(0, 2)
        .some((sense) => (kinds[sense]! & SURROUNDING) !== 0),
    isCommon: (noun) => commonSensesOf(noun, taxonomy).length > 0,
    isPlaceName: (noun) =>
      taxonomy
        .sensesOf(noun)
        .some(
          (sense) => (kinds[sense]! & PLACE) !== 0 && taxonomy.namesOf(sense).includes(capitalized(noun)),
        ),
  };
}

/** "Kayaking" is done with a kayak: returns the base noun if the taxonomy lacks the word; else empty. */
function doneWith(noun: string, taxonomy: NounTaxonomy): string {
  return noun.length > 6 && noun.endsWith('ing') && taxonomy.sensesOf(noun).length === 0
    ? noun.slice(0, -3)
    : '';
}

/**
 * Looks up the word itself, else as a plural. Proper names count only if the word is no common noun: "Brie" counts,
 * the name "Barber" does not.
 */
function sensesOf(noun: string, taxonomy: NounTaxonomy): readonly NounSense[] {
  const senses = taxonomy.sensesOf(noun);
  const singular = entityKey(noun);
  if (senses.length === 0) return singular === noun ? [] : sensesOf(singular, taxonomy);
  const common = writtenSmall(noun, taxonomy);
  return common.length > 0 ? common : senses;
}

function commonSensesOf(noun: string, taxonomy: NounTaxonomy): readonly NounSense[] {
  const senses = writtenSmall(noun, taxonomy);
  return senses.length > 0 ? senses : writtenSmall(entityKey(noun), taxonomy);
}

function writtenSmall(noun: string, taxonomy: NounTaxonomy): readonly NounSense[] {
  return taxonomy.sensesOf(noun).filter((sense) => taxonomy.namesOf(sense).includes(noun));
}

/** For each sense, which of `ROOTS` are above it, and how many senses are below it. */
function readKinds(taxonomy: NounTaxonomy): readonly [Uint8Array, Uint32Array] {
  const { parents, starts } = taxonomy.parentTable;
  const senses = starts.length - 1;
  const [kinds, counts, passedOn] = [new Uint8Array(senses), new Uint32Array(senses), new Uint8Array(senses)];
  for (const [root, kind] of rootsIn(taxonomy)) {
    kinds[root] = kind & (OCCUPATION | EVERYDAY | SURROUNDING);
    passedOn[root] = kind;
  }
  // Parents have lower numbers than their children.
  for (let sense = 0; sense < senses; sense++) {
    for (let at = starts[sense]!; at < starts[sense + 1]!; at++) kinds[sense]! |= passedOn[parents[at]!]!;
    passedOn[sense]! |= kinds[sense]!;
  }
  for (let sense = senses - 1; sense > 0; sense--)
    for (let at = starts[sense]!; at < starts[sense + 1]!; at++) counts[parents[at]!]! += counts[sense]! + 1;
  return [kinds, counts];
}

function rootsIn(taxonomy: NounTaxonomy): ReadonlyMap<NounSense, number> {
  const roots = new Map<NounSense, number>();
  for (const [kind, list] of ROOTS)
    for (const sense of sensesNamed(list, taxonomy)) roots.set(sense, (roots.get(sense) ?? 0) | kind);
  return roots;
}

let shared: Promise<NounLexicon> | null = null;

/** One lexicon for all memories of the process: it takes some time to load, and holds no data of any memory. */
export function sharedNounLexicon(): Promise<NounLexicon> {
  shared ??= sharedNounTaxonomy()
    .then(createNounLexicon)
    .catch((error: unknown) => {
      shared = null;
      throw error;
    });
  return shared;
}

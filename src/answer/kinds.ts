import type { NounTaxonomy } from '../inference/taxonomy/noun-taxonomy.ts';
import { IRREGULAR_PLURALS } from '../search/english.ts';
import { PERSON } from './answer-fit.ts';

/** They are of every kind, or say nothing of a kind. */
export const ANY_KIND = new Set(
  'thing object item entity person people way time name number reason part kind type sort place activity event advice plan idea'.split(
    ' ',
  ),
);
/** A cat "named Miso" is no food, and a friend named Tom or Robin no animal. */
export const GIVEN_NAME =
  /(?<=\b(?:named|called) )\p{Lu}[\p{L}'’-]*|(?<![\p{L}])(?:Tom|Jack|Jenny|Billy|Kit|Robin|Martin|Jay|Drake|Buck|Colt|Raven)(?![\p{L}])/gu;
export const WORD = /[\p{L}][\p{L}'-]*/gu;
/** Senses of a noun that count: further ones are rare. */
export const SENSES = 2;
const HIGHEST = 14;
interface Meant {
  /** What a sentence that answers names. */
  readonly by?: readonly string[];
  /** What a list names, where that is more exact, or more. Default: the same. */
  readonly listed?: readonly string[];
  /** How many senses of a member count where a sentence names it: "Czech" is first of all a person, "carrot" a plant. */
  readonly senses?: number;
  /** Members that a dictionary has elsewhere. */
  readonly also?: readonly string[];
}
const SPORTS =
  'climbing skiing cycling skating kayaking hiking running rowing boxing fencing sailing surfing diving yoga pilates marathon'.split(
    ' ',
  );
/** Of these the verb is meant, too: "I climb", but not "I run a shop". */
const BY_VERB = /^(?:climb|ski|cycl|skat|kayak|hik)ing$/;
const TEAS = 'rooibos lapsang peppermint chamomile camomile matcha sencha chai kombucha'.split(' ');
/** What people mean by a kind, where the first senses of its noun are something else or narrower. */
const MEANT: Readonly<Record<string, Meant>> = {
  instrument: { by: ['musical instrument'] },
  pet: { by: ['vertebrate', 'young mammal'], listed: ['animal'] },
  hobby: {
    by: ['diversion', 'handicraft'],
    listed: ['sport', 'game', 'art', 'handicraft', 'exercise', 'musical instrument'],
    senses: 3,
    also: [...SPORTS, 'photography', 'gardening', 'painting', 'dancing'],
  },
  pastime: { by: ['diversion', 'handicraft'], senses: 3 },
  craft: { by: ['craft', 'handicraft'], senses: 3 },
  sport: { by: ['sport', 'martial art'], also: SPORTS },
  language: { by: ['natural language'], senses: 4 },
  ship: { by: ['watercraft', 'boat'] },
  illness: { by: ['ill health'] },
  disease: { by: ['ill health'] },
  drink: { by: ['beverage'], also: TEAS },
  tea: { also: TEAS },
  vegetable: { senses: 5 },
  dish: { by: ['nutriment', 'food'] },
  food: { by: ['food', 'produce', 'edible fruit', 'fruit', 'legume'] },
  city: { by: ['city', 'municipality'], listed: ['city', 'town', 'capital'] },
  town: { by: ['town', 'municipality'] },
  state: { by: ['American state'] },
  plant: { by: ['flora'] },
  job: { listed: ['worker', 'occupation'] },
  profession: { listed: ['worker', 'occupation'] },
  kid: { listed: ['offspring'] },
  child: { listed: ['offspring'] },
};

/** The nouns that say what is meant by a kind, as a dictionary has them. */
export function meantBy(kind: string, use: 'by' | 'listed'): readonly string[] {
  const { by = [kind], listed = by } = MEANT[kind] ?? {};
  return use === 'by' ? by : listed;
}

/** The usual senses of a noun in both its spellings: a dictionary has others of "colour" than of "color". */
export function usualSenses(noun: string, taxonomy: NounTaxonomy): readonly number[] {
  const american = SPELLINGS.reduce((word, [british, other]) => word.replace(british, other), noun);
  return [...new Set([noun, american])].flatMap((word) => taxonomy.sensesOf(word).slice(0, SENSES));
}

const SPELLINGS = [
  [/(?<=\p{L}{3})our$/u, 'or'],
  [/(?<=[bt])re$/u, 'er'],
  [/ogramme$/u, 'ogram'],
  [/grey/u, 'gray'],
] as const;

/** The member of a kind that a word names and that no dictionary has there: "climbing" for "climbs"; null for others. */
export function otherMember(kind: string, word: string): string | null {
  const { also = [] } = MEANT[kind] ?? {};
  const byVerb = baseForms(word).flatMap(doing);
  return also.find((each) => each === word || (BY_VERB.test(each) && byVerb.includes(each))) ?? null;
}

/** What is done has a verb: "I learned to knit" names the craft. */
const DONE = /^(?:hobby|pastime|craft|sport|activity)$/;
/** A town whose name the taxonomy does not know. */
const TOWN = /^(?:city|town|village|state|region)$/;
const IN_PLACE = /\b(?:in|to|from|at|near|around) (?<name>\p{Lu}[\p{L}'’-]+)/gu;

/**
 * Whether a sentence names something of a kind: "my old violin" for "instruments". Null for a kind that the taxonomy
 * does not know, or that everything is of.
 */
export function memberOfKind(
  kindWords: string,
  taxonomy: NounTaxonomy,
): ((sentence: string) => boolean) | null {
  const words = kindWords.toLowerCase().split(' ');
  const forms = [words.join(' '), ...baseForms(words.at(-1) ?? '')];
  const kind = forms.find((form) => taxonomy.sensesOf(form).length > 0);
  if (kind === undefined || ANY_KIND.has(kind)) return null;
  const { senses = SENSES } = MEANT[kind] ?? {};
  const wanted = new Set(meantBy(kind, 'by').flatMap((noun) => usualSenses(noun, taxonomy)));
  const formsOf = DONE.test(kind) ? (word: string) => [...baseForms(word), ...doing(word)] : baseForms;
  const known = new Map<string, boolean>();
  const isMember = (word: string): boolean => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const found =
      otherMember(kind, word) !== null ||
      formsOf(word).some((form) => form !== kind && isBelow(form, wanted, taxonomy, senses));
    known.set(word, found);
    return found;
  };
  const isTown = (sentence: string) =>
    TOWN.test(kind) &&
    Array.from(sentence.matchAll(IN_PLACE), ([, name]) => name!).some(
      (name) => taxonomy.sensesOf(name).length === 0,
    );
  return (sentence) =>
    isTown(sentence) ||
    (sentence.replaceAll(GIVEN_NAME, '').toLowerCase().match(WORD) ?? []).some(
      (word) => word.length > 2 && isMember(word),
    );
}

const LIVING = ['person', 'animal'];
/** Words that are people to their owner, though not first of all in a dictionary. */
const KIN = /^(?:ex|folks?|parents?|twins?|in-laws?|pets?|vet|gp|landlord|landlady)$/i;

/** Whether a noun names, in its first sense, a person or an animal. */
export function isLivingNoun(taxonomy: NounTaxonomy): (noun: string) => boolean {
  const wanted = new Set(LIVING.flatMap((noun) => taxonomy.sensesOf(noun).slice(0, 1)));
  return (noun) =>
    PERSON.test(noun) || KIN.test(noun) || baseForms(noun).some((form) => isBelow(form, wanted, taxonomy, 1));
}

/** Whether a noun names a place, a thing or somebody, and no event: "station", "Bern", but not "launch". */
export function isThingNoun(taxonomy: NounTaxonomy): (noun: string) => boolean {
  const [things, events] = [['physical entity'], ['event', 'act', 'time period']].map(
    (nouns) => new Set(nouns.flatMap((noun) => taxonomy.sensesOf(noun).slice(0, 1))),
  );
  return (noun) => {
    const forms = baseForms(noun);
    return (
      forms.some((form) => isBelow(form, things!, taxonomy, 1)) &&
      !forms.some((form) => isBelow(form, events!, taxonomy))
    );
  };
}

/** Whether a noun, in its usual senses, is a kind of something wanted. */
export function isBelow(
  noun: string,
  wanted: ReadonlySet<number>,
  taxonomy: NounTaxonomy,
  most = SENSES,
): boolean {
  let senses = taxonomy.sensesOf(noun).slice(0, most);
  for (let height = 0; height < HIGHEST && senses.length > 0; height++) {
    if (senses.some((sense) => wanted.has(sense))) return true;
    senses = [...new Set(senses.flatMap((sense) => taxonomy.parentsOf(sense)))];
  }
  return false;
}

/** "knit" as "knitting", "bake" as "baking". */
function doing(verb: string): readonly string[] {
  const stem = verb.replace(/e$/, '');
  return [`${stem}ing`, `${stem}${stem.at(-1)}ing`];
}

/** What a noun may be the plural of, itself among them. */
export function baseForms(word: string): readonly string[] {
  const one = IRREGULAR_PLURALS.get(word);
  if (one !== undefined) return [one];
  if (word.endsWith('ies')) return [word, `${word.slice(0, -3)}y`, word.slice(0, -1)];
  if (/(?:ses|xes|zes|ches|shes)$/.test(word)) return [word, word.slice(0, -2), word.slice(0, -1)];
  return word.endsWith('s') && !word.endsWith('ss') ? [word, word.slice(0, -1)] : [word];
}

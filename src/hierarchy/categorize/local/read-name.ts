import type { NounSense, NounTaxonomy } from '../../../inference/taxonomy/noun-taxonomy.ts';
import { readTimes, type TimeMention } from '../../../time/read-times.ts';
import { MONTH_NAMES } from '../../../util/month-names.ts';
import { capitalized, entityNameKey } from '../../../util/tidy.ts';
import { type Label, specificOf, topOf, type Vocabulary } from './vocabulary.ts';
import {
  baseForm,
  beforePreposition,
  isAdjective,
  isKnownNoun,
  isUninformative,
  isUsuallyAdjective,
  meaningfulWords,
  wordsOf,
} from './words.ts';

/** One possible meaning of a name. */
export interface Meaning {
  readonly labels: readonly Label[];
  /** Senses below the labels, finest first. */
  readonly finer: readonly NounSense[];
}

/** The meaning of a name, with its tags taken into account. */
export interface NameReading {
  readonly isSpeaker: boolean;
  readonly date: NamedDate | null;
  /** Empty if the taxonomy does not know it. */
  readonly meaning: Meaning;
  /** Less usual meanings, which need further evidence. */
  readonly others: readonly Meaning[];
  /** Singular, lower case; empty for proper names, unless they contain a common noun: "Hyde Park". */
  readonly head: string;
  /** Terms it may share with other names, singular, the head last. */
  readonly subjects: readonly Subject[];
}

export interface ReadingTools {
  readonly taxonomy: NounTaxonomy;
  readonly vocabulary: Vocabulary;
  readonly senses: SenseLabels;
}

const NOTHING_MEANT: Meaning = { labels: [], finer: [] };
const SPEAKERS = new Set(['i', 'me', 'myself', 'user', 'the user', 'we', 'us']);
const LONGEST_PHRASE = 3;
const PLAUSIBLE_SENSES = 4;
/** Heads of these kinds classify a proper name: "Hyde Park", "Acme University". */
const CLASSIFYING_TOPS = new Set(['Places', 'Groups', 'Events', 'Time']);
const NAMED_TOPS = new Set([...CLASSIFYING_TOPS, 'People']);
/** The categories that entities of a kind usually belong to; a meaning in others is less likely. */
const TOPS_OF_KIND: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['person', new Set(['People', 'Groups'])],
  ['place', new Set(['Places'])],
  ['organisation', new Set(['Groups', 'Places'])],
]);

export class NameReader {
  readonly #tools: ReadingTools;

  constructor(tools: ReadingTools) {
    this.#tools = tools;
  }

  /** @param capitalsMarkNames Common nouns are in lower case in this memory, so that a capital marks a proper name. */
  read(name: string, tags: readonly string[], capitalsMarkNames: boolean): NameReading {
    const kind = tags[0] ?? '';
    const empty = {
      isSpeaker: false,
      date: null,
      meaning: NOTHING_MEANT,
      others: [],
      head: '',
      subjects: [],
    };
    if (SPEAKERS.has(entityNameKey(name))) return { ...empty, isSpeaker: true };
    const date = readDate(name, kind === 'date');
    if (date !== null) return { ...empty, date };
    const words = wordsOf(name);
    if (words.length === 0) return empty;
    const known = looksProper(words) && kind !== 'person' ? this.#knownName(name, kind) : undefined;
    if (known !== undefined) return { ...empty, subjects: this.#subjects(words, true), meaning: known };
    const isProper = looksProper(words) && (capitalsMarkNames || this.#conflictsWithKind(words, kind));
    const subjects = this.#subjects(words, isProper);
    if (!isProper) return { ...empty, subjects, ...this.#readCommon(name, kind) };
    const { meaning, head = '' } = this.#readProper(name, words, kind);
    const named = head === '' ? [] : [{ term: head, surface: words.at(-1)! }];
    return { ...empty, meaning, head, subjects: [...subjects, ...named] };
  }

  /** Whether a word in its base form is in the vocabulary or the taxonomy. */
  isKnown = (word: string): boolean =>
    this.#tools.vocabulary.ofWord(word).length > 0 || isKnownNoun(word, this.#tools.taxonomy);

  /** Whether a single word is the plural of a noun; as a name, "Cabins" then means several. */
  isPlural(name: string): boolean {
    const word = name.toLowerCase();
    return !/\s/.test(word) && this.isKnown(baseForm(word, this.isKnown)) && !this.isKnown(word);
  }

  /** Meanings of a noun in its base form, the usual one first. */
  meaningsOf(noun: string, kind: string): readonly Meaning[] {
    const { taxonomy, vocabulary, senses } = this.#tools;
    const listed = vocabulary.ofWord(noun);
    const common = taxonomy.sensesOf(noun).filter((sense) => taxonomy.namesOf(sense).includes(noun));
    const places = ordered(
      common
        .slice(0, PLAUSIBLE_SENSES)
        .map((sense) => senses.placeOf(sense))
        .filter((place) => place.labels.length > 0),
      kind,
    );
    if (listed.length === 0 || (!fits(listed, kind) && fits(places[0]?.labels ?? [], kind))) return places;
    return [{ labels: fitting(listed, kind), finer: [] }];
  }

  /**
   * Labels that the vocabulary has for the name as written, else for its first word: "Docker", "iPhone 14", "Aunt
   * May".
   */
  #asWritten(name: string, words: readonly string[]): readonly Label[] {
    const whole = this.#tools.vocabulary.ofWord(name);
    if (whole.length > 0 || !/^\p{Lu}|\p{Lu}/u.test(words[0]!)) return /\p{Lu}/u.test(name) ? whole : [];
    return this.#tools.vocabulary.ofWord(words[0]!);
  }

  #readCommon(name: string, kind: string): Pick<NameReading, 'meaning' | 'others' | 'head'> {
    const written = this.#asWritten(name, wordsOf(name));
    if (written.length > 0) return { meaning: { labels: written, finer: [] }, others: [], head: '' };
    const all = wordsOf(beforePreposition(name));
    const meaningful = meaningfulWords(all);
    // "Harry Potter stuff" is not about a potter.
    const isOfName =
      !looksProper(all) &&
      meaningful.length > 1 &&
      meaningful.slice(-2).every((word) => /^\p{Lu}\p{Ll}/u.test(word));
    const words = isOfName ? [] : meaningful.map((word) => word.toLowerCase());
    for (const phrase of suffixes(words)) {
      const head = baseForm(phrase, this.isKnown);
      if (!this.isKnown(head) || this.#isQuality(phrase)) continue;
      const [meaning = NOTHING_MEANT, ...others] = this.#meaningsOfForms(phrase, head, kind);
      return { meaning, others, head };
    }
    return { meaning: this.#ofKind(kind, false), others: [], head: '' };
  }

  /** Whether the word is an adjective: "simple", from "simple things", is not the herb. */
  #isQuality(word: string): boolean {
    return isUsuallyAdjective(word) && this.#tools.vocabulary.ofWord(word).length === 0;
  }

  /**
   * Prefers a plural that is a word of its own to its singular ("shingles" the disease, not the building material),
   * unless the vocabulary has the singular ("shoes").
   */
  #meaningsOfForms(phrase: string, head: string, kind: string): readonly Meaning[] {
    const meanings = this.meaningsOf(head, kind);
    const { taxonomy, vocabulary } = this.#tools;
    if (phrase === head || vocabulary.ofWord(head).length > 0 || taxonomy.sensesOf(phrase).length === 0)
      return meanings;
    return [...this.meaningsOf(phrase, kind), ...meanings];
  }

  /** The meaning that the vocabulary or the taxonomy has for exactly this name. */
  #knownName(name: string, kind: string): Meaning | undefined {
    const { taxonomy, senses, vocabulary } = this.#tools;
    const whole = vocabulary.ofWord(name);
    if (whole.length > 0) return { labels: whole, finer: [] };
    const written = taxonomy.sensesOf(name).filter((sense) => taxonomy.namesOf(sense).includes(name));
    const places = ordered(
      written.slice(0, PLAUSIBLE_SENSES).map((sense) => senses.placeOf(sense)),
      kind,
    );
    const known = places.find((place) => place.labels.some(isOfNames));
    if (known === undefined || (isOfPerson(known) && this.#isCommonPersonName(name, places)))
      return undefined;
    return { ...known, labels: alike(known, places) };
  }

  /**
   * Whether the name may belong to many people: the taxonomy knows one "Mozart", but many are called "Moore" or
   * "Day", and "Rex" is also a word for a king.
   */
  #isCommonPersonName(name: string, places: readonly Meaning[]): boolean {
    if (/\s/.test(name)) return false;
    const { taxonomy } = this.#tools;
    const isWord = (sense: NounSense) => taxonomy.namesOf(sense).some((each) => each === each.toLowerCase());
    if (taxonomy.sensesOf(name).some(isWord)) return true;
    return places.filter(isOfPerson).length > 1 || isKnownNoun(name.toLowerCase(), this.#tools.taxonomy);
  }

  /** Whether the name, read as common nouns, means something of another kind; always true for a person. */
  #conflictsWithKind(words: readonly string[], kind: string): boolean {
    const tops = TOPS_OF_KIND.get(kind);
    if (tops === undefined || kind === 'person') return kind === 'person';
    const head = baseForm(words.at(-1)!.toLowerCase(), this.isKnown);
    return !this.meaningsOf(head, kind).some(({ labels }) =>
      labels.some((label) => tops.has(topOf(label).name)),
    );
  }

  /** Reads a proper name, with its head if that classifies it. */
  #readProper(
    name: string,
    words: readonly string[],
    kind: string,
  ): Pick<NameReading, 'meaning'> & Partial<Pick<NameReading, 'head'>> {
    if (kind === 'person') return { meaning: this.#ofPerson(words) };
    const written = this.#tools.vocabulary.ofWord(words.at(-1)!);
    const last = baseForm(words.at(-1)!.toLowerCase(), this.isKnown);
    const head = words.length > 1 ? last : '';
    const [classified] = this.meaningsOf(head, kind);
    if (written.length === 0 && classified?.labels.some((label) => CLASSIFYING_TOPS.has(topOf(label).name)))
      return { meaning: { labels: classified.labels, finer: [] }, head };
    const labels = written.length > 0 ? written : this.#asWritten(name, words);
    if (labels.length > 0) return { meaning: { labels, finer: [] } };
    // "Recovery" is no place, even if somebody is "in Recovery".
    const isCommon = kind === 'place' && this.isKnown(last) && this.#conflictsWithKind(words, kind);
    return { meaning: this.#ofKind(isCommon ? '' : kind, words.every(isSpelledOut)) };
  }

  /** Labels of a person; "Aunt May" is also family. */
  #ofPerson(words: readonly string[]): Meaning {
    const kin = words.length > 1 ? this.meaningsOf(words[0]!.toLowerCase(), 'person')[0] : undefined;
    const family = kin?.labels.filter(({ name }) => name === 'Family') ?? [];
    const named = this.#ofKind('person', true);
    return { labels: [...named.labels, ...family], finer: [] };
  }

  #ofKind(kind: string, isName: boolean): Meaning {
    const name =
      kind === 'person'
        ? isName
          ? 'Named people'
          : 'People'
        : kind === 'place'
          ? 'Places'
          : kind === 'organisation'
            ? 'Organisations'
            : isName
              ? 'Names'
              : '';
    const label = this.#tools.vocabulary.named(name);
    return label === undefined ? NOTHING_MEANT : { labels: [label], finer: [] };
  }

  /**
   * Terms of a name. A compound that the taxonomy knows counts as one term, as does a name ("Harry Potter films").
   * Adjectives are skipped.
   */
  #subjects(words: readonly string[], isProper: boolean): readonly Subject[] {
    const subjects: Subject[] = [];
    for (let at = 0; at < words.length; at++) {
      const run = nameAt(words, at);
      const pair =
        run !== null || words[at + 1] === undefined ? null : this.#compound(words[at]!, words[at + 1]!);
      if (run !== null || pair !== null) {
        subjects.push(run ?? { term: pair!, surface: pair! });
        at += (run?.surface ?? pair!).split(' ').length - 1;
        continue;
      }
      const surface = words[at]!;
      const term = this.#term(surface);
      if (term !== null && !(isProper && !isAcronym(surface))) subjects.push({ term, surface });
    }
    return subjects;
  }

  #compound(first: string, second: string): string | null {
    const pair = baseForm(`${first} ${second}`.toLowerCase(), this.isKnown);
    return this.isKnown(pair) ? pair : null;
  }

  #term(word: string): string | null {
    const lower = word.toLowerCase();
    if (isAcronym(word)) return lower;
    const term = baseForm(lower, this.isKnown);
    if (isAdjective(term) || isAdjective(lower) || isUninformative(term)) return null;
    return this.isKnown(term) || word !== lower ? term : null;
  }
}

/** "family road trip", "road trip", "trip" */
function suffixes(words: readonly string[]): readonly string[] {
  const longest = Math.min(words.length, LONGEST_PHRASE);
  return Array.from({ length: longest }, (_, cut) => words.slice(words.length - longest + cut).join(' '));
}

/** Puts meanings that fit the kind first; if any fit, the others are dropped as implausible. */
function ordered(meanings: readonly Meaning[], kind: string): readonly Meaning[] {
  const tops = TOPS_OF_KIND.get(kind);
  const fit = meanings.filter(({ labels }) => labels.some((label) => tops?.has(topOf(label).name)));
  return fit.length > 0 ? fit : meanings;
}

function fits(labels: readonly Label[], kind: string): boolean {
  return labels.some((label) => TOPS_OF_KIND.get(kind)?.has(topOf(label).name));
}

function fitting(labels: readonly Label[], kind: string): readonly Label[] {
  const tops = TOPS_OF_KIND.get(kind);
  const fit = labels.filter((label) => tops?.has(topOf(label).name));
  return fit.length > 0 ? fit : labels;
}

/** Labels of other senses under the same broad category: Japan is a country and also islands. */
function alike(known: Meaning, places: readonly Meaning[]): readonly Label[] {
  const tops = new Set(known.labels.map(topOf));
  return [...new Set(places.flatMap(({ labels }) => labels.filter((label) => tops.has(topOf(label)))))];
}

function isOfPerson({ labels }: Meaning): boolean {
  return labels.some((label) => topOf(label).name === 'People');
}

/** Whether the label is plausible for a proper name: the taxonomy's awards and books also have names of people. */
function isOfNames(label: Label): boolean {
  return NAMED_TOPS.has(topOf(label).name) || label.name === 'Languages';
}

/** A term that a name contains. */
export interface Subject {
  readonly term: string;
  /** As written in the name. */
  readonly surface: string;
}

/** Two or more capitalised words in a row, at least one of them no acronym. */
function nameAt(words: readonly string[], start: number): Subject | null {
  let end = start;
  while (end < words.length && isCapital(words[end]!)) end++;
  if (end - start < 2) return null;
  const run = words.slice(/^(?:The|A|An)$/.test(words[start]!) ? start + 1 : start, end);
  if (run.length < 2 || run.every(isAcronym)) return null;
  const surface = words.slice(start, end).join(' ');
  return { term: surface.toLowerCase(), surface };
}

function looksProper(words: readonly string[]): boolean {
  return words.every(
    (word) =>
      /^(?:of|the|a|an|to|de|la|van|von|der|and|in|on|for|&)$/.test(word) || /^[\p{Lu}\p{N}]/u.test(word),
  );
}

function isAcronym(word: string): boolean {
  return word.length > 1 && /^\p{Lu}[\p{Lu}\p{N}&+]+$/u.test(word);
}

function isCapital(word: string): boolean {
  const [first = ''] = word;
  return first !== first.toLowerCase();
}

function isSpelledOut(word: string): boolean {
  return !isAcronym(word) && /^\p{L}[\p{L}'’.-]*$/u.test(word);
}

/** The labels above a sense and the senses between. */
interface SensePlace {
  readonly labels: readonly Label[];
  /** The sense and its ancestors below the labels, nearest first: categories finer than the vocabulary. */
  readonly finer: readonly NounSense[];
}

const NOWHERE: SensePlace = { labels: [], finer: [] };

/** Finds the nearest labels above a sense. Caches only numbers of the taxonomy, no text. */
export class SenseLabels {
  readonly #taxonomy: NounTaxonomy;
  readonly #vocabulary: Vocabulary;
  readonly #places = new Map<NounSense, SensePlace>();

  constructor(taxonomy: NounTaxonomy, vocabulary: Vocabulary) {
    this.#taxonomy = taxonomy;
    this.#vocabulary = vocabulary;
  }

  placeOf(sense: NounSense): SensePlace {
    const known = this.#places.get(sense);
    if (known !== undefined) return known;
    const place = this.#find(sense);
    this.#places.set(sense, place);
    return place;
  }

  /** Every path upwards ends at its first label; only the nearest of those labels count. */
  #find(sense: NounSense): SensePlace {
    let ring: readonly NounSense[] = [sense];
    const finer: NounSense[] = [];
    const found: { label: Label; distance: number }[] = [];
    for (let distance = 0; ring.length > 0; distance++) {
      const open: NounSense[] = [];
      for (const each of ring) {
        const labels = this.#vocabulary.anchoredAt(each);
        found.push(...labels.map((label) => ({ label, distance })));
        if (labels.length === 0) open.push(each);
      }
      if (found.length === 0) finer.push(...open);
      ring = [...new Set(open.flatMap((each) => this.#taxonomy.parentsOf(each)))];
    }
    return found.length === 0 ? NOWHERE : { labels: nearest(found), finer };
  }
}

function nearest(found: readonly { label: Label; distance: number }[]): readonly Label[] {
  const specific = specificOf(found.map(({ label }) => label));
  const kept = found.filter(({ label }) => specific.includes(label));
  const shown = kept.filter(({ label }) => label.isShown);
  const fine = shown.filter(({ label }) => label.parent !== null);
  const chosen = [fine, shown, kept].find(({ length }) => length > 0)!;
  const least = Math.min(...chosen.map(({ distance }) => distance));
  return [...new Set(chosen.filter(({ distance }) => distance === least).map(({ label }) => label))];
}

/** The parts of a date that a name states; null for parts it does not state. */
export interface NamedDate {
  readonly year: string | null;
  /** "May 2023" */
  readonly month: string | null;
}

/** Returns null unless the whole name is a date, by its kind or by its form alone. */
export function readDate(name: string, isDate: boolean): NamedDate | null {
  const [time, ...others] = readTimes(name, { reference: 0, bare: true });
  const isWhole = time !== undefined && others.length === 0 && time.length >= name.trim().length;
  if (!isDate && !(isWhole && /\d/.test(name))) return null;
  return time === undefined || time.year !== 'stated' ? { year: null, month: null } : namedBy(time);
}

/** A range of several months or years is named by its first one. */
function namedBy({ interval: { start, precision } }: TimeMention): NamedDate {
  const date = new Date(start);
  const year = String(date.getUTCFullYear());
  const month = `${capitalized(MONTH_NAMES[date.getUTCMonth()]!)} ${year}`;
  return { year, month: precision === 'year' || precision === 'season' ? null : month };
}

/** The year of a category of dates: "May 2023" and "2023"; null for other names. */
export function yearOfCategory(name: string): string | null {
  return /^(?:\p{L}+ |Other dates of )((?:1[5-9]|20)\d\d)$/u.exec(name)?.[1] ?? null;
}

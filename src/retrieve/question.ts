import { analyze, analyzeQuery } from '../search/analyzer.ts';
import type { EntityIndex } from '../search/entity-index.ts';
import { readTimes } from '../time/read-times.ts';
import { entityNameKey } from '../util/tidy.ts';

/** Words that end the kind after a question word: "which cities | did …". */
const AUXILIARIES = new Set(
  `am is are was were be been do does did has have had can could will would shall should may might must
  of from in on at to for with by about that who which where when and or than
  i you he she it we they there not`.split(/\s+/),
);
const DETERMINERS = new Set(
  'the a an my your his her its our their some any other different new all'.split(' '),
);
/** Plurals that do not end in s. */
const PLURALS = new Set('people children men women feet teeth mice media data'.split(' '));
const NO_PLURAL = /(?:ss|us|is|news)$/;
const ASKS_FOR_ALL =
  /\b(?:how many|list|enumerate|name (?:all|the|some|every)|(?:tell|show) me (?:all|every)|all (?:the|of|my|his|her|their)|every|each)\b/i;
/**
 * Questions for one thing all the same: for a measure ("How many full years …?"), for one kind ("What type of photos
 * …?"), and those that yes or no answers ("Do all … go well?").
 */
const ASKS_FOR_ONE =
  /\bhow many (?:[\p{L}]+ )?(?:years|months|weeks|days|hours|minutes|miles|kilomet(?:er|re)s|pounds|kilos?|dollars|euros)\b|\b(?:what|which) (?:type|kind|sort|genre) of\b|^\W*(?:do|does|did|is|are|was|were|has|have|had)\b(?! you (?:know|remember|recall|have)\b)/iu;
/** Questions about everything done so far: "What has Ann painted?" */
const SO_FAR = /\b(?:what|where|who|whom)(?:(?:'|’)ve| (?:has|have|had))\b/i;
const KIND_OF = /^(?:kinds?|types?|sorts?|forms?|genres?|names?|number) of /;
/** The kinds that single question words ask for. */
const OF_WORD: Readonly<Record<string, string>> = { where: 'place', who: 'person', whom: 'person' };
const LONGEST_KIND = 4;

interface AnswerType {
  readonly kind: readonly string[];
  readonly kindWords: string;
  readonly enumerates: boolean;
}

/** Reads which kind of thing an English question asks for, and whether it asks for all of them. */
export function parseAnswerType(text: string, isSpeaker: (term: string) => boolean): AnswerType {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  const phrase = kindPhrase(words).filter((word) => !analyze(word).every(isSpeaker));
  const named = words.map((word) => OF_WORD[word]).filter((each) => each !== undefined);
  const kindWords = (phrase.length > 0 ? phrase : named.slice(0, 1)).join(' ');
  return {
    kind: analyze(kindWords),
    kindWords,
    enumerates:
      !ASKS_FOR_ONE.test(text) && (ASKS_FOR_ALL.test(text) || SO_FAR.test(text) || isPlural(phrase.at(-1))),
  };
}

/** The words after "which", "what", "how many" or "list", up to an auxiliary or preposition. */
function kindPhrase(words: readonly string[]): readonly string[] {
  const start = words.findIndex(
    (word, at) =>
      ['which', 'what', 'list', 'name', 'all', 'every', 'each'].includes(word) ||
      (word === 'many' && words[at - 1] === 'how'),
  );
  if (start < 0) return [];
  const rest = words.slice(start + 1);
  const opened = rest.slice(DETERMINERS.has(rest[0]!) || rest[0] === 'of' ? 1 : 0);
  const plain = opened
    .join(' ')
    .replace(KIND_OF, '')
    .split(' ')
    .filter((word) => word !== '' && !DETERMINERS.has(word));
  const end = plain.findIndex((word) => AUXILIARIES.has(word));
  return plain.slice(0, Math.min(end < 0 ? plain.length : end, LONGEST_KIND));
}

function isPlural(word: string | undefined): boolean {
  if (word === undefined) return false;
  return (
    PLURALS.has(word) ||
    (word.length > 3 && word.endsWith('s') && !NO_PLURAL.test(word) && !/['’]s$/.test(word))
  );
}

/** A month, perhaps with a day and a year, that a question names. */
interface AskedDate {
  /** 0 to 11. */
  readonly month: number;
  readonly day: number | null;
  readonly year: number | null;
}

/** What ranking reads of a question. */
export interface Question {
  readonly text: string;
  /**
   * The text without the names of speakers, since turns seldom contain them; the whole text if nothing else remains.
   */
  readonly withoutSpeakers: string;
  /** Distinct index terms without the names of speakers. */
  readonly terms: readonly string[];
  /** Distinct index terms with the names of speakers. */
  readonly allTerms: readonly string[];
  /** Whether other names or wordings are among these terms, of which a turn needs few. */
  readonly hasOthers: boolean;
  /** Index terms of the names of all speakers of the scope. */
  readonly speakerTerms: ReadonlySet<string>;
  /** Numbers of the speakers that the question names. */
  readonly speakers: ReadonlySet<number>;
  readonly date: AskedDate | null;
  /** Whether it asks for a time. */
  readonly asksWhen: boolean;
  /** Whether a name or a title answers it: a person, a place, a book, a band … */
  readonly asksForName: boolean;
  /** Index terms of the kind of thing that it asks for: "cities" of "Which old cities …?"; the last one is its head. */
  readonly kind: readonly string[];
  /** The same as written words; empty if it asks for no kind. */
  readonly kindWords: string;
  /** Terms that are neither of the kind nor of a speaker's name: "cook" of "Which dishes has Ann cooked?" */
  readonly beyondKind: readonly string[];
  /** Whether it asks for all there are of something. */
  readonly enumerates: boolean;
}

const ASKS_WHEN = /^\s*(when|how long)\b/i;
const ASKS_FOR_NAME =
  /\b(?:where|who|whom|whose|(?:which|what) (?:city|country|place|state|town)|names?|named|called|titles?|brand|company|books?|movies?|films?|songs?|games?|bands?|shows?)\b/i;

interface QuestionNames {
  readonly otherNames?: readonly string[];
  readonly isTitle?: (speaker: number) => boolean;
  readonly termsOfName?: (name: string) => readonly string[];
}

/**
 * Parses a question.
 *
 * @param speakers Names of the speakers of the scope, by number; empty for one without live turns.
 * @param otherNames Other names of what the question names, which turns may use: their terms are searched too.
 * @param isTitle Whether a speaker, by number, is the title of a document: its words are words of the question.
 * @param termsOfName The index terms of a name, remembered.
 */
export function readQuestion(
  text: string,
  speakers: readonly string[],
  { otherNames = [], isTitle = () => false, termsOfName = analyze }: QuestionNames = {},
): Question {
  const speakerOf = new Map<string, number>();
  for (const [number, name] of speakers.entries())
    if (!isTitle(number)) for (const term of termsOfName(name)) speakerOf.set(term, number);
  const terms = new Set<string>();
  const named = new Set<number>();
  const allTerms = analyzeQuery([text, ...otherNames].join(' ')).map(({ term }) => term);
  for (const term of allTerms) {
    const speaker = speakerOf.get(term);
    if (speaker === undefined) terms.add(term);
    else named.add(speaker);
  }
  for (const [number, name] of speakers.entries())
    if (isTitle(number) && isNamedIn(terms, termsOfName(withoutBrackets(name)))) named.add(number);
  const asked = parseAnswerType(text, (term) => speakerOf.has(term));
  return {
    text,
    withoutSpeakers: terms.size === 0 ? text : removeWords(text, (term) => speakerOf.has(term)),
    terms: [...terms],
    allTerms,
    hasOthers: otherNames.length > 0,
    speakerTerms: new Set(speakerOf.keys()),
    speakers: named,
    date: readDate(text),
    asksWhen: ASKS_WHEN.test(text),
    asksForName: ASKS_FOR_NAME.test(text),
    ...asked,
    beyondKind: [...terms].filter((term) => !asked.kind.includes(term)),
  };
}

/** What a question that names a title has of it. */
function withoutBrackets(title: string): string {
  return title.endsWith(')') ? title.replace(/\s*\(.*\)$/, '') : title;
}

function isNamedIn(terms: ReadonlySet<string>, words: readonly string[]): boolean {
  return words.length > 0 && words.every((term) => terms.has(term));
}

interface KnownNames {
  readonly entities: Pick<EntityIndex, 'idsOfName' | 'profileOf'>;
  /** Whether a turn has all words of a name. */
  readonly isSaid: (name: string) => boolean;
}

/** Of longer names of entities only the first words are looked up. */
const LONGEST_NAME = 3;

/**
 * The other names of entities that a question names by a name that no turn has: an entity that was renamed is mentioned
 * by its former name. Names of several entities say nothing, and a speaker is known by the name in the question.
 */
export function otherNamesIn(
  text: string,
  speakers: readonly string[],
  { entities, isSaid }: KnownNames,
): string[] {
  const spoken = new Set(speakers.map(entityNameKey));
  const words = (text.match(WORD) ?? []).map((word) => word.replace(/['’]s$/, ''));
  const others = new Set<string>();
  for (let start = 0; start < words.length; start++)
    for (let end = start + 1; end <= Math.min(words.length, start + LONGEST_NAME); end++) {
      const key = entityNameKey(words.slice(start, end).join(' '));
      const [id, second] = spoken.has(key) || isSaid(key) ? [] : entities.idsOfName(key);
      const profile = id === undefined || second !== undefined ? undefined : entities.profileOf(id);
      for (const name of profile === undefined ? [] : [profile.name, ...profile.aliases])
        if (entityNameKey(name) !== key) others.add(name);
    }
  return [...others];
}

/** With the possessive ending, so that "Ann’s dog" leaves "dog". */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’]s\b)?/gu;

function removeWords(text: string, isRemoved: (term: string) => boolean): string {
  const kept = text.replace(WORD, (word) => {
    const terms = analyze(word);
    return terms.length > 0 && terms.every(isRemoved) ? '' : word;
  });
  return kept.replace(/\s+/g, ' ').trim();
}

const LONGEST_DATE = 31 * 86_400_000;
/** "The Sunday before 25 October": turns about that Sunday are dated near the named date. */
const BESIDE = /\b(?:the|an?|one|two|three|four|\d+) \w+ (?:before|prior to|preceding|after|following) /gi;

/** No date is named without one of these; most questions skip the parser, which takes 0.1 ms. */
const MAY_NAME_DATE =
  /\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|christmas|halloween|new year)/i;

/** The first day or month that the question names; dates relative to the present ("last week") are ignored. */
function readDate(text: string): AskedDate | null {
  if (!MAY_NAME_DATE.test(text)) return null;
  const named = readTimes(text.replace(BESIDE, ''), { reference: 0, bare: true }).filter(
    ({ year }) => year !== 'computed',
  );
  const found = named.find(({ interval: { start, end } }) => end - start <= LONGEST_DATE);
  if (found === undefined) return null;
  const date = new Date(found.interval.start);
  // "Between 11 August and 15 August 2023"
  const said = found.year === 'stated' ? found : named.find(({ year }) => year === 'stated');
  return {
    month: date.getUTCMonth(),
    day: found.interval.precision === 'day' ? date.getUTCDate() : null,
    year: said === undefined ? null : new Date(said.interval.start).getUTCFullYear(),
  };
}

/**
 * How near a day is to the asked date, from 0 to 1: for a date with a day, falls to 0 over two weeks; for a month, 1
 * inside it. A question without a year means the year of the given day.
 */
export function nearness(date: AskedDate, milliseconds: number): number {
  const at = new Date(milliseconds);
  const year = date.year ?? at.getUTCFullYear();
  if (date.day === null) return at.getUTCMonth() === date.month && at.getUTCFullYear() === year ? 1 : 0;
  const { month, day } = date;
  const there = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  // Without a year, the 31st of December is a day away from the 1st of January, not a year.
  const years = date.year === null ? [year - 1, year, year + 1] : [year];
  const apart = Math.min(...years.map((each) => Math.abs(Date.UTC(each, month, day) - there) / 86_400_000));
  return Math.max(0, 1 - Math.max(0, apart - 1) / 14);
}

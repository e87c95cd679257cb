import type { Milliseconds } from '../model/ids.ts';
import { analyze, analyzeQuery } from '../search/analyzer.ts';
import type { EntityIndex } from '../search/entity-index.ts';
import { entityNameKey } from '../util/tidy.ts';
import { type AskedTime, readAskedTime } from './asked-time.ts';

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

/** What ranking reads of a question. */
export interface Question {
  readonly text: string;
  /**
   * The text that is embedded: without times and the names of speakers, since turns seldom contain them; the whole text
   * if nothing else remains.
   */
  readonly embedded: string;
  /** Distinct index terms that turns are searched for: without times and the names of speakers. */
  readonly terms: readonly string[];
  /** Distinct index terms with the names of speakers. */
  readonly allTerms: readonly string[];
  /** `terms` without the words for times. */
  readonly untimed: readonly string[];
  /** Whether other names or wordings are among these terms, of which a turn needs few. */
  readonly hasOthers: boolean;
  /** Index terms of the names of all speakers of the scope. */
  readonly speakerTerms: ReadonlySet<string>;
  /** Numbers of the speakers that the question names. */
  readonly speakers: ReadonlySet<number>;
  readonly time: AskedTime;
  /** Whether it asks for what there is of a time, and says nothing else: "What did Ann do on 18 January?" */
  readonly asksForPeriod: boolean;
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

/** Words that ask for anything that was done or said. */
const OF_ANYTHING = new Set(
  analyze(
    'do say tell talk speak chat discuss mention happen go up new news anything something everything thing day topic discussion conversation summary summarise summarize',
  ),
);
const ASKS_WHEN = /^\s*(when|how long)\b/i;
const ASKS_FOR_NAME =
  /\b(?:where|who|whom|whose|(?:which|what) (?:city|country|place|state|town)|names?|named|called|titles?|brand|company|books?|movies?|films?|songs?|games?|bands?|shows?)\b/i;

interface QuestionNames {
  readonly otherNames?: readonly string[];
  readonly isTitle?: (speaker: number) => boolean;
  readonly termsOfName?: (name: string) => readonly string[];
  /** The question's present. */
  readonly now?: Milliseconds;
  /** Whether all of it is embedded and searched, with its times and the names of speakers. */
  readonly isWhole?: boolean;
}

/**
 * Parses a question.
 *
 * @param speakers Names of the speakers of the scope, by number; empty for one without live turns.
 * @param otherNames Other names of what the question names, which turns may use: their terms are searched too.
 * @param isTitle Whether a speaker, by number, is the title of a document: its words are words of the question.
 * @param termsOfName The index terms of a name, remembered.
 * @param now The question's present, for "last summer".
 * @param isWhole Whether times and the names of speakers are embedded and searched like its other words.
 */
export function readQuestion(
  text: string,
  speakers: readonly string[],
  {
    otherNames = [],
    isTitle = () => false,
    termsOfName = analyze,
    now = 0,
    isWhole = false,
  }: QuestionNames = {},
): Question {
  const speakerOf = new Map<string, number>();
  for (const [number, name] of speakers.entries())
    if (!isTitle(number)) for (const term of termsOfName(name)) speakerOf.set(term, number);
  const isSpeaker = (term: string) => speakerOf.has(term);
  const termsOf = (asked: string) => analyzeQuery([asked, ...otherNames].join(' ')).map(({ term }) => term);
  const allTerms = termsOf(text);
  const named = new Set(allTerms.flatMap((term) => speakerOf.get(term) ?? []));
  const asksWhen = ASKS_WHEN.test(text);
  const names = (text.match(WORD) ?? []).filter((word) => isOnly(word, isSpeaker));
  const time = readAskedTime(text, { asksWhen, now, names });
  const isTimed = time.periods.length > 0;
  const without = new Set((isTimed ? termsOf(time.without) : allTerms).filter((term) => !isSpeaker(term)));
  const asksForPeriod = isTimed && [...without].every((term) => OF_ANYTHING.has(term));
  const cut = asksForPeriod ? new Set<string>() : new Set(allTerms.filter((term) => !isSpeaker(term)));
  for (const [number, name] of speakers.entries())
    if (isTitle(number) && isNamedIn(cut, termsOfName(withoutBrackets(name)))) named.add(number);
  const asked = parseAnswerType(text, isSpeaker);
  return {
    text,
    embedded: isWhole || without.size === 0 ? text : removeWords(isTimed ? time.without : text, isSpeaker),
    terms: isWhole ? allTerms : [...cut],
    allTerms,
    hasOthers: otherNames.length > 0,
    speakerTerms: new Set(speakerOf.keys()),
    speakers: named,
    time,
    untimed: [...without],
    asksForPeriod,
    asksWhen,
    asksForName: ASKS_FOR_NAME.test(text),
    ...asked,
    beyondKind: [...cut].filter((term) => !asked.kind.includes(term)),
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
  const kept = text.replace(WORD, (word) => (isOnly(word, isRemoved) ? '' : word));
  return kept.replace(/\s+/g, ' ').trim();
}

function isOnly(word: string, of: (term: string) => boolean): boolean {
  const terms = analyze(word);
  return terms.length > 0 && terms.every(of);
}

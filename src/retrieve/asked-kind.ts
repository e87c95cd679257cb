import { analyze } from '../search/analyzer.ts';

/** Before them, or before the end, stands what a question word asks for: "which cities | did …". */
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
/** What was done so far, of which there may be much: "What has Ann painted?" */
const SO_FAR = /\b(?:what|where|who|whom)(?:(?:'|’)ve| (?:has|have|had))\b/i;
const KIND_OF = /^(?:kinds?|types?|sorts?|forms?|genres?|names?|number) of /;
/** What words that stand for a kind ask for. */
const OF_WORD: Readonly<Record<string, string>> = { where: 'place', who: 'person', whom: 'person' };
const LONGEST_KIND = 4;

export interface Asked {
  readonly kind: readonly string[];
  readonly kindWords: string;
  readonly enumerates: boolean;
}

/** What kind of thing a question in English asks for, and whether for all of it. */
export function readAsked(text: string, isSpeaker: (term: string) => boolean): Asked {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  const phrase = kindPhrase(words).filter((word) => !analyze(word).every(isSpeaker));
  const named = words.map((word) => OF_WORD[word]).filter((each) => each !== undefined);
  const kindWords = (phrase.length > 0 ? phrase : named.slice(0, 1)).join(' ');
  return {
    kind: analyze(kindWords),
    kindWords,
    enumerates: ASKS_FOR_ALL.test(text) || SO_FAR.test(text) || isPlural(phrase.at(-1)),
  };
}

/** The words between "which", "what", "how many" or "list" and what is said of them. */
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

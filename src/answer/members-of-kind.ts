import type { NounTaxonomy } from '../inference/taxonomy/noun-taxonomy.ts';
import { STOP_WORDS } from '../search/english.ts';
import {
  ANY_KIND,
  baseForms,
  GIVEN_NAME,
  isBelow,
  meantBy,
  otherMember,
  SENSES,
  usualSenses,
  WORD,
} from './kinds.ts';

/** Kinds whose members have titles, and those whose members have names. */
const TITLED = /^(?:movie|film|book|novel|song|album|show|series|game|play|podcast|band)$/;
const NAMED =
  /^(?:pet|animal|kid|child|son|daughter|sibling|brother|sister|friend|cat|dog|horse|fish|bird|cousin|colleague|roommate|flatmate|neighbour|neighbor)$/;
const QUOTED_TITLE = /[“"*]([\p{Lu}\p{N}][^“”"*\n.!?]{1,60}?)[,.!?]?[”"*]/gu;
const NAME = String.raw`\p{Lu}[\p{L}\p{N}'’-]{1,30}`;
const TITLE_AFTER = new RegExp(
  String.raw`(?<=\b(?:[Ww]atch(?:ed|ing)?|[Ss]aw|[Ss]een|[Rr]ead(?:ing)?|[Rr]ecommend(?:ed)?|[Ff]inished|[Pp]lay(?:ed|ing)|[Cc]alled|[Tt]itled|[Nn]amed|[Mm]ovie|[Ff]ilm|[Bb]ook|[Nn]ovel|[Ss]ong|[Aa]lbum|[Ss]how|[Ss]eries|[Gg]ame) )${NAME}(?: (?:of|the|and|in|a|to|for) ${NAME}| ${NAME}){0,5}`,
  'gu',
);
/** "A kitten called Otto", "their names are Mia and Jonas", "the kids, Mia and Jonas". */
const NAMES = new RegExp(
  String.raw`(?<=\b(?:named|call|called|names? (?:is|are|was|were)|named (?:him|her|it|them)|call(?:ed)? (?:him|her|it|them)) |\p{Ll}(?:,| are| is|:) )${NAME}(?:(?:, | and |, and | & )(?:(?:my|our|his|her|little) )?${NAME}){0,5}`,
  'gu',
);
/** Places that no dictionary has. */
const PLACES = new RegExp(
  String.raw`(?<=\b(?:[Vv]isit(?:ed|ing)?|to|in|from|through|near|around) )${NAME}(?: ${NAME})?`,
  'gu',
);
const PLACE = /^(?:city|town|village|place)$/;
const NO_NAME =
  /^(?:I|I['’]\p{L}+|[A-Z]{2,}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter)$/u;
/** Their members are told as verbs, too: "she swims". */
const DONE = /^(?:hobby|sport|exercise|skill|activity)$/;
/** After these a word is a verb or an adjective. */
const NO_NOUN_AFTER =
  /^(?:to|i|you|we|they|he|she|it|who|can|will|would|could|should|not|is|are|was|were|be|so|very|really|looks?|sounds?)$/;

/** How sentences name something of a kind. */
export interface KindMembers {
  /** In common nouns: "violin" for "instruments". */
  readonly nounsIn: (sentence: string) => readonly string[];
  /** By name or title: "Otto" in "a kitten called Otto" for "pets"; `asked` is the question it replies to. */
  readonly namesIn: (sentence: string, asked: string) => readonly string[];
  /** Whether an entity's name may be a member's: "railway bridge" for "bridges", but not "bridge engineer". */
  readonly isName: (name: string) => boolean;
  /** Whether two names or nouns may mean one member, such as "kitten" and "cat". */
  readonly isOne: (name: string, other: string) => boolean;
}

/**
 * The members of a kind; null for one that the taxonomy does not know, or that everything is of.
 *
 * @param senses How many meanings of a noun count, the most frequent first.
 */
export function membersOfKind(
  kindWords: string,
  taxonomy: NounTaxonomy,
  senses = SENSES,
): KindMembers | null {
  const head = kindWords.toLowerCase().split(' ').at(-1) ?? '';
  const kind = baseForms(head).findLast((form) => taxonomy.sensesOf(form).length > 0);
  if (kind === undefined || ANY_KIND.has(kind)) return null;
  const meant = meantBy(kind, 'listed');
  const wanted = new Set(meant.flatMap((noun) => usualSenses(noun, taxonomy)));
  const known = new Map<string, string | null>();
  const nounOf = (word: string): string | null => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const forms = baseForms(word).filter((form) => form !== kind && !meant.includes(form));
    const found =
      otherMember(kind, word) ?? forms.findLast((form) => isBelow(form, wanted, taxonomy, senses)) ?? null;
    known.set(word, found);
    return found;
  };
  const nounsIn = (sentence: string) => {
    const written = sentence.replaceAll(GIVEN_NAME, '').match(WORD) ?? [];
    const words = written.map((word) => word.toLowerCase());
    return words.flatMap((word, at) => {
      const isOther =
        word.length < 3 ||
        STOP_WORDS.has(word) ||
        (!DONE.test(kind) && NO_NOUN_AFTER.test(words[at - 1] ?? ''));
      const noun = isOther ? null : nounOf(word);
      // A name keeps its form.
      return noun === null ? [] : [at > 0 && written[at] !== word ? written[at]! : noun];
    });
  };
  const isKindWord = (word: string) => baseForms(word).includes(kind);
  const isBelowOther = (noun: string, other: string) =>
    isBelow(noun, new Set(taxonomy.sensesOf(other).slice(0, 1)), taxonomy, 1);
  const isNamed = (text: string) =>
    nounsIn(text).length > 0 || (text.toLowerCase().match(WORD) ?? []).some(isKindWord);
  return {
    nounsIn,
    namesIn: (sentence, asked) => {
      if (TITLED.test(kind)) return titlesIn(sentence);
      if (PLACE.test(kind))
        return placesIn(
          sentence,
          (name) => nounOf(name.toLowerCase()) !== null || taxonomy.sensesOf(name.toLowerCase()).length === 0,
        );
      return NAMED.test(kind) && (isNamed(sentence) || isNamed(asked)) ? givenNamesIn(sentence) : [];
    },
    isName: (name) => !isKindWord(name.toLowerCase().split(' ')[0]!),
    isOne: (name, other) =>
      name.toLowerCase() === other.toLowerCase() || isBelowOther(name, other) || isBelowOther(other, name),
  };
}

function placesIn(sentence: string, isPlace: (name: string) => boolean): readonly string[] {
  return (sentence.match(PLACES) ?? []).filter((name) => !NO_NAME.test(name) && isPlace(name));
}

function titlesIn(sentence: string): readonly string[] {
  const titles = [...sentence.matchAll(QUOTED_TITLE)].map(([, title]) => title!);
  return titles.length > 0 ? titles : (sentence.match(TITLE_AFTER) ?? []);
}

/** Names that a sentence gives: "Mia" and "Jonas" of "our kids, Mia and Jonas". */
function givenNamesIn(sentence: string): readonly string[] {
  return (sentence.match(NAMES) ?? [])
    .flatMap((names) => names.split(/, and | and |, | & /))
    .map((name) => name.replace(/^(?:my|our|his|her|little) /, '').replace(/['’]s$/, ''))
    .filter((name) => !NO_NAME.test(name));
}

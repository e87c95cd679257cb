import { analyze } from '../search/analyzer.ts';
import { IRREGULAR_FORMS } from '../search/english.ts';
import { escaped } from '../util/escaped.ts';
import type { Relative } from '../util/relatives.ts';
import { isSaid } from './wordings.ts';

/** What memory knows of names and nouns. */
export interface PeopleKnowledge {
  /** Whether memory knows a person of this name. */
  readonly isPerson: (name: string) => boolean;
  /** Whether a noun names a person or an animal: "boss", "cat". */
  readonly isLiving: (noun: string) => boolean;
  readonly isNoun: (word: string) => boolean;
  /** Whether a noun names what has no beginning and end: a place, a thing, somebody. */
  readonly isThing: (noun: string) => boolean;
}

/** Somebody by name ("Tom", "I"), or somebody's somebody ("Tom’s sister"). */
interface Subject {
  /** Null for "he" and "she": somebody else than the speaker. */
  readonly root: string | null;
  /** "sister"; null for the person of the name. */
  readonly noun: string | null;
  /** "Nora" of "Tom’s sister Nora". */
  readonly called?: string | undefined;
  /** What is said of the subject. */
  readonly rest: string;
  /** Whether it is "Tom’s car", which is about Tom. */
  readonly isThing: boolean;
  readonly isKnown: boolean;
  /** "We": the speaker, and others that are not named. */
  readonly isPlural: boolean;
}

const AUXILIARY =
  'am|is|are|was|were|do|does|did|has|have|had|can|cannot|could|will|would|should|can’t|couldn’t|isn’t|aren’t|wasn’t|weren’t|don’t|doesn’t|didn’t|hasn’t|haven’t|won’t';
const ASKED = new RegExp(`^(?:(?<asked>[^?]*?)[^\\p{L}'])??(?<aux>${AUXILIARY})\\s+(?<rest>\\S.*)$`, 'iu');
const OWNER =
  /^(?<owner>[Mm]y|[Oo]ur|\p{Lu}[\p{L}\p{N}-]{0,60}(?: \p{Lu}[\p{L}-]{1,60})?(?=['’]s?\s))(?:['’]s?)?\s+/u;
const NAMES =
  /^(?<name>\p{Lu}[\p{L}\p{N}-]{0,60}(?: (?:van|de|der|von|da|di|la|le|bin|al) )?(?:\s\p{Lu}[\p{L}-]{1,60}){0,5})(?=[\s,.!?]|$)/u;
const FIRST_PERSON = /^(?:I|[Ww]e)(?:['’](?:m|ve|d|ll|re))?(?=\s)/u;
const THIRD_PERSON = /^(?:[Hh]e|[Ss]he)(?:['’](?:s|d|ll))?(?=\s)/u;
const PLURAL = /^(?:we|our)/iu;
const OF_SPEAKER = /(?<![\p{L}'’])(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|us|[Oo]urs?)(?![\p{L}])/u;
/** Words that a sentence may begin with and that name nobody. */
const NO_NAME = new RegExp(
  `^(?:${[
    'the an? this that th[eo]se my our your his her its it they you he she i we there here in on at for from with by to of',
    'as if when while after before since because although until till once though than whether what who whose where which how why',
    'not all some any both every each no none one two three four five six seven eight nine ten eleven twelve (?:thir|four|fif|six|seven|eigh|nine)teen',
    '(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\\p{L}+)? hundred thousand half dozen most many much more few several another other others either neither such same',
    'only just even also still already almost about around maybe perhaps never always ever often sometimes usually again soon later now then today tonight tomorrow yesterday',
    'thanks thank yes yeah yep yup no nope nah ok okay oh ah aw wow hey hi hello haha hmm woo-hoo woohoo yay congrats please sorry sure right well so but and or yet too very quite really indeed cheers',
    'great good nice cool awesome amazing lovely fantastic wonderful glad happy sad true exactly absolutely definitely',
    'let look looking going having got been being did do does is are was were am has have had can could will would should must may might',
    'everyone everybody everything someone somebody something anyone anybody anything nobody nothing people folks guys',
    '(?:mon|tues|wednes|thurs|fri|satur|sun)day january february march april june july august september october november december christmas easter',
    '\\p{L}+ly',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
  'iu',
);
const OPENING =
  /^(?:(?:and|so|but|well|oh|ok(?:ay)?|yes|yeah|no|also|then|actually|anyway|btw|by the way|today|yesterday|recently|apparently|sadly|luckily|fun fact)[,:!]?\s+|(?:on|in|at|last|next|this)\s[^,.]{1,30},\s+)*/iu;
/** "I heard that …": only the rest is told. */
const REPORTED =
  /^(?:I|[Ww]e|\p{Lu}[\p{L}-]+)\s(?:(?:just|also)\s)?(?:think|thinks|thought|heard|hear|know|knows|knew|hope|hopes|guess|believe|believes|learned|learnt|noticed|remember|found out|said|says|am glad|was told|told \p{L}+)\s(?:that\s)?(?=(?:my|our|\p{Lu})[\p{L}'’]+ (?!and |or )[\p{Lu}\p{Ll}])/u;
const ADVERB =
  /^(?:usually|always|never|ever|still|also|just|now|already|often|sometimes|really|finally|first|last|currently|once|recently)$/iu;
const BEING = /^(?:am|is|are|was|were|isn’t|aren’t|wasn’t|weren’t)$/iu;
const CALLED_LIKE_A_NOUN =
  /^(?:old|new|first|last|best|own|little|big|former|favou?rite|next|only|good|main)$/iu;
/** "My old car" is about the past. */
const FORMER = /^(?:old|former|previous|first|last|ex)$/iu;
const VERB_LIKE = /(?:s|ed|ing)$/u;

/**
 * Whether a sentence is about another subject than a question: "Tom is allergic to nuts" for "What am I allergic to?"
 * False where the subject of the sentence is unclear.
 */
export function ofAnother(
  question: string,
  people: PeopleKnowledge,
): (text: string, speaker: string | null) => boolean {
  const asked = readQuestion(question, people);
  if (asked === null) return () => false;
  return (text, speaker) => {
    const told = readStatement(text, speaker, people);
    return told !== null && isOther(asked, told, { text, isOfSpeaker: isSpeaker(asked.root, speaker) });
  };
}

/**
 * Whether the subject of a sentence is the one that a question asks about: "I have a cold" by Ann, or "Ann’s cold …",
 * for "What illness does Ann have?" False where the subject of the sentence is unclear; null for questions about nobody.
 */
export function ofAsked(
  question: string,
  people: PeopleKnowledge,
  relative: Relative | null,
): ((text: string, speaker: string | null) => boolean) | null {
  const asked = readQuestion(question, people);
  if (asked === null) return null;
  return (text, speaker) => {
    const told = readStatement(text, speaker, people);
    if (told === null || told.root === null) return false;
    if (relative !== null && isSameName(told.root, relative.name)) return told.noun === null;
    // "Tom’s sister Nora lives in Ghent"
    if (told.called !== undefined && asked.noun === null && isSameName(told.called, asked.root)) return true;
    if (!isSameName(told.root, asked.root)) return false;
    // "My wife speaks Greek" names one of the relatives that are asked for.
    return told.noun === asked.noun || (asked.noun === null && asked.asksPeople);
  };
}

function isSpeaker(name: string, speaker: string | null): boolean {
  return speaker !== null && isSameName(speaker, name);
}

/** Whom a question asks about: "Tom", or "sister" of "Tom"; null if it is about nobody. */
export function askedSubject(
  question: string,
  people: PeopleKnowledge,
): { readonly name: string; readonly noun: string | null } | null {
  const asked = readQuestion(question, people);
  return asked === null ? null : { name: asked.root, noun: asked.noun };
}

interface Asked extends Subject {
  readonly root: string;
  readonly terms: ReadonlySet<string>;
  readonly verbs: readonly string[];
  /** "Where was I stung?" asks for what was done to the subject. */
  readonly isPassive: boolean;
  /** "What car do I have?" asks about now. */
  readonly isPresent: boolean;
  /** "Which relatives do I have?" asks for people. */
  readonly asksPeople: boolean;
}

/** The subject of a question about somebody; null for other questions, such as "Who owes me money?" */
function readQuestion(question: string, people: PeopleKnowledge): Asked | null {
  const groups = ASKED.exec(question.trim().replaceAll("'", '’'))?.groups;
  if (groups === undefined) return null;
  const subject = readSubject(groups.rest!, { speaker: null, people });
  if (subject === null || subject.root === null) return null;
  // "What do Ann and Bob bake?" may be answered for each of them.
  if (/^(?:,| and| or| &)\s/u.test(subject.rest)) return null;
  const isBeing = BEING.test(groups.aux!);
  return {
    ...subject,
    root: subject.root,
    terms: new Set(analyze(question)),
    verbs: verbOf(subject.rest),
    isPassive: isBeing && /^\s*(?:\p{L}+(?:ed|en|ng|nt|ught)|hit|cut|hurt)(?!\p{L})/iu.test(subject.rest),
    asksPeople: asksForLiving(groups.asked ?? '', people),
    isPresent: /^(?:am|is|are|do|does|has|have)$/iu.test(groups.aux!),
  };
}

function asksForLiving(asked: string, people: PeopleKnowledge): boolean {
  const words = asked.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.some((word) => /^(?:who|whom|whose|relatives?)$/u.test(word) || people.isLiving(word));
}

function readStatement(text: string, speaker: string | null, people: PeopleKnowledge): Subject | null {
  const plain = text.replace(/^[“"'\s]+/u, '').replace(OPENING, '');
  return readSubject(plain.replace(REPORTED, ''), { speaker, people });
}

interface Reading {
  readonly speaker: string | null;
  readonly people: PeopleKnowledge;
}

function readSubject(text: string, { speaker, people }: Reading): Subject | null {
  const known = { noun: null, isThing: false, isKnown: true };
  const first = FIRST_PERSON.exec(text)?.[0];
  if (first !== undefined)
    return speaker === null
      ? null
      : { ...known, root: speaker, rest: text.slice(first.length), isPlural: PLURAL.test(first) };
  const third = THIRD_PERSON.exec(text)?.[0];
  if (third !== undefined) return { ...known, root: null, rest: text.slice(third.length), isPlural: false };
  const owned = OWNER.exec(text);
  if (owned !== null) return ownedBy(owned, text, { speaker, people });
  const name = NAMES.exec(text)?.groups?.name;
  if (name === undefined || NO_NAME.test(name.split(' ')[0]!)) return null;
  const rest = text.slice(name.length);
  return { ...known, root: name, rest, isKnown: isPersonLike(name, rest, people), isPlural: false };
}

/** Names that are nouns, too. */
const NAMES_AND_NOUNS = new Set(
  'sam mark rose grace joy bill jack pat will art ray dean guy drew frank chip chuck bob rob gene dale cliff glen heath miles max may june april august daisy lily iris ivy violet ruby pearl jade amber crystal hope faith dawn eve robin jay martin victor earl duke penny ginger olive hazel heather holly willow sky summer autumn carol chase grant lance reed wade dolly kitty molly peg polly sandy stella anna lena leo ben ken dan don nick rick jean jo angel christian basil herb josh mike pete roman'.split(
    ' ',
  ),
);
/** What things do, too. */
const OF_THINGS =
  /^\s+(?:(?:is|are|was|were|has|had|have|does|did|do|can|will|would|could|makes?|made|helps?|helped|costs?|starts?|started|begins?|began|ends?|ended|opens?|opened|closes?|closed|takes?|took|goes|went|comes?|came|feels?|felt|looks?|looked|sounds?|seems?|seemed|means?|meant|keeps?|kept|gives?|gave)(?![\p{L}])|['’]s\b)/iu;
const IS_SOMEBODY = /^\s+(?:is|was)\s+(?:an?|the)\s+(?:\p{L}+ )?(\p{L}+)/u;

/** Whether the first word of a sentence is the name of a person, as far as the sentence shows. */
function isPersonLike(name: string, rest: string, people: PeopleKnowledge): boolean {
  const first = name.split(' ')[0]!;
  if (people.isPerson(name) || people.isPerson(first)) return true;
  const noun = first.toLowerCase();
  if (NAMES_AND_NOUNS.has(noun) || people.isLiving(noun)) return true;
  if (people.isNoun(noun) || noun.endsWith('ing') || IRREGULAR_FORMS.has(noun)) return false;
  if (!isFiniteVerb(firstWord(rest))) return false;
  return !OF_THINGS.test(rest) || people.isLiving(IS_SOMEBODY.exec(rest)?.[1] ?? '');
}

/** Whether a word is a verb of the third person: "moved", "speaks", "got". */
function isFiniteVerb(word: string): boolean {
  return (
    isAuxiliary(word) || IRREGULAR_FORMS.has(word) || (/^\p{Ll}+(?:s|ed)$/u.test(word) && !ADVERB.test(word))
  );
}

/** "Alice’s neighbour Pat", "my daughter’s birthday", "Alice’s old car". */
function ownedBy(owned: RegExpExecArray, text: string, { speaker, people }: Reading): Subject | null {
  const owner = owned.groups!.owner!;
  const isOwn = /^(?:my|our)$/iu.test(owner);
  const root = isOwn ? speaker : owner;
  if (root === null || (!isOwn && NO_NAME.test(owner))) return null;
  const words = text.slice(owned[0].length);
  let [noun, rest] = [null as string | null, words];
  const all = [...words.matchAll(/\p{L}[\p{L}-]*/gu)].slice(0, MOST_WORDS);
  for (const [place, { 0: word, index }] of all.entries()) {
    if (isAuxiliary(word) || (place > 0 && VERB_LIKE.test(word) && noun === null && !people.isLiving(word)))
      break;
    if (CALLED_LIKE_A_NOUN.test(word) || !people.isLiving(word.toLowerCase())) continue;
    [noun, rest] = [word.toLowerCase(), words.slice(index + word.length)];
    break;
  }
  const called = /^,?\s+\p{Lu}[\p{L}.-]+(?:\s\p{Lu}[\p{L}-]+){0,2}(?=[\s,'’])/u.exec(rest)?.[0] ?? '';
  return {
    root,
    noun,
    ...(called !== '' && noun !== null && { called: called.replace(/^,?\s+/u, '') }),
    rest: rest.slice(called.length),
    isThing: noun === null,
    isKnown: true,
    isPlural: PLURAL.test(owner),
  };
}

const MOST_WORDS = 4;

function isAuxiliary(word: string): boolean {
  return new RegExp(`^(?:${AUXILIARY})$`, 'iu').test(word);
}

interface Told {
  readonly text: string;
  /** Whether the speaker is asked about. */
  readonly isOfSpeaker: boolean;
}

function isOther(asked: Asked, told: Subject, { text, isOfSpeaker }: Told): boolean {
  // A fragment, such as a reply, is about what was asked before it.
  if (!told.isThing && !isPredicate(told.rest)) return false;
  // "She" may be whoever was named before, but not the speaker.
  if (told.root === null)
    return isOfSpeaker && asked.noun === null && !asked.isThing && !isMentioned(text, asked.root, true);
  if (!isSameName(told.root, asked.root)) return isOtherName(asked, told, { isOfSpeaker, text });
  if (asked.noun !== null) return isOtherMember(asked.noun, told, text);
  if (told.isThing) return asked.isPresent && !asked.isThing && FORMER.test(firstWord(told.rest));
  if (told.noun === null || isJoined(told, asked, isOfSpeaker)) return false;
  // "Our two kids started school" is about what "How many kids do we have?" asks for.
  if (asksForPeople(asked, told.noun)) return false;
  return !isMentioned(told.rest, asked.root, isOfSpeaker) || isSameVerb(asked, told);
}

/** "I live in Ghent", or "My brother lives in Ghent", for "Where does my sister live?" */
function isOtherMember(noun: string, told: Subject, text: string): boolean {
  const isNamed = hasWord(text, noun) || analyze(noun).some((term) => isSaid(term, text));
  if (told.noun === null) return !told.isThing && !told.isPlural && !isNamed && !HAS_OTHERS.test(told.rest);
  return told.noun !== noun && !isNamed;
}

/** Somebody whom a sentence does not name, or names by another word. */
const HAS_OTHERS =
  /(?<!\p{L})(?:he|she|him|her|his|hers|they|them|their|we|us|our|\p{L}+['’]s)(?!\p{L})|(?<=\p{Ll} )(?<!(?:^|\s)(?:in|at|to|from|near|of|for|around|the|on|by|called|named) )\p{Lu}\p{Ll}/u;

/** Whether a question asks for people such as those of a noun: "Which relatives do I have?" */
function asksForPeople(asked: Asked, noun: string): boolean {
  return asked.asksPeople || analyze(noun).some((term) => asked.terms.has(term));
}

function isOtherName(asked: Asked, told: Subject, { isOfSpeaker, text }: Told): boolean {
  // "Pat works at Philips" may be about the neighbour, and "My sister lives in Ghent" not about another’s.
  if (asked.noun !== null) return told.noun === asked.noun && told.isKnown && !told.isPlural;
  if (told.isPlural || isJoined(told, asked, isOfSpeaker)) return false;
  const isMentionedToo = isMentioned(told.isKnown ? told.rest : text, asked.root, isOfSpeaker);
  // "Daimyo died" may be about the pet that is asked for.
  if (asked.asksPeople && told.noun === null && !told.isThing) return isSameVerb(asked, told);
  if (told.isKnown && !isMentionedToo) return !isMentioned(text, asked.root, isOfSpeaker) || told.isThing;
  return isSameVerb(asked, told) && !(isMentionedToo && !told.isKnown);
}

/** "Tom lent Alice 50 euros" is no answer to what Alice lent. */
function isSameVerb({ verbs, isPassive, isThing }: Asked, told: Pick<Subject, 'rest'>): boolean {
  if (isPassive || isThing) return false;
  const own = verbOf(told.rest);
  return verbs.some((verb) => own.includes(verb));
}

/** Further members of a subject: "Tom, my sister and Alice". */
const MEMBERS = `(?:(?:,| and| &)+ (?:(?:[Mm]y|[Oo]ur|his|her|the) \\p{L}+|\\p{Lu}[\\p{L}'’]*|I))*?`;
const PREDICATE = new RegExp(
  `^(?:['’](?:m|re|ve|d|ll|s))?(?:,[^,]{1,60},| \\([^)]{1,60}\\))?${MEMBERS}\\s+(?!(?:in|at|on|of|from|with|for|to|by|or|and|but|as|the|an?|my|our|his|her)(?!\\p{L}))\\p{Ll}`,
  'u',
);

/** Whether the words behind a subject say something of it; those of a fragment do not: "Leonor!", "Ann, in Paris." */
function isPredicate(rest: string): boolean {
  return PREDICATE.test(rest);
}

/** The terms of the first word that says something. */
function verbOf(rest: string): readonly string[] {
  const words = rest.match(/[\p{L}'’]+/gu) ?? [];
  const first = words.find((word) => !ADVERB.test(word) && !isAuxiliary(word.replaceAll("'", '’')));
  return first === undefined ? [] : analyze(first);
}

/** "Tom and Alice …", "with her husband Tom", or a further clause that says the same of them: "…, and Tom plays the flute". */
function isJoined({ rest }: Subject, asked: Asked, isOfSpeaker: boolean): boolean {
  const who = `(?:${escaped(asked.root.split(' ')[0]!)}${isOfSpeaker ? '|I|me' : ''})(?![\\p{L}\\p{N}'’])`;
  if (new RegExp(`^${MEMBERS}(?:,| and| &)+ (?:also )?${who}`, 'u').test(rest)) return true;
  if (new RegExp(`\\bwith (?:\\p{L}+ ){0,3}${who}`, 'u').test(rest)) return true;
  const clause = new RegExp(
    `(?:[,;:–—]|\\b(?:and|but|while|whereas))\\s+(?:also )?${who}(?<after>.*)`,
    'u',
  ).exec(rest);
  if (clause === null) return false;
  const after = clause.groups!.after!;
  return (
    isPredicate(after) &&
    (asked.verbs.length === 0 || isSameVerb(asked, { rest: after }) || !isSameVerb(asked, { rest })) &&
    !COMMENT.test(after)
  );
}

/** What a speaker adds to a statement about others: "I think", "I was there". */
const COMMENT =
  /^\s+(?:(?:really|just|also|still) )?(?:think|guess|believe|heard|hear|suppose|hope|know|knew|remember|was there|am (?:so )?(?:happy|glad|proud|sad|jealous)|was (?:so )?(?:happy|glad|proud|sad|jealous))\b/iu;

function isMentioned(text: string, name: string, isOfSpeaker: boolean): boolean {
  return hasWord(text, name.split(' ')[0]!) || (isOfSpeaker && OF_SPEAKER.test(text));
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}])${escaped(word)}(?![\\p{L}])`, 'iu').test(text);
}

function firstWord(text: string): string {
  return /\p{L}+/u.exec(text)?.[0] ?? '';
}

/** The same person by a name, or by the beginning of one: "Mel", "Melanie", but not "Ann", "Anna". Two surnames are of two people. */
function isSameName(one: string, other: string): boolean {
  const names = one.toLowerCase().split(/\s+/u);
  const others = other.toLowerCase().split(/\s+/u);
  if (names.length > 1 && others.length > 1)
    return isSameWord(names[0]!, others[0]!) && isSameWord(names.at(-1)!, others.at(-1)!);
  return names.some((name) => others.some((each) => isSameWord(name, each)));
}

function isSameWord(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return one === other || (short.length > 2 && long.length - short.length > 1 && long.startsWith(short));
}

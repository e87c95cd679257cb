import { analyze } from '../search/analyzer.ts';
import { isSaid } from './wordings.ts';

/** What memory knows of names and nouns. */
export interface PeopleKnowledge {
  /** Whether memory knows a person of this name. */
  readonly isPerson: (name: string) => boolean;
  /** Whether a noun names a person or an animal: "boss", "cat". */
  readonly isLiving: (noun: string) => boolean;
  readonly isNoun: (word: string) => boolean;
  readonly speakers: ReadonlySet<string>;
}

/** Somebody by name ("Tom", "I"), or somebody's somebody ("Tom’s sister"). */
interface Subject {
  /** Null for a pronoun of somebody else than the speaker. */
  readonly root: string | null;
  /** "sister"; null for the person of the name. */
  readonly noun: string | null;
  /** What is said of the subject. */
  readonly rest: string;
  /** Whether it is "Tom’s car", which is about Tom. */
  readonly isThing: boolean;
  readonly isKnown: boolean;
}

const AUXILIARY =
  'am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|isn’t|aren’t|wasn’t|weren’t|don’t|doesn’t|didn’t|hasn’t|haven’t|won’t';
const ASKED = new RegExp(`^\\s*(?:[^?]*?[^\\p{L}'])?(?<aux>${AUXILIARY})\\s+(?<rest>\\S.*)$`, 'iu');
const OWNER = /^(?<owner>[Mm]y|[Oo]ur|\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}-]+)?(?=['’]s?\s))(?:['’]s?)?\s+/u;
const NAMES =
  /^(?<name>\p{Lu}[\p{L}\p{N}-]*(?: (?:van|de|der|von|da|di|la|le|bin|al) )?(?:\s\p{Lu}[\p{L}-]+)*)(?=[\s,.!?]|$)/u;
const FIRST_PERSON = /^(?:I|[Ww]e)(?:['’](?:m|ve|d|ll|re))?(?=\s)/u;
const THIRD_PERSON = /^(?:[Hh]e|[Ss]he)(?:['’](?:s|d|ll))?(?=\s)/u;
const OF_SPEAKER = /(?<![\p{L}'’])(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|us|[Oo]urs?)(?![\p{L}])/u;
/** Words that a sentence may begin with and that name nobody. */
const NO_NAME =
  /^(?:the|an?|this|that|these|those|my|our|your|his|her|their|its|it|they|you|there|here|in|on|at|for|from|with|by|to|of|as|if|when|while|after|before|since|because|although|what|who|where|which|how|why|not|all|some|both|every|each|no|one|two|three|let|just|please|looking|going|having)$/iu;
const OPENING =
  /^(?:(?:and|so|but|well|oh|ok(?:ay)?|yes|yeah|no|also|then|actually|anyway|btw|by the way|today|yesterday|recently|apparently|sadly|luckily|fun fact)[,:!]?\s+|(?:on|in|at|last|next|this)\s[^,.]{1,30},\s+)*/iu;
/** "I heard that …", of which the rest is told. */
const REPORTED =
  /^(?:I|[Ww]e|\p{Lu}[\p{L}-]+)\s(?:(?:just|also)\s)?(?:think|thinks|thought|heard|hear|know|knows|knew|hope|hopes|guess|believe|believes|learned|learnt|noticed|remember|found out|said|says|am glad|was told|told \p{L}+)\s(?:that\s)?(?=(?:my|our|\p{Lu})[\p{L}'’])/u;
const ADVERB =
  /^(?:usually|always|never|ever|still|also|just|now|already|often|sometimes|really|finally|first|last|currently|once|recently)$/iu;
const BEING = /^(?:am|is|are|was|were|isn’t|aren’t|wasn’t|weren’t)$/iu;
const CALLED_LIKE_A_NOUN =
  /^(?:old|new|first|last|best|own|little|big|former|favou?rite|next|only|good|main)$/iu;
/** "My old car" is about former times. */
const FORMER = /^(?:old|former|previous|first|last|ex)$/iu;
const VERB_LIKE = /(?:s|ed|ing)$/u;

/**
 * Whether a sentence is about another subject than a question asks about: "Tom is allergic to nuts" for "What am I
 * allergic to?" Where it is not plain whom it is about, it does not.
 */
export function ofAnother(
  question: string,
  people: PeopleKnowledge,
): (text: string, speaker: string | null) => boolean {
  const asked = readQuestion(question, people);
  if (asked === null) return () => false;
  return (text, speaker) => {
    const told = readStatement(text, speaker, people);
    return told !== null && isOther(asked, told, { text, speaker, people });
  };
}

/** The name of the person whom a question asks about; null if it is nobody’s. */
export function askedName(question: string, people: PeopleKnowledge): string | null {
  return readQuestion(question, people)?.root ?? null;
}

interface Asked extends Subject {
  readonly root: string;
  readonly verbs: readonly string[];
  /** "Where was I stung?" asks for what was done to the subject. */
  readonly isPassive: boolean;
  /** "What car do I have?" asks about now. */
  readonly isPresent: boolean;
}

/** The subject of a question about somebody; null for other questions, such as "Who owes me money?" */
function readQuestion(question: string, people: PeopleKnowledge): Asked | null {
  const groups = ASKED.exec(question.replaceAll("'", '’'))?.groups;
  if (groups === undefined) return null;
  const subject = readSubject(groups.rest!, { speaker: null, people });
  if (subject === null || subject.root === null) return null;
  const isBeing = BEING.test(groups.aux!);
  return {
    ...subject,
    ...{ root: subject.root, verbs: verbOf(subject.rest) },
    isPassive: isBeing && /^\s*(?:\p{L}+(?:ed|en|ng|nt|ught)|hit|cut|hurt)(?!\p{L})/iu.test(subject.rest),
    isPresent: /^(?:am|is|are|do|does|has|have)$/iu.test(groups.aux!),
  };
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
  const first = FIRST_PERSON.exec(text)?.[0];
  if (first !== undefined)
    return speaker === null
      ? null
      : { root: speaker, noun: null, rest: text.slice(first.length), isThing: false, isKnown: true };
  const third = THIRD_PERSON.exec(text)?.[0];
  if (third !== undefined)
    return { root: null, noun: null, rest: text.slice(third.length), isThing: false, isKnown: true };
  const owned = OWNER.exec(text);
  if (owned !== null) return ownedBy(owned, text, { speaker, people });
  const name = NAMES.exec(text)?.groups?.name;
  if (name === undefined || NO_NAME.test(name.split(' ')[0]!)) return null;
  const rest = text.slice(name.length);
  return { root: name, noun: null, rest, isThing: false, isKnown: isPersonLike(name, rest, people) };
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
  if (people.isNoun(noun) || noun.endsWith('ing')) return false;
  return !OF_THINGS.test(rest) || people.isLiving(IS_SOMEBODY.exec(rest)?.[1] ?? '');
}

/** "Alice’s neighbour Pat", "my daughter’s birthday", "Alice’s old car". */
function ownedBy(owned: RegExpExecArray, text: string, { speaker, people }: Reading): Subject | null {
  const owner = owned.groups!.owner!;
  const root = /^(?:my|our)$/iu.test(owner) ? speaker : owner;
  if (root === null) return null;
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
  const called = /^,?\s+\p{Lu}[\p{L}-]+(?=[\s,'’])/u.exec(rest)?.[0] ?? '';
  return { root, noun, rest: rest.slice(called.length), isThing: noun === null, isKnown: true };
}

const MOST_WORDS = 4;

function isAuxiliary(word: string): boolean {
  return new RegExp(`^(?:${AUXILIARY})$`, 'iu').test(word);
}

interface Told {
  readonly text: string;
  readonly speaker: string | null;
  readonly people: PeopleKnowledge;
}

function isOther(asked: Asked, told: Subject, { text, speaker, people }: Told): boolean {
  const isOfSpeaker = speaker !== null && isSameName(speaker, asked.root);
  // Among speakers, whom a turn is about is weighed, not decided: "we" and "you" may be anybody.
  const isSpeaking = told.root !== null && told.root === speaker && told.noun === null && !told.isThing;
  if (isSpeaking && !isOfSpeaker && [...people.speakers].some((name) => isSameName(name, asked.root)))
    return false;
  if (told.root === null ? !isOfSpeaker : !isSameName(told.root, asked.root))
    return isOtherName(asked, told, { isOfSpeaker, text });
  if (asked.noun !== null) {
    if (told.noun === null || told.noun === asked.noun) return false;
    const isSame = [...analyze(asked.noun)].some(
      (term) => analyze(told.noun!).includes(term) || isSaid(term, told.noun!),
    );
    return !isSame && !hasWord(told.rest, asked.noun);
  }
  if (told.isThing) return asked.isPresent && !asked.isThing && FORMER.test(firstWord(told.rest));
  if (told.noun === null || isJoined(told.rest, asked.root, isOfSpeaker)) return false;
  return !isMentioned(told.rest, asked.root, isOfSpeaker) || isSameVerb(asked, told);
}

function isOtherName(
  asked: Asked,
  told: Subject,
  { isOfSpeaker, text }: { readonly isOfSpeaker: boolean; readonly text: string },
): boolean {
  // "Pat works at Philips" may be about the neighbour.
  if (asked.noun !== null) return false;
  if (isJoined(text, asked.root, isOfSpeaker)) return false;
  const isMentionedToo = isMentioned(told.isKnown ? told.rest : text, asked.root, isOfSpeaker);
  if (told.isKnown && !isMentionedToo) return !isMentioned(text, asked.root, isOfSpeaker) || told.isThing;
  return isSameVerb(asked, told) && !(isMentionedToo && !told.isKnown);
}

/** "Tom lent Alice 50 euros" is no answer to what Alice lent. */
function isSameVerb({ verbs, isPassive, isThing }: Asked, told: Subject): boolean {
  if (isPassive || isThing) return false;
  const own = verbOf(told.rest);
  return verbs.some((verb) => own.includes(verb));
}

/** The terms of the first word that says something. */
function verbOf(rest: string): readonly string[] {
  const words = rest.match(/[\p{L}'’]+/gu) ?? [];
  const first = words.find((word) => !ADVERB.test(word) && !isAuxiliary(word.replaceAll("'", '’')));
  return first === undefined ? [] : analyze(first);
}

/** "Alice and Tom", "Tom and I", "with her husband Tom". */
function isJoined(text: string, name: string, isOfSpeaker: boolean): boolean {
  const who = `(?:${escaped(name.split(' ')[0]!)}${isOfSpeaker ? '|I|me' : ''})`;
  return (
    new RegExp(`(?:\\band|,) (?:also )?${who}(?![\\p{L}'’])`, 'u').test(text) ||
    new RegExp(`(?<![\\p{L}])${who} and (?!\\p{L}+s )`, 'u').test(text) ||
    new RegExp(`\\bwith (?:\\p{L}+ ){0,3}${who}(?![\\p{L}'’])`, 'u').test(text)
  );
}

function isMentioned(text: string, name: string, isOfSpeaker: boolean): boolean {
  return hasWord(text, name.split(' ')[0]!) || (isOfSpeaker && OF_SPEAKER.test(text));
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}])${escaped(word)}(?![\\p{L}])`, 'iu').test(text);
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function firstWord(text: string): string {
  return /\p{L}+/u.exec(text)?.[0] ?? '';
}

/** The same person by one of the names, or by the beginning of one: "Mel", "Melanie". */
function isSameName(one: string, other: string): boolean {
  const [names, others] = [one, other].map((name) => name.toLowerCase().split(/\s+/u));
  return names!.some((name) =>
    others!.some(
      (each) =>
        name === each ||
        (Math.min(name.length, each.length) > 2 && (name.startsWith(each) || each.startsWith(name))),
    ),
  );
}

import { toMonth, toWeekday, WEEKDAY_NAMES } from '../../../time/expressions.ts';
import { wordSet } from '../../../util/collections.ts';
import type { EntityKind } from '../extractor.ts';
import { entityKey } from './entity-key.ts';
import type { Speakers } from './speakers.ts';
import { joinTokens, type Token } from './tagger.ts';
import words from './words.json' with { type: 'json' };
import {
  GRADING,
  KIN,
  MOTION,
  NAME_LINKS,
  OPENERS,
  ORGANISATION_ENDINGS,
  PERSON_BEFORE,
  PLACE_BEFORE,
  PLACE_ENDINGS,
  TITLES,
  VAGUE_NOUNS,
  VAGUE_VERBS,
} from './words.ts';

const SPEAKS = /^(?:said|says|told|asked|thinks|thought|loves|loved|wants|wanted|came|went|helped|called)$/;

/** Lemmas of verbs whose subject, and of verbs whose object, is always a person. */
const DEEDS = wordSet(words.deeds);
const RECEIVED = wordSet(words.received);

/** The object of these may be a firm ("sign with") rather than a person ("have lunch with"). */
const BUSINESS = /^(?:deal|contract|collaborate|partner|sign|sponsorship|brand|work)$/;
const STAYS = /^(?:live|stay|reside|settle|dwell|grow|up|bear|born|arrive|come|vacation|holiday)$/;
const TRAVELS = /^(?:trip|travel|fly|flight|drive|move|head|relocate|vacation|tour)$/;

/**
 * Guesses the kind of a mention from its last word and the words around it, without a list of names: "thing" if there
 * are no other cues.
 */
function entityKind(tokens: readonly Token[], { start, end }: { start: number; end: number }): EntityKind {
  const [first, head] = [tokens[start]!, tokens[end - 1]!];
  const byWord = kindOfHead(head) ?? (end - start > 2 ? kindOfHead(first) : null);
  if (byWord !== null) return byWord;
  if (end - start > 1 && (isTitle(first) || /^\p{Lu}\.$/u.test(first.text))) return 'person';
  return /^\p{Lu}/u.test(first.text) && /^\p{Lu}/u.test(head.text) ? kindOfName(tokens, start, end) : 'thing';
}

/** "Dr", "Dr." */
function isTitle({ lower }: Token): boolean {
  return TITLES.has(lower.replace(/\.$/, ''));
}

function kindOfHead({ lower, lemma }: Token): EntityKind | null {
  if (KIN.has(lemma) || KIN.has(lower) || /^(?:kid|child|children|parent|family)s?$/.test(lemma))
    return 'person';
  if (ORGANISATION_ENDINGS.has(lemma) || ORGANISATION_ENDINGS.has(lower)) return 'organisation';
  return PLACE_ENDINGS.has(lemma) || PLACE_ENDINGS.has(lower) ? 'place' : null;
}

/** "Paris is my niece", "Georgia is Tom's aunt". */
function isSaidToBeKin(tokens: readonly Token[], end: number): boolean {
  if (tokens[end]?.lemma !== 'be') return false;
  const owner = tokens[end + 1];
  const isOwned = /^(?:my|our|his|her|their)$/.test(owner?.lower ?? '') || tokens[end + 2]?.lower === "'s";
  return isOwned && tokens.slice(end + 2, end + 5).some(({ lemma }) => KIN.has(lemma));
}

function kindOfName(tokens: readonly Token[], start: number, end: number): EntityKind {
  const [before, after] = [tokens[start - 1], tokens[end]];
  const acronym = end - start === 1 && /^[A-Z]{2,}$/.test(tokens[start]!.text);
  if (before !== undefined && (KIN.has(before.lower) || isTitle(before))) return 'person';
  if (isSaidToBeKin(tokens, end)) return 'person';
  if (!acronym && end - start > 2) return before?.lower === 'in' ? 'place' : 'thing';
  if (isReached(tokens, start)) return 'place';
  if (acronym) return kindOfAcronym(before, tokens[start - 2]);
  if (before !== undefined && (PLACE_BEFORE.has(before.lower) || PLACE_BEFORE.has(before.lemma)))
    return 'place';
  if (before?.lower === 'at' || (before?.lower === 'for' && tokens[start - 2]?.lemma === 'work'))
    return 'organisation';
  const business = BUSINESS.test(tokens[start - 2]?.lemma ?? '');
  const named =
    before !== undefined && (PERSON_BEFORE.has(before.lower) || RECEIVED.has(before.lemma)) && !business;
  return named ||
    (after !== undefined && (SPEAKS.test(after.lower) || DEEDS.has(after.lemma) || after.lower === "'s"))
    ? 'person'
    : 'thing';
}

/** True in "moved to Lisbon" and "took a trip last week to Rome", false in "say goodbye to Max". */
function isReached(tokens: readonly Token[], start: number): boolean {
  const [before, verb] = [tokens[start - 1], tokens[start - 2]];
  if (before === undefined || verb === undefined || !/^(?:to|from)$/.test(before.lower)) return false;
  return (
    MOTION.has(verb.lemma) ||
    tokens.slice(Math.max(0, start - 7), start).some(({ lemma }) => TRAVELS.test(lemma))
  );
}

/** "In MMA" and "in HTML" name no place; "live in NYC" does. */
function kindOfAcronym(before: Token | undefined, verb: Token | undefined): EntityKind {
  if (before === undefined) return 'thing';
  if (['near', 'around'].includes(before.lower) || before.lemma === 'visit') return 'place';
  if (['in', 'from'].includes(before.lower) && STAYS.test(verb?.lemma ?? '')) return 'place';
  return ['the', 'at', 'join'].includes(before.lemma) ? 'organisation' : 'thing';
}

/** A place in a sentence that names an entity. */
export interface Mention {
  /** Token positions, half-open. */
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly key: string;
  readonly kind: EntityKind;
  /** How informative it is, to choose the best mentions of a turn; a speaker is always kept. */
  readonly score: number;
  readonly isSpeaker: boolean;
  /** Another form of the name, if the text uses one. */
  readonly alias: string | null;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const LONGEST_NAME = 6;
const LONGEST_QUOTE = 8;
/** These end a noun phrase: "support group yesterday", "school event last week". */
export const TIME_WORDS: ReadonlySet<string> = new Set([
  'yesterday',
  'today',
  'tomorrow',
  'tonight',
  'last',
  'next',
  'past',
  'this',
  'ago',
  'lately',
  'recently',
  'each',
  'every',
  'right',
  'now',
]);
const CHUNK: ReadonlySet<string> = new Set(['ADJ', 'NOUN', 'PROPN']);

/** The mentions of a sentence in order: quoted titles, names, and noun phrases with content. */
export function findMentions(tokens: readonly Token[], speakers: Speakers): Mention[] {
  const mentions: Mention[] = [];
  let at = 0;
  while (at < tokens.length) {
    const mention = quotedAt(tokens, at) ?? nameAt(tokens, at, speakers) ?? phraseAt(tokens, at);
    if (mention === null) at += 1;
    else {
      if (mention.key !== '') mentions.push(mention);
      at = mention.end;
    }
  }
  return mentions;
}

export function isCapital(token: Token): boolean {
  return /^\p{Lu}/u.test(token.text) && token.text !== 'I';
}

function quotedAt(tokens: readonly Token[], at: number): Mention | null {
  if (tokens[at]!.text !== '"') return null;
  const close = tokens.findIndex((token, index) => index > at && token.text === '"');
  const inside = tokens.slice(at + 1, close);
  if (close < 0 || inside.length < 1 || inside.length > LONGEST_QUOTE || !inside.some(isCapital)) return null;
  const name = joinTokens(inside).replace(/[.,!?]+$/, '');
  return toMention({ start: at, end: close + 1 }, { name, kind: 'thing', score: 6 });
}

/** An acronym continues the phrase ("fantasy RPG"), any other name begins its own ("friend Sarah"). */
function startsNewName(token: Token): boolean {
  return startsName(token) && !/^\p{Lu}{2,}$/u.test(token.text);
}

/** A run of capitalised words with its link words, and the plain nouns that it modifies ("LGBTQ support group"). */
function nameAt(tokens: readonly Token[], at: number, speakers: Speakers): Mention | null {
  if (!startsName(tokens[at]!)) return null;
  const range = { start: at, end: nameEnd(tokens, at) };
  const speaker = speakerAt(tokens, range, speakers);
  if (speaker !== null) return speaker;
  const end = TIME_WORDS.has(tokens[range.end]?.lower ?? '') ? range.end : phraseEnd(tokens, range.end);
  const words = tokens.slice(at, end);
  if (words.length === 1 && (isCalendarWord(words[0]!) || words[0]!.text.length < 2)) return skipped(at, end);
  if (isCalendarWord(words.at(-1)!) && words.length < 3) return skipped(at, end);
  const whole = { start: at, end };
  const kin = namesake(tokens, at, speakers);
  if (kin !== null)
    return toMention(whole, { name: `${kin} ${joinTokens(words)}`, kind: 'person', score: 5 });
  return toMention(whole, { name: joinTokens(words), kind: entityKind(tokens, whole), score: 5 });
}

function startsName(token: Token): boolean {
  if (/^\p{Lu}{2,}$/u.test(token.text) && !['PROPN', 'NOUN'].includes(token.pos)) return false;
  if (!token.space && /^[KMG]$/.test(token.text)) return false;
  if (!isCapital(token) || token.pos === 'INTJ' || token.pos === 'PUNCT') return false;
  return (
    !OPENERS.has(token.lower) &&
    (token.pos === 'PROPN' || !['PRON', 'DET', 'AUX', 'ADP', 'NUM'].includes(token.pos))
  );
}

function nameEnd(tokens: readonly Token[], at: number): number {
  let end = at + 1;
  while (end < tokens.length && end - at < LONGEST_NAME) {
    const link = linkLength(tokens, end);
    const next = tokens[end + link];
    if (next === undefined || !next.space || !startsName(next)) break;
    if (link > 0 && isCalendarWord(next)) break;
    end += link + 1;
    // "St. Mary's Hospital"
    if (/^st\.?$/.test(tokens[at]!.lower) && tokens[end]?.lower === "'s") end += 1;
  }
  return end;
}

function linkLength(tokens: readonly Token[], at: number): number {
  const [one, two] = [tokens[at], tokens[at + 1]];
  if (one === undefined || !NAME_LINKS.has(one.lower) || one.lower === 'and') return 0;
  return two !== undefined && two.lower === 'the' ? 2 : 1;
}

/** "My cousin Tom", said to Tom, is another Tom: returns the kinship that separates them. */
function namesake(tokens: readonly Token[], at: number, speakers: Speakers): string | null {
  const before = tokens[at - 1]?.lower ?? '';
  if (!KIN.has(before)) return null;
  return speakers.names.some((name) => name.toLowerCase() === tokens[at]!.lower) ? before : null;
}

/**
 * The first one or two capitalised words may name a speaker; "Mel" is an alias then. "My colleague Rob" is not a
 * speaker.
 */
function speakerAt(tokens: readonly Token[], { start, end }: Range, speakers: Speakers): Mention | null {
  if (KIN.has(tokens[start - 1]?.lower ?? '')) return null;
  for (const stop of [end, start + 1]) {
    const words = joinTokens(tokens.slice(start, stop));
    const name = speakers.called(words);
    if (name === null || (stop < end && hasOtherSurname(tokens[stop]!, name))) continue;
    const alias = words.toLowerCase() === name.toLowerCase() ? null : words;
    return { ...toMention({ start, end: stop }, { name, kind: 'person', score: 9 }), isSpeaker: true, alias };
  }
  return null;
}

/** Whether the surname differs: "Anna Lindqvist" is not the speaker Anna Berg. */
function hasOtherSurname({ lower }: Token, name: string): boolean {
  const rest = name.toLowerCase().split(' ').slice(1);
  return rest.length > 0 && !rest.includes(lower);
}

/** An adjective–noun run, without adjectives that only grade. */
function phraseAt(tokens: readonly Token[], at: number): Mention | null {
  if (!CHUNK.has(tokens[at]!.pos)) return null;
  const end = phraseEnd(tokens, at);
  let start = at;
  while (start < end && isEmptyModifier(tokens[start]!)) start += 1;
  const words = tokens.slice(start, end);
  const head = words.at(-1);
  if (head === undefined || head.pos === 'ADJ' || !hasContent(words))
    return skipped(at, Math.max(end, at + 1));
  const range = { start, end };
  return toMention(range, {
    name: joinTokens(words),
    kind: entityKind(tokens, range),
    score: scoreOf(tokens, range),
  });
}

function phraseEnd(tokens: readonly Token[], from: number): number {
  let end = from;
  while (end < tokens.length && end - from < LONGEST_NAME && CHUNK.has(tokens[end]!.pos)) {
    const [last, token] = [tokens[end - 1], tokens[end]!];
    if (end > from && (startsNewName(token) || !token.space || endsPhrase(token))) break;
    if (end > from && isQualified(token, last!)) break;
    end += 1;
  }
  return lastNoun(tokens, from, end);
}

/** Adjectives that form one with the noun before: "user-friendly", written as two words. */
const JOINED =
  /^(?:free|friendly|rich|safe|specific|wide|based|aware|conscious|famous|fresh|ready|proof|old|long|high)$/;

/** "Schedule regular visits", "kids important to her": no adjective follows the noun that it describes. */
function isQualified({ pos, lower }: Token, last: Token): boolean {
  return pos === 'ADJ' && last.pos === 'NOUN' && !JOINED.test(lower);
}

/** A time ("support group yesterday") or a single letter ("Peter b"). */
function endsPhrase({ lower, text }: Token): boolean {
  return TIME_WORDS.has(lower) || /^\p{Ll}$/u.test(text);
}

/** "The violin classical" ends at its last noun. */
function lastNoun(tokens: readonly Token[], from: number, end: number): number {
  let last = end;
  while (last > from && tokens[last - 1]!.pos === 'ADJ') last -= 1;
  return last;
}

function isEmptyModifier(token: Token): boolean {
  return (
    GRADING.has(token.lower) ||
    (token.pos === 'ADJ' && VAGUE_NOUNS.has(token.lower)) ||
    token.lower === 'kind'
  );
}

function hasContent(words: readonly Token[]): boolean {
  const head = words.at(-1)!;
  if (words.length > 1 && head.lower.endsWith('ing') && VAGUE_NOUNS.has(words[0]!.lower)) return false;
  if (words.length > 1 && !VAGUE_NOUNS.has(head.lower)) return true;
  if (words.length > 1)
    return words
      .slice(0, -1)
      .some((word) => word.pos !== 'ADJ' && !word.lower.endsWith('ing') && !VAGUE_NOUNS.has(word.lower));
  return head.text.length > 2 && /\p{L}/u.test(head.text) && !isVague(head);
}

/** Feelings and qualities: "kindness", "perseverance", "encouragement". */
const ABSTRACT =
  /.{3}(?:ness|[^n]ivity|ility|ality|osity|verance|tance|dence|lience|ration|ation|gement|ement)$/;

function isVague(token: Token): boolean {
  if (
    ABSTRACT.test(token.lower) &&
    !/(?:vacation|education|meditation|station|basement|pavement|fitness|wellness|business|university|nation|location|plantation|hospitality|celebration|exhibition|graduation|illustration|decoration|registration|migration)$/.test(
      token.lower,
    )
  )
    return true;
  return (
    isVagueGerund(token.lower) ||
    VAGUE_NOUNS.has(token.lower) ||
    VAGUE_NOUNS.has(token.lemma) ||
    OPENERS.has(token.lower) ||
    isCalendarWord(token) ||
    GRADING.has(token.lower)
  );
}

/** "Taking", "making", "getting": what somebody does with something else. */
function isVagueGerund(lower: string): boolean {
  if (!lower.endsWith('ing')) return false;
  const stem = lower.slice(0, -3);
  return [stem, `${stem}e`, stem.slice(0, -1)].some((verb) => VAGUE_VERBS.has(verb));
}

function scoreOf(tokens: readonly Token[], { start, end }: Range): number {
  const head = tokens[end - 1]!;
  const before = tokens[start - 1];
  const owned = before?.pos === 'PRON' || before?.lower === "'s" ? 0.5 : 0;
  if (KIN.has(head.lemma)) return 3 + owned;
  if (end - start === 1) return 1.5 + owned;
  return (tokens.slice(start, end).some((token) => token.pos === 'ADJ') ? 2.5 : 4) + owned;
}

function isCalendarWord({ lower, text }: Token): boolean {
  if (/^(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun)$/.test(text)) return true;
  if (WEEKDAY_NAMES.some((name) => lower === name || lower === `${name}s`)) return true;
  return (
    toMonth(lower) >= 0 &&
    lower.length > 2 &&
    (lower.length < 5 || toWeekday(lower) < 0) &&
    isMonthName(lower)
  );
}

function isMonthName(lower: string): boolean {
  return /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/.test(
    lower,
  );
}

function toMention(
  { start, end }: Range,
  { name, kind, score }: Pick<Mention, 'name' | 'kind' | 'score'>,
): Mention {
  return { start, end, name, key: entityKey(name), kind, score, isSpeaker: false, alias: null };
}

/** A mention that consumes tokens but is not kept, because its key is empty. */
function skipped(start: number, end: number): Mention {
  return { start, end, name: '', key: '', kind: 'thing', score: 0, isSpeaker: false, alias: null };
}

import { wordSet } from '../../../util/collections.ts';
import type { TurnToRead } from '../extractor.ts';
import { isPast, isVerb, joinTokens, type Token } from './tagger.ts';
import words from './words.json' with { type: 'json' };

/** The person whom memory is about, as agents and other memories write: "The user lives in Bern", "Lives in Bern". */
export const THE_USER = 'the user';
export const OF_THE_USER = "the user's";

const OF_PERSONS = wordSet(words.ofPersons);
const OMITS_PERSON = wordSet(words.omitsPerson);
const OF_INTERFACES = wordSet(words.ofInterfaces);
const INTERFACE_NOUNS = wordSet(words.interfaceNouns);
const OWN_ATTRIBUTES = wordSet(words.ownAttributes);

const SUBJECT: Token = { text: THE_USER, lower: THE_USER, pos: 'PRON', lemma: THE_USER, space: true };
const OWNER: Token = { ...SUBJECT, text: OF_THE_USER, lower: OF_THE_USER };

interface Speaking {
  /** The turn's speaker, and those of the unit's turns with the role `user`. */
  readonly speaker: string;
  readonly users: readonly string[];
}

/** The name of whom a turn calls the user: who speaks in that role, the turn's speaker first. */
export function userOf(
  { role, user }: Pick<TurnToRead, 'role' | 'user'>,
  { speaker, users }: Speaking,
): string {
  if (role === 'user') return speaker;
  return users.length === 1 ? users[0]! : (user ?? 'user');
}

/**
 * "The user" and "the user's" as one pronoun each, if the sentence states something of a person: in "The user clicks on
 * Save" it is anybody.
 */
export function withUser(tokens: readonly Token[]): readonly Token[] {
  const first = userAt(tokens, 0);
  if (first === null || !isAboutPerson(tokens, first)) return tokens.map(asCommonNoun);
  const marked: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const found = userAt(tokens, at);
    if (found === null) marked.push(tokens[at]!);
    else marked.push({ ...(found.isOwner ? OWNER : SUBJECT), space: tokens[at]!.space });
    at = found?.end ?? at + 1;
  }
  return marked;
}

/** "User clicks on Save" names nobody, though somebody may speak as "user". */
function asCommonNoun(token: Token): Token {
  return token.text === 'User' ? { ...token, text: 'user', pos: 'NOUN' } : token;
}

/** Events of a life. An assistant that "moved the file" states its own work. */
const LIFE_EVENT =
  /^(?:(?:recently|just) )?(?:(?:moved|relocated) (?:from .{1,30}? )?to \p{Lu}|got (?:married|divorced|engaged|promoted|a new job)|graduated|retired|married \p{Lu}|adopted an? )/u;

/**
 * "Lives in Bern", "Name is Sam": a memory's note, which omits whom it is about. Null for other sentences.
 *
 * @param isOwn Whether an omitted "I" would be the user.
 */
export function withOmittedUser(tokens: readonly Token[], isOwn: boolean): readonly Token[] | null {
  const [first, next] = tokens;
  if (first === undefined || next === undefined) return null;
  if (!isOwn && LIFE_EVENT.test(joinTokens(tokens)))
    return [SUBJECT, { ...first, space: true }, ...tokens.slice(1)];
  if (OMITS_PERSON.has(first.lower) && isPersonal(tokens, 0))
    return [SUBJECT, verb(first), ...tokens.slice(1)];
  const be = tokens.findIndex(({ lower }) => lower === 'is' || lower === 'are');
  const noun = tokens[be - 1];
  const isNoun = tokens.slice(0, Math.max(0, be)).every(({ pos }) => ['NOUN', 'ADJ', 'PROPN'].includes(pos));
  if (noun === undefined || be > LONGEST_NOUN || !isNoun) return null;
  const isOfPerson = OWN_ATTRIBUTES.has(noun.lower) || /^favou?rite$/.test(first.lower);
  return isOfPerson ? [OWNER, { ...first, space: true }, ...tokens.slice(1)] : null;
}

const LONGEST_NOUN = 4;

const ATTRIBUTE_FIRST = /^(?:\p{L}[\p{L}-]* ){0,3}?(\p{L}[\p{L}-]*) (?:is|are) /u;

/** Whether a text may begin as such a note. */
export function mayBeginNote(text: string): boolean {
  const [first = ''] = /^[\p{L}-]+/u.exec(text) ?? [];
  const attribute = ATTRIBUTE_FIRST.exec(text)?.[1];
  return (
    /^(?:the )?user(?:['’]s)? /i.test(text) ||
    OMITS_PERSON.has(first.toLowerCase()) ||
    (attribute !== undefined && OWN_ATTRIBUTES.has(attribute.toLowerCase()))
  );
}

function verb(token: Token): Token {
  const pos = token.lower === 'is' ? 'AUX' : 'VERB';
  return { ...token, pos, space: true, text: token.lower };
}

/** Of the words after the verb "is", those that are said of persons. */
const PERSONAL_STATE =
  /^(?:an?|no|never|still|allergic|vegetarian|vegan|pescatarian|married|single|divorced|widowed|engaged|interested|based|from|born|fluent|bilingual|left-handed|right-handed|learning|planning|working|studying|training|pregnant|afraid|gluten-free|lactose|lactose-intolerant|diabetic|asthmatic|retired|unemployed|self-employed|currently|dating|dyslexic|colorblind|\d+|preparing|trying|looking|considering|living|fond|passionate|deaf|blind|jewish|muslim|christian|catholic|buddhist|hindu|atheist|gay|bisexual|lesbian|trans|autistic)$/;
const WORKS = /^(?:at|as|for|in|from|with|remotely|part-time|full-time|freelance|nights|shifts|on)$/;
/** "Works for me", "Has been a long day", "Uses too much memory" are about something else. */
const OF_THINGS =
  /^(?:me|us|him|them|you|been|to|anyone|anybody|somebody|someone|too|it|this|that|great|good|fine|well|more|less|much|a lot)$/;

function isPersonal(tokens: readonly Token[], at: number): boolean {
  const [{ lower }, next, second] = [tokens[at]!, tokens[at + 1]!, tokens[at + 2]];
  const after = next.lower === 'not' ? second : next;
  if (after === undefined || after.text === '?') return false;
  if (lower === 'is') return PERSONAL_STATE.test(after.lower);
  if (/^(?:works|lives|resides|studies)$/.test(lower) && !WORKS.test(after.lower))
    return after.pos === 'NOUN';
  if (/^(?:wants|hopes|plans|intends|aims|likes|loves|prefers|hates)$/.test(lower))
    return after.lower !== 'it';
  return !OF_THINGS.test(after.lower) && !OF_THINGS.test(second?.lower ?? '');
}

interface UserMention {
  readonly end: number;
  readonly isOwner: boolean;
}

function userAt(tokens: readonly Token[], from: number): UserMention | null {
  const at = tokens[from]?.lower === 'the' ? from + 1 : from;
  if (tokens[at]?.lower !== 'user' || (at === from && from > 0)) return null;
  const isOwner = tokens[at + 1]?.lower === "'s" || tokens[at + 1]?.lower === '’s';
  return { end: isOwner ? at + 2 : at + 1, isOwner };
}

function isAboutPerson(tokens: readonly Token[], { end, isOwner }: UserMention): boolean {
  const next = tokens[end];
  if (next === undefined) return false;
  if (isOwner) return !INTERFACE_NOUNS.has(next.lower);
  let at = end;
  while (tokens[at]?.pos === 'ADV') at += 1;
  const main = tokens[at] ?? next;
  const after = tokens.slice(at + 1, at + 4);
  if ([main, ...after.slice(0, 2)].some(({ lower }) => OF_INTERFACES.has(lower))) return false;
  if (after.some(({ lower }) => INTERFACE_NOUNS.has(lower))) return false;
  return OF_PERSONS.has(main.lower) || (isVerb(main) && isPast(main));
}

import { MONTH, SHORT_MONTH } from '../../../time/expressions.ts';
import { wordSet } from '../../../util/collections.ts';
import { isBase, isGerund, isPast, isVerb, joinTokens, type Token } from './tagger.ts';
import words from './words.json' with { type: 'json' };
import { KIN, MODALS } from './words.ts';

/** Pasts that are not formed with "-ed": "grow" gives "grew". */
const PASTS: Readonly<Record<string, string>> = Object.fromEntries(
  words.irregularPasts.flatMap((line) => line.split(' ').map((pair) => pair.split(':'))),
);
const ASKS_FOR = wordSet(words.asksFor);

/** What a question leaves open: the answer stands between two parts of a statement. */
export interface OpenStatement {
  readonly before: string;
  readonly after: string;
  /** What the question is about, if it asks only how that is: "And the boiler?" */
  readonly topic: string | null;
  /** Whether it asks for a detail of what was said before: "Where was that?", "Which one?" */
  readonly isDetail: boolean;
  /** The word that asks. */
  readonly word: string;
}

/**
 * The statement that the answer to a question completes, in the answerer's words: "Where do you work?" gives "I work
 * …", "What's his name?" "his name is …", "Any pets?" "my pets are …", "And the boiler?" "the boiler …". Null for a
 * question whose answer states little ("How was it?"), and for one that needs no more than yes or no.
 */
export function openedBy(question: readonly Token[]): OpenStatement | null {
  const tokens = withoutOpening(question);
  const [first, second] = tokens;
  if (first === undefined) return null;
  const asked = askedBy(tokens);
  if (asked !== null) {
    const opened = whAnswer(tokens, asked);
    return opened === null ? null : { ...opened, word: asked.word };
  }
  if (/^(?:do|does|have|has)$/.test(first.lower)) return ownedBy(tokens);
  if (first.lower === 'is' && second?.lower === 'there') return thereIs(tokens);
  if (first.lower === 'any') return anyOf(tokens);
  return null;
}

const OPENING = /^(?:and|but|so|ok|okay|oh|well|also|great|nice|cool|then|now|wow|hmm|,|-)$/;

function withoutOpening(question: readonly Token[]): readonly Token[] {
  const reason = question.findIndex(
    ({ text }, at) =>
      text === ',' && /^(?:so|because|without|if|since|when)$/.test(question[at + 1]?.lower ?? ''),
  );
  const tokens = reason < 2 ? question : question.slice(0, reason);
  let at = 0;
  while (at < tokens.length - 1 && OPENING.test(tokens[at]!.lower)) at += 1;
  const isTopic = at > 0 && tokens.slice(0, at).some(({ lower }) => lower === 'and');
  const rest = tokens.slice(at);
  if (!isTopic || rest.some(isVerb) || ASKS_FOR.has(rest[0]!.lower) || rest[0]!.lower === 'any') return rest;
  return [WHAT, ABOUT, ...rest];
}

const WHAT: Token = { text: 'what', lower: 'what', pos: 'PRON', lemma: 'what', space: true };
const ABOUT: Token = { text: 'about', lower: 'about', pos: 'ADP', lemma: 'about', space: true };

interface Asked {
  /** The word that asks, and what it asks for: "what", "how long", "which street". */
  readonly word: string;
  /** Of "which street" and "what colour", else null. */
  readonly noun: string | null;
  readonly end: number;
}

function askedBy(tokens: readonly Token[]): Asked | null {
  let at = 0;
  while (
    ['in', 'on', 'at', 'from', 'for', 'since', 'with', 'to', 'until', 'by'].includes(tokens[at]?.lower ?? '')
  )
    at += 1;
  const word = tokens[at]?.lower ?? '';
  if (!ASKS_FOR.has(word)) return null;
  let end = at + 1;
  if (
    word === 'how' &&
    /^(?:long|much|many|old|often|far|big|tall|late|early)$/.test(tokens[end]?.lower ?? '')
  )
    end += 1;
  const isCounted = end > at + 1;
  while (
    /^(?:what|which|whose|how)$/.test(word) &&
    end > at &&
    ['NOUN', 'ADJ', 'PROPN'].includes(tokens[end]?.pos ?? '') &&
    !isVerb(tokens[end])
  )
    end += 1;
  const noun = /^(?:what|which)$/.test(word) && end > at + 1 ? joinTokens(tokens.slice(at + 1, end)) : null;
  return { word: isCounted ? `how ${tokens[at + 1]!.lower}` : word, noun, end };
}

function whAnswer(tokens: readonly Token[], { word, noun, end }: Asked): OpenStatement | null {
  const verb = tokens[end];
  const rest = tokens.slice(end + 1);
  if (verb === undefined || (rest.length === 0 && !isVerb(verb)) || verb.lower === 'to')
    return noun === null || (word === 'what' && /^(?:kind|sort|time)/.test(noun))
      ? DETAIL
      : { ...statement(`the ${noun} is`), isDetail: true };
  if (
    word === 'what' &&
    (verb.lower === 'about' || joinTokens(tokens.slice(end, end + 2)) === 'happened to')
  ) {
    return aboutTopic(tokens.slice(verb.lower === 'about' ? end + 1 : end + 2));
  }
  if (!isVerb(verb)) return null;
  if (/^(?:do|does|did)$/.test(verb.lower)) return withDo(rest, verb, word);
  if (isBe(verb)) return withBe(rest, verb, { word, noun });
  if (verb.pos === 'AUX' || MODALS.has(verb.lower) || /^(?:have|has|had)$/.test(verb.lower)) {
    const subject = subjectOf(rest);
    if (subject === 0 || subject >= rest.length || word === 'how') return null;
    return statement(`${agreed(rest.slice(0, subject), verb)} ${swapped(rest.slice(subject))}`);
  }
  // "Who teaches you?"
  if (word !== 'who') return null;
  return { ...statement(''), after: swapped(tokens.slice(end)) };
}

const DETAIL: OpenStatement = { before: '', after: '', topic: null, isDetail: true, word: '' };

function statement(before: string): OpenStatement {
  return { before, after: '', topic: null, isDetail: false, word: '' };
}

function aboutTopic(tokens: readonly Token[]): OpenStatement | null {
  const end = subjectOf(tokens);
  if (end === 0 || end < tokens.length || isListener(tokens[0]!)) return null;
  return { ...statement(''), topic: swapped(tokens) };
}

function isListener({ lower }: Token): boolean {
  return lower === 'you' || lower === 'yours';
}

function isBe({ lemma, lower }: Token): boolean {
  return lemma === 'be' || /^(?:is|are|was|were|'s|am)$/.test(lower);
}

/** "Where do you work?": "I work"; "Where did you grow up?": "I grew up". */
function withDo(rest: readonly Token[], { lower }: Token, word: string): OpenStatement | null {
  const end = subjectOf(rest);
  const verb = rest[end];
  if (end === 0 || verb === undefined || (word === 'how' && verb.lower !== 'get')) return null;
  if (word === 'how' || /^(?:think|mean|say|feel|know|suggest|recommend)$/.test(verb.lower)) return null;
  const subject = rest.slice(0, end);
  if (word === 'what' && verb.lower === 'do') return null;
  const base = verb.lower;
  const said = lower === 'did' ? pastOf(base) : lower === 'does' ? thirdPersonOf(base) : base;
  return statement(`${swapped(subject)} ${said} ${swapped(rest.slice(end + 1))}`);
}

function pastOf(base: string): string {
  if (PASTS[base] !== undefined) return PASTS[base];
  if (base.endsWith('e')) return `${base}d`;
  return /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ied` : `${base}ed`;
}

function thirdPersonOf(base: string): string {
  if (base === 'have') return 'has';
  if (/[^aeiou]y$/.test(base)) return `${base.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/.test(base) ? `${base}es` : `${base}s`;
}

function withBe(
  rest: readonly Token[],
  verb: Token,
  { word, noun }: Pick<Asked, 'word' | 'noun'>,
): OpenStatement | null {
  const end = subjectOf(rest);
  if (end === 0)
    return word === 'who' && rest.length > 0
      ? { ...statement(''), after: `${verb.text} ${swapped(rest)}` }
      : null;
  const [subject, more] = [rest.slice(0, end), rest.slice(end)];
  if (/^(?:that|this|it|there|those|these)$/.test(subject[0]!.lower))
    return more.length === 0 ? DETAIL : null;
  if (word === 'how' && more.length === 0) return noun === null ? aboutTopic(subject) : null;
  if (/^(?:up to|doing|about|on about|thinking|saying)\b/.test(joinTokens(more).toLowerCase())) return null;
  // "What is the name?": of what was told before.
  if (more.length === 0 && /^the (?:name|date|address|price|colour|color)$/.test(joinTokens(subject)))
    return { ...statement(`${joinTokens(subject)} is`), isDetail: true };
  if (noun !== null && more.length === 0) return statement(`the ${noun} of ${swapped(subject)} is`);
  const goesOn = more.filter(({ lower }) => lower !== 'now' && lower !== 'again');
  return statement(`${agreed(subject, verb)} ${swapped(goesOn)}`);
}

const OFFERS =
  /^(?:want|like|mind|think|know|mean|need (?:any|help|me|to)|remember|prefer|care|wish|see|agree)\b/;

/** What a "yes" to the question states: "Do you pay by the month?" gives "I pay by the month". Null for offers. */
export function affirmedBy(question: readonly Token[]): string | null {
  const tokens = withoutOpening(question);
  const [verb, ...rest] = tokens;
  if (verb === undefined || !/^(?:do|does|did|are|is|was|were|have|has|will|would)$/.test(verb.lower))
    return null;
  const end = subjectOf(rest);
  const said = rest.slice(end);
  if (end === 0 || said.length === 0 || /^(?:that|this|it|there|i|we)$/.test(rest[0]!.lower)) return null;
  if (
    OFFERS.test(joinTokens(said).toLowerCase()) ||
    said.some(({ lower }) => lower === 'or' || lower === 'me')
  )
    return null;
  if (/^(?:do|does|did)$/.test(verb.lower)) {
    const base = said[0]!.lower;
    const spoken = verb.lower === 'did' ? pastOf(base) : verb.lower === 'does' ? thirdPersonOf(base) : base;
    return `${swapped(rest.slice(0, end))} ${spoken} ${withoutAny(said.slice(1))}`.trim();
  }
  return `${agreed(rest.slice(0, end), verb)} ${withoutAny(said)}`;
}

/** "I have any pets" is "I have pets". */
function withoutAny(tokens: readonly Token[]): string {
  return swapped(tokens.filter(({ lower }) => lower !== 'any' && lower !== 'yourself' && lower !== 'also'));
}

/** "Do you have a budget?": "my budget is". */
function ownedBy(tokens: readonly Token[]): OpenStatement | null {
  const end = 1 + subjectOf(tokens.slice(1));
  const has =
    tokens[0]!.lower === 'have' || tokens[0]!.lower === 'has' ? tokens[0]!.lower : tokens[end]?.lower;
  const isGot = tokens[end]?.lower === 'got';
  if (end === 1 || (has !== 'have' && !isGot)) return null;
  const noun = nounAfter(tokens.slice(end + 1));
  return noun === null ? null : statement(`${possessive(tokens.slice(1, end))} ${noun.text} ${noun.verb}`);
}

function possessive(subject: readonly Token[]): string {
  const own: Readonly<Record<string, string>> = {
    you: 'my',
    he: 'his',
    she: 'her',
    it: 'its',
    they: 'their',
    we: 'our',
  };
  return own[subject[0]!.lower] ?? `${swapped(subject)}'s`;
}

/** "A budget", "any pets", "children" as the subject of a statement. */
function nounAfter(tokens: readonly Token[]): { text: string; verb: string } | null {
  const from = tokens[0]?.pos === 'DET' || tokens[0]?.lower === 'any' ? 1 : 0;
  let end = from;
  while (['ADJ', 'NOUN', 'PROPN'].includes(tokens[end]?.pos ?? '')) end += 1;
  const [noun, next] = [tokens[end - 1], tokens[end]];
  if (end === from || noun === undefined || !/^(?:NOUN|PROPN)$/.test(noun.pos)) return null;
  if (next !== undefined && !/^(?:yourself|yet|already|now|for|at|in|,)$/.test(next.lower)) return null;
  if (/^(?:news|idea|ideas|questions?|luck|advice|thing|things|health|plan)$/.test(noun.lower)) return null;
  const isPlural = noun.lower !== noun.lemma || /^(?:children|people)$/.test(noun.lower);
  return { text: joinTokens(tokens.slice(from, end)), verb: isPlural ? 'are' : 'is' };
}

function thereIs(tokens: readonly Token[]): OpenStatement | null {
  const noun = nounAfter(tokens.slice(2));
  return noun === null ? null : statement(`the ${noun.text} ${noun.verb}`);
}

/** "Any allergies?" */
function anyOf(tokens: readonly Token[]): OpenStatement | null {
  const noun = nounAfter(tokens);
  return noun === null || noun.verb === 'is' ? null : statement(`my ${noun.text} are`);
}

/** The number of tokens of the noun phrase that a text begins with. */
function subjectOf(tokens: readonly Token[]): number {
  const [first] = tokens;
  if (first === undefined) return 0;
  if (first.pos === 'PRON' && !/^(?:my|your|his|her|its|our|their)$/.test(first.lower)) return 1;
  let [end, last] = [0, 0];
  while (end < tokens.length) {
    const { pos, lower } = tokens[end]!;
    const isPart =
      ['DET', 'ADJ', 'NOUN', 'PROPN', 'NUM'].includes(pos) ||
      lower === "'s" ||
      lower === 'of' ||
      (pos === 'PRON' && /^(?:my|your|his|her|its|our|their)$/.test(lower)) ||
      (lower === 'and' && last === end);
    if (!isPart) break;
    end += 1;
    if (pos === 'NOUN' || pos === 'PROPN') last = end;
  }
  return last;
}

const SWAPPED: Readonly<Record<string, string>> = {
  your: 'my',
  yours: 'mine',
  yourself: 'myself',
  my: 'your',
  me: 'you',
};

/** In the words of the person who answers. */
function swapped(tokens: readonly Token[]): string {
  return joinTokens(
    tokens.map((token, at) => {
      const isSubject = at === 0 || isVerb(tokens[at + 1]);
      const text =
        token.lower === 'you'
          ? isSubject && at === 0
            ? 'I'
            : 'me'
          : token.lower === 'i'
            ? 'you'
            : (SWAPPED[token.lower] ?? token.text);
      return { ...token, text };
    }),
  );
}

const OF_I: Readonly<Record<string, string>> = { are: 'am', were: 'was' };

function agreed(phrase: readonly Token[], verb: Token): string {
  const text = verb.lower === "'s" ? 'is' : verb.lower;
  const [article, kin] = phrase;
  // "What is the sister called?"
  const isOwn = article!.lower === 'the' && phrase.length === 2 && KIN.has(kin!.lemma);
  const subject = isOwn ? [{ ...article!, text: 'my' }, kin!] : phrase;
  return `${swapped(subject)} ${isListener(subject[0]!) ? (OF_I[text] ?? text) : text}`;
}

/** A reply without a verb of its own: "In Zermatt, with friends", "Since 2019". */
export function isFragment(tokens: readonly Token[]): boolean {
  const subject = tokens.findIndex(({ pos }) => pos !== 'ADV' && pos !== 'INTJ' && pos !== 'PUNCT');
  const finite = tokens.findIndex((token) => isVerb(token) && !isGerund(token));
  if (finite < 0) return true;
  // "An old sailor named Egon": the participle belongs to the noun.
  const before = tokens[finite - 1];
  const isParticiple = tokens[finite]!.pos === 'VERB' && isPast(tokens[finite]!) && !isBase(tokens[finite]!);
  if (finite > subject && isParticiple && /^(?:called|named|made|based|built)$/.test(tokens[finite]!.lower))
    return !tokens.slice(finite + 1).some((each) => isVerb(each) && !isGerund(each));
  const comma = tokens.findIndex(({ text }) => text === ',');
  return comma > 0 && comma < finite && before !== undefined && /^(?:who|which|that)$/.test(before.lower);
}

const YES = /^(?:yes|yeah|yep|yup|ye|ya|yea|sure do|i do|i am|i have|i will)$/;
const LEADS = /^(?:no|nope|oh|well|um|hmm|haha|lol|just|,|-|ok|okay|and|so|ah|still|actually|honestly|erm)$/;
const TAILS = /^(?:lol|haha|though|probably|ha|btw|,|-|mate|please|max|now|i think)$/;
const PREPOSITIONS: Readonly<Record<string, string>> = {
  live: 'in',
  work: 'at',
  study: 'at',
  go: 'to',
  move: 'to',
  fly: 'to',
  travel: 'to',
};
const MONTH_FIRST = new RegExp(
  `^(?:${MONTH}|${SHORT_MONTH}|spring|summer|autumn|winter|(?:19|20)\\d\\d)\\b`,
  'iu',
);
const DAY_FIRST =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|^(?:the )?\d{1,2}(?:st|nd|rd|th)?\b(?![:.]\d| ?[ap]m\b| (?:days|weeks|months|years|hours|minutes))|^the \p{L}+(?:st|nd|rd|th)\b/iu;

/** Whether the reply begins with "yes", and what follows that. */
export function afterYes(tokens: readonly Token[]): readonly Token[] | null {
  if (!YES.test(tokens[0]?.lower ?? '')) return null;
  return tokens.slice(tokens[1]?.text === ',' ? 2 : 1);
}

/** The fragment as the rest of a statement; null if it names nothing: "Perfect", "Later". */
export function answerOf(
  tokens: readonly Token[],
  original: string,
  { word, before }: OpenStatement,
): string | null {
  let at = 0;
  while (at < tokens.length && (LEADS.test(tokens[at]!.lower) || YES.test(tokens[at]!.lower))) at += 1;
  // "Lives in Bern" repeats the verb of "Where does your sister live?".
  if (tokens[at]?.lower === before.trim().split(' ').at(-1)) at += 1;
  const rest = tokens.slice(at);
  while (TAILS.test(rest.at(-1)?.lower ?? '')) rest.pop();
  if (word === 'who' && rest.length === 1 && /^(?:me|i)$/.test(rest[0]!.lower)) return 'I';
  if (!rest.some(({ pos }) => ['NOUN', 'PROPN', 'NUM'].includes(pos))) return null;
  const first = rest[0]!;
  const isName = at === 0 && /^\p{Lu}/u.test(original) && ['NOUN', 'PROPN', 'VERB'].includes(first.pos);
  const asksName = word === 'who' || word === 'where' || /(?: name is|called)\s*$/.test(before);
  const text = joinTokens(rest);
  const said = isName && asksName ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return `${prepositionFor(word, said, { before, first })}${said}`;
}

/** "Where do you live?" – "Lisbon": "in". */
function prepositionFor(
  word: string,
  said: string,
  { before, first }: { before: string; first: Token },
): string {
  if (word === 'when' || word === 'what time')
    return MONTH_FIRST.test(said) ? 'in ' : DAY_FIRST.test(said) ? 'on ' : '';
  if (word !== 'where' || !['NOUN', 'PROPN', 'DET', 'NUM', 'ADJ'].includes(first.pos)) return '';
  const verb = before.trim().split(' ').at(-1) ?? '';
  if (/^(?:from|to|in|at)$/.test(verb)) return '';
  return `${Object.entries(PREPOSITIONS).find(([each]) => verb.startsWith(each) || PASTS[each] === verb)?.[1] ?? 'in'} `;
}

/** "Who has the key?" – "Me": "I have the key". */
export function withOwnVerb(after: string): string {
  return after.replace(
    /^(?:has|is|was|does)\b/,
    (verb) => ({ has: 'have', is: 'am', was: 'was', does: 'do' })[verb] ?? verb,
  );
}

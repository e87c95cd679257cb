import { wordSet } from '../../../util/collections.ts';
import type { Clause } from './read-clause.ts';
import { isBase, isGerund, isVerb, type Token } from './tagger.ts';
import { OF_THE_USER, THE_USER } from './the-user.ts';
import words from './words.json' with { type: 'json' };
import { BE_FORMS, FEMALE, KIN, MALE } from './words.ts';
import {
  type Clausal,
  isAttribute,
  isDemonstrative,
  isMeaningful,
  isOwn,
  isPointer,
  TIME,
  type View,
  viewOf,
} from './worth.ts';

/**
 * What a reader who sees nothing but the statement would ask for: a verb ("A greyhound called Fuse"), whom or what a
 * pronoun means, a complement ("Ines decided", "moved in on Monday"), or which thing it is ("Nora found the key").
 */
export type Lack = 'verb' | 'antecedent' | 'complement' | 'identity';

const LACKS: readonly (readonly [lack: Lack, holds: (view: View) => boolean])[] = [
  ['verb', (view) => isFragment(view)],
  ['antecedent', (view) => hasOpenPronoun(view)],
  ['complement', (view) => lacksComplement(view)],
  ['identity', (view) => hasUnknownThing(view)],
];

/** A longer clause is cut when it is written, and is not read here: the time would grow with its square. */
const MOST_TOKENS = 150;

/** The first thing that a statement lacks; null if it reads alone. */
export function lackOf(stated: Clausal): Lack | null {
  if (stated.clause.end - stated.clause.start > MOST_TOKENS) return null;
  const view = viewOf({ ...stated, isDated: false, isOwn: true });
  return LACKS.find(([, holds]) => holds(view))?.[0] ?? null;
}

const JOINS = /^(?:and|but|or|so|because|since|when|while|as|,|;|-|--)$/;
const CUTS = /^(?:and|but|or|so|because|since|where|which|who|while|,|-|--|;)$/;

/**
 * The clause up to a joined part that points at what is not in it, or that talks to the listener: "I deployed the shop
 * on Monday [and got this]", "He teaches geography[, he cannot help it]". The clause itself if what is left without
 * that part does not read alone.
 */
export function withoutOpenEnd(stated: Clausal): Clause {
  const { tokens, clause, parts } = stated;
  if (clause.end - clause.start > MOST_TOKENS) return clause;
  const view = viewOf({ ...stated, isDated: false, isOwn: true });
  const open = Math.min(openAt(view) ?? clause.end, asideAt(view) ?? clause.end);
  if (open === clause.end) return clause;
  for (let at = open; at > parts.verbEnd; at -= 1) {
    // "Wrote a script [for that]".
    const isEnd = at === open && at === lastWord(tokens, clause) && tokens[at - 1]!.pos === 'ADP';
    if (tokens.slice(at, clause.end).some(isTelling)) return clause;
    if (!isEnd && !isCut(tokens, at)) continue;
    let end = isEnd ? at - 1 : at;
    while (end > parts.verbEnd && isLeftOver(tokens[end - 1]!)) end -= 1;
    const head = { start: clause.start, end };
    const isSaying =
      tokens.slice(parts.verbEnd, end).some(({ pos }) => /^(?:NOUN|PROPN|ADJ|NUM)$/.test(pos)) ||
      TURNS.has(tokens[end - 1]!.lemma) ||
      isGerund(tokens[end - 1]!);
    if (isSaying && lackOf({ ...stated, clause: head }) === null) return head;
  }
  return clause;
}

/** A number, a name or a day is not cut off. */
function isTelling({ pos, text, lower }: Token): boolean {
  return (
    pos === 'NUM' ||
    (/^\p{Lu}\p{Ll}|\d/u.test(text) && lower !== 'i') ||
    /^(?:yesterday|tomorrow|ago|\w{3,6}day)$/.test(lower)
  );
}

function lastWord(tokens: readonly Token[], { start, end }: Clause): number {
  let at = end - 1;
  while (at > start && tokens[at]!.pos === 'PUNCT') at -= 1;
  return at;
}

/** What joined the part that is cut off. */
function isLeftOver({ pos, text, lower }: Token): boolean {
  return (
    (pos === 'PUNCT' && !/^["')]$/.test(text)) ||
    /^(?:CCONJ|SCONJ|ADP|PART)$/.test(pos) ||
    /^(?:how|overall|ever|which|who|where|so|then)$/.test(lower)
  );
}

/** "Takes three months off [to look after her]" may end there, too. */
function isCut(tokens: readonly Token[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1]!, tokens[at]!, tokens[at + 1]];
  const isPurpose = token.lower === 'to' && next !== undefined && isBase(next);
  const isAdded = token.pos === 'ADP' && token.lower !== 'of' && /^(?:NOUN|PROPN)$/.test(before.pos);
  return CUTS.test(token.lower) || isAdded || (isPurpose && /^(?:NOUN|PROPN|ADV|ADP)$/.test(before.pos));
}

/** Position of the first word after the verb that points at what the clause does not name. */
function openAt(view: View): number | null {
  const { tokens, clause, parts, after } = view;
  if (isAttribute(view)) return null;
  for (let at = parts.verbEnd; at < clause.end; at += 1) {
    const inside = after.indexOf(tokens[at]!);
    if (inside < 0) continue;
    if (isOpenAt(view, inside, false) || isNounless(after, inside) || isUnknownAt(view, at)) return at;
  }
  return null;
}

/** Where words to the listener begin: ", so please keep quiet", ", ask Olu", ", he cannot help it". */
function asideAt({ tokens, clause, parts }: View): number | null {
  for (let at = parts.verbEnd; at < clause.end - 1; at += 1) {
    const [token, next, second] = [tokens[at]!, tokens[at + 1]!, tokens[at + 2]];
    if (!/^(?:,|-|--|;|since|because)$/.test(token.text)) continue;
    const isLed = /^(?:so|and)$/.test(next.lower) && second !== undefined;
    const [lead, verb] = isLed ? [second, tokens[at + 3]] : [next, second];
    if (/^(?:please|ask|note|remember|mind|stop|look|check|use|let|tell)$/.test(lead.lower)) return at;
    if (/^(?:since|because)$/.test(token.text) && lead.lower === 'you') return at;
    const isReply = /^(?:he|she|it|they|that)$/.test(lead.lower) && isVerb(verb);
    if (isReply && !tokens.slice(at + 1, clause.end).some(isMeaningful)) return at;
  }
  return null;
}

/** Past participles that are no past tense: "Wrist broken" has no verb. */
const ONLY_PARTICIPLE =
  /^(?:broken|stolen|taken|given|gone|done|seen|written|driven|known|chosen|eaten|fallen|forgotten|hidden|born|torn|worn|shown|grown|thrown|frozen)$/;
const NAMING = /^(?:called|named|titled|entitled)$/;
const THINGS = /^(?:something|anything|everything|stuff|things?)$/;
const DEPENDENT =
  /^(?:if|when|whenever|because|although|until|unless|whether|that|which|who|where|what|how|why)$/;

/** "Wrist broken", "A greyhound called Fuse", "House meeting in the chat, because Tom hides". */
function isFragment({ tokens, clause, parts, before, verbs, subject }: View): boolean {
  const first = verbs[0]!;
  const isSaying = first.lower === 'crossed' && subject?.lower === 'fingers';
  const isPassive = subject !== null && ONLY_PARTICIPLE.test(first.lower);
  // "Not me, I am busy", and the heading of a document.
  if (before[0]?.lower === 'not' || tokens.slice(clause.start, clause.end).some(({ text }) => text === '›'))
    return true;
  if (isPassive || isSaying || isNounForVerb(before, first)) return true;
  const opening = openingOf(before);
  const lead = before[opening]?.lower ?? '';
  const isNaming = NAMING.test(first.lower) && /^(?:an?|the|two|three)$/.test(lead);
  const joined = before.findIndex(({ lower }, at) => at > opening && DEPENDENT.test(lower));
  const isInside = joined > 0 && subject !== null && !DEPENDENT.test(lead);
  if (!isNaming && (!isInside || before.slice(0, joined).some(isInflected))) return false;
  return !hasMainVerb(tokens.slice(parts.verbEnd, clause.end));
}

/** Whether a verb comes that no "who" or "because" before it takes. */
function hasMainVerb(rest: readonly Token[]): boolean {
  let isTaken = false;
  for (const [at, token] of rest.entries()) {
    if (DEPENDENT.test(token.lower)) isTaken = true;
    if (!isInflected(token) || /^(?:to|and|or)$/.test(rest[at - 1]?.lower ?? '')) continue;
    if (!isTaken) return true;
    isTaken = false;
  }
  return false;
}

function openingOf(before: readonly Token[]): number {
  return before.findIndex(({ pos, lower }) => pos !== 'ADV' && lower !== ',');
}

/** "A railway map of Saxony", "vanilla extract and sugar": after one thing its verb would have an ending. */
function isNounForVerb(before: readonly Token[], { pos, lower, lemma }: Token): boolean {
  const first = before[openingOf(before)];
  const isOne =
    first !== undefined &&
    (/^an?$/.test(first.lower) ||
      (first.pos === 'NOUN' && first === before.at(-1) && first.lower === first.lemma));
  return isOne && pos === 'VERB' && lower === lemma && !/(?:ed|t)$/.test(lower);
}

function isInflected(token: Token): boolean {
  return isVerb(token) && !isGerund(token);
}

const NEVER_BOUND = /^(?:this|these|those)$/;
/** They stand for a noun that is not there: "has thirty left", "will send one to both". */
const NOUNLESS = /^(?:ones?|both|some|none|neither|either|others?|another|such)$/;
const ANIMALS = wordSet(words.animals);
const PERSONS = /^(?:somebody|someone|who|anyone|anybody|everyone|everybody|nobody|child|kid|baby|people)$/;

function hasOpenPronoun(view: View): boolean {
  if (isAttribute(view)) return false;
  const isOpenBefore = view.before.some(
    (word, at) => isPointer(view.before, at) && !(word.lower === 'it' && at > 2),
  );
  if (view.subject !== null && isOpenBefore) return true;
  return view.after.some((_, at) => isOpenAt(view, at, true) || isNounless(view.after, at));
}

function isNounless(after: readonly Token[], at: number): boolean {
  const next = after[at + 1];
  const { lower } = after[at]!;
  if (!NOUNLESS.test(lower) || (lower === 'both' && next !== undefined)) return false;
  // "Each other", "one another".
  if (/^(?:each|one)$/.test(after[at - 1]?.lower ?? '')) return false;
  if (after.slice(0, at).some(({ pos }) => pos === 'NOUN')) return false;
  return next === undefined || (/^(?:ADP|PRON|SCONJ|CCONJ)$/.test(next.pos) && next.lower !== 'of');
}

/**
 * A pronoun, or a word that points, without a noun before it that it may mean.
 *
 * @param mayJoin Whether "it" after a join may mean a noun before: in "I saw a film and it was great" what follows is
 * better cut off, but no lack.
 */
function isOpenAt(view: View, at: number, mayJoin: boolean): boolean {
  const { after } = view;
  const { lower } = after[at]!;
  if (!isPointer(after, at)) return false;
  if (NEVER_BOUND.test(lower)) return true;
  const before = after[at - 1];
  const next = after[at + 1];
  if (lower === 'that' && next !== undefined && (isGerund(next) || /^(?:DET|PRON)$/.test(next.pos)))
    return false;
  if (/^(?:that|there)$/.test(lower)) return before?.pos !== 'NOUN';
  // "Feels it is important to help".
  if (lower === 'it' && BE_FORMS.has(next?.lower ?? '')) {
    const isEmpty = after
      .slice(at + 2, at + 6)
      .some(
        ({ pos }, index, all) =>
          pos === 'ADJ' && /^(?:to|that|how|when|if)$/.test(all[index + 1]?.lower ?? ''),
      );
    if (isEmpty) return false;
  }
  // Whom "Luka will call him" means is open, what "Luka sold his car" means is not.
  const isObject =
    /^(?:him|them)$/.test(lower) ||
    (lower === 'her' && !/^(?:NOUN|ADJ|NUM|PROPN)$/.test(after[at + 1]?.pos ?? ''));
  const earlier = after.slice(0, at);
  // Of the person who speaks nobody says "she".
  if (/^(?:he|she|him|her|his)$/.test(lower)) {
    const isOfSubject = view.isPerson && !isOwn(view.subject) && !(isObject && !earlier.some(isVerb));
    return !isOfSubject && !earlier.some(isSomebody);
  }
  // "Does research for it": no noun of the same clause.
  const isJoined = view.tokens
    .slice(view.parts.verbEnd, view.tokens.indexOf(after[at]!))
    .some((word) => JOINS.test(word.lower));
  if (
    lower === 'it' &&
    !(isJoined && mayJoin) &&
    !earlier.some((word) => isVerb(word) || word.lower === 'with')
  )
    return !(isJoined && view.subject?.pos === 'NOUN');
  if (isObject) return !earlier.some((word) => ['NOUN', 'PROPN'].includes(word.pos));
  if (/^(?:their|they|its)$/.test(lower) && !isOwn(view.subject)) return false;
  // "The oven comes late, so it is Friday", but not "The contract excludes it".
  if (isJoined && view.subject?.pos === 'NOUN') return false;
  return !earlier.some((word) => word.pos === 'NOUN' || word.pos === 'PROPN');
}

function isSomebody({ pos, lower, lemma, text }: Token): boolean {
  return (
    pos === 'PROPN' ||
    (/^\p{Lu}\p{Ll}/u.test(text) && pos === 'NOUN') ||
    [KIN, MALE, FEMALE, ANIMALS].some((set) => set.has(lemma) || set.has(lower)) ||
    PERSONS.test(lower) ||
    PERSONS.test(lemma)
  );
}

/** What they say is whole without a complement: "Devin climbs", "Daimyo died in March". */
const ALONE = wordSet(words.aloneVerbs);
const TURNS = wordSet(words.turningPoints);
const NUMBERED = /^(?:be|turn|cost|weigh|earn|measure|pay|charge|last|take|become)$/;
const COMPARED =
  /^(?:older|younger|taller|bigger|smaller|longer|shorter|faster|slower|cheaper|higher|lower|worse|heavier|lighter|earlier|warmer|colder)$/;
const DAY =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|christmas|easter|first|second|third|\d+(?:st|nd|rd|th)|once|twice|noon|midnight|lunch|dinner|breakfast|times?|hours?|minutes?|of|ago|that|those|most|all|long|while|every|each|since|until|till|by|before|after|during|for|at|on|in|to)$/;

/** "Decided", "will ask tonight", "moved in on Monday": whom, what or where is not said. */
function lacksComplement(view: View): boolean {
  const { verbs, after, parts } = view;
  const main = verbs.findLast(({ pos }) => pos === 'VERB') ?? verbs.at(-1)!;
  const rest = after.filter((token) => !isCircumstance(token));
  if (/(?:^| )be$/.test(parts.relation)) {
    const grade = rest.find(({ pos }) => pos === 'ADJ');
    return (
      grade !== undefined &&
      COMPARED.test(grade.lower) &&
      !after.some(({ lower }) => /^(?:than|an?|the)$/.test(lower))
    );
  }
  // "Is working on something exciting".
  const isVague = rest.some(({ lower }) => THINGS.test(lower));
  if (isVague && !rest.some(({ pos, lower }) => /^(?:NOUN|PROPN|VERB)$/.test(pos) && !THINGS.test(lower)))
    return true;
  if (after[0]?.pos === 'NUM' && rest.every(({ pos }) => pos === 'NUM')) return !NUMBERED.test(main.lemma);
  if (rest.length > 0 || ALONE.has(main.lemma)) return false;
  // "Is captain", "is stolen", "dislikes being tied down", "is moving out".
  const isState = verbs.some(({ lower }) => BE_FORMS.has(lower)) && !isGerund(main);
  const isOut = main.lemma === 'move' && after[0]?.lower === 'out';
  // "The flight nurse course starts in May".
  const isThing = !view.isPerson || /^\p{Ll}.* /u.test(view.subject?.text ?? '');
  const isEvent = after.length > 0 && isThing && !isOwn(view.subject);
  return !(isState || isOut || isEvent);
}

/** When, how often, in what manner; and the particle of a verb. */
function isCircumstance(token: Token): boolean {
  const { pos, lower } = token;
  return pos === 'ADV' || pos === 'ADP' || pos === 'DET' || TIME.test(lower) || DAY.test(lower);
}

const UNIQUE = wordSet(words.uniqueThings);
const OWNED = wordSet(words.owned);

/** "The key", and nothing in the statement says which. */
function hasUnknownThing(view: View): boolean {
  for (let at = view.clause.start; at < view.clause.end; at += 1) if (isUnknownAt(view, at)) return true;
  return false;
}

const BINDS =
  /^(?:of|at|in|from|for|with|near|on|by|between|behind|about|toward|towards|into|against|called|named)$/;
const RELATES = /^(?:that|who|which|where|i|we|my|he|she|they|to)$/;
const LEFT_OUT = /^(?:same|other|others|two|three|one|ones)$/;
const COUNTED = /^(?:two|three|four|other|others|rest|same|big|small|whole|one|ones)$/;

/** Whether a noun phrase opens here that does not say which thing it is, though its writer knows. */
function isUnknownAt(view: View, at: number): boolean {
  const { tokens, clause, parts, verbs } = view;
  const { lower, text } = tokens[at]!;
  // What a pronoun was replaced by is one token.
  if (lower.startsWith('the ') && lower !== THE_USER && lower !== OF_THE_USER)
    return text === lower && !isCommonGround(view, { at, noun: lower.split(' ').at(-1)! });
  const isThis = isDemonstrative(tokens, at) && (tokens[at]!.pos !== 'SCONJ' || isPhraseAlone(tokens, at));
  if (lower !== 'the' && !isThis) return false;
  const isSubject = at < parts.verb;
  let head = at + 1;
  while (head < clause.end && isPhrasePart(tokens, head, isSubject && head < parts.verb)) head += 1;
  while (head > at + 2 && TIME.test(tokens[head - 1]!.lower) && tokens[head - 2]!.pos === 'NOUN') head -= 1;
  const phrase = tokens.slice(at + 1, head);
  const last = phrase.at(-1);
  if (phrase.some((word) => /^\p{Lu}|\d| /u.test(word.text)) || NAMING.test(verbs.at(-1)!.lower))
    return false;
  if (last === undefined) return false;
  // "Found the key": a noun that is tagged as an adjective.
  const isNoun =
    last.pos === 'ADJ' && head === clause.end && !/st$/.test(last.lower) && !UNIQUE.has(last.lower);
  if (!isNoun && (last.pos === 'ADJ' || last.pos === 'NUM'))
    return (isSubject ? COUNTED : LEFT_OUT).test(last.lower) || (isSubject && tokens[head]?.lower === 'and');
  if (TIME.test(last.lower) || last.lower === 'times') return false;
  // "This necklace is from my grandma in Sweden".
  if (isThis && isSubject && view.names > 0) return false;
  if (phrase.filter(({ pos }) => pos !== 'ADJ' && pos !== 'NUM').length > 1) return isThis;
  const rest = head === parts.verb ? [] : tokens.slice(head, clause.end);
  return isThis
    ? !isRelated(rest)
    : !(isRelated(rest) || isBound(rest) || isCommonGround(view, { at, noun: last.lower }));
}

/** "The key I lost", "the solicitor (Miss Adeyemi)", "the baby, a girl", "the chance to go"; not "the maps that drowned". */
function isRelated([next, second, ...rest]: readonly Token[]): boolean {
  if (next === undefined || second === undefined) return false;
  if (/^[(,]$/.test(next.text)) return /^\p{Lu}/u.test(second.text) || /^an?$/.test(second.lower);
  if (next.lower === 'to')
    return isBase(second) || (second.pos === 'ADV' && rest[0] !== undefined && isBase(rest[0]));
  const says = ({ pos, lower }: Token): boolean =>
    /^(?:NOUN|PROPN|NUM)$/.test(pos) || /^(?:i|we|my|me|us|our)$/.test(lower);
  return RELATES.test(next.lower) && [next, second, ...rest].some(says);
}

/** "The bridge in Silkeborg", not "the papers on Thursday". */
function isBound([next, second]: readonly Token[]): boolean {
  if (next === undefined || second === undefined || !BINDS.test(next.lower)) return false;
  return !isCircumstance(second) || second.pos === 'DET';
}

/** "Drinks that smoky lapsang", but not "says that dogs bark". */
function isPhraseAlone(tokens: readonly Token[], at: number): boolean {
  let end = at + 1;
  while (/^(?:ADJ|NOUN|PROPN|NUM)$/.test(tokens[end]?.pos ?? '')) end += 1;
  return (
    tokens[at]!.lower !== 'that' ||
    (tokens[at - 1]?.pos === 'VERB' &&
      !isVerb(tokens[end]) &&
      !/^(?:ADV|CCONJ)$/.test(tokens[end]?.pos ?? ''))
  );
}

/** "Burns ward" has a verb only to the tagger. */
function isPhrasePart(tokens: readonly Token[], at: number, isSubject: boolean): boolean {
  const token = tokens[at]!;
  if (/^(?:ADJ|NUM|NOUN|PROPN)$/.test(token.pos)) return true;
  return token.pos === 'VERB' && (isSubject || (isBase(token) && tokens[at - 1]!.pos === 'NOUN'));
}

const PLACED = /^(?:in|on|under|behind|beside|inside|at|above|near|by)$/;

/** There is only one in a life, or it is around everybody and the clause is about where something is or happens. */
function isCommonGround(
  { tokens, parts, subject, lexicon }: View,
  { at, noun }: { at: number; noun: string },
): boolean {
  if (UNIQUE.has(noun) || UNIQUE.has(noun.replace(/s$/, ''))) return true;
  // "I sold the car": one's own.
  if (isOwn(subject) && at >= parts.verbEnd && OWNED.has(noun)) return true;
  if (
    tokens[at - 1]?.pos !== 'ADP' &&
    !/^(?:leave|reach|cross|enter|climb)$/.test(tokens[at - 1]?.lemma ?? '')
  )
    return false;
  return (
    lexicon.isSurrounding(noun) ||
    (at === parts.verbEnd + 1 && /(?:^| )be$/.test(parts.relation) && PLACED.test(tokens[at - 1]!.lower))
  );
}

import { MONTH as FULL_MONTH, SHORT_MONTH } from '../../../time/expressions.ts';
import { wordSet } from '../../../util/collections.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import { isBase, isGerund, isPast, isVerb, joinTokens, type Token } from './tagger.ts';
import words from './words.json' with { type: 'json' };
import { KIN } from './words.ts';

const KEEPS_I = wordSet(words.omitsI);
const PLANS = /^(?:plans?|idea|goal|goals|decision|resolution|wish|dream|hope|aim)$/i;
/** What one has one of: "Landlord: Mr. Moss", "Rent: 905". */
const OWN = wordSet(words.ownAttributes);
const HOLDERS = wordSet(words.holders);
const DATED = new RegExp(
  `\\b(?:(?:\\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:${FULL_MONTH}|${SHORT_MONTH})|\\d{1,2}[.:]\\d{2}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|\\d{3,})\\b|[€£$]`,
  'iu',
);
const MOST_COMMAS = 3;

interface NoteContext {
  readonly lexicon: NounLexicon;
  /** Whether one person writes, alone or to an assistant. */
  readonly isAlone: boolean;
}

/**
 * A note or a message without its subject or its verb as a sentence: "Rent up by 40 from March" as "my rent is up by 40
 * from March", "Back from Porto" as "I am back from Porto", "Need a suit" as "I need a suit", "Landlord: Mr. Moss" as "my
 * landlord is Mr. Moss". Null for a whole sentence, and for a fragment that tells little.
 */
export function wholeNote(tokens: readonly Token[], { lexicon, isAlone }: NoteContext): string | null {
  return (
    labelled(tokens) ??
    withoutPause(tokens) ??
    planned(tokens, lexicon) ??
    withI(tokens) ??
    appositive(tokens) ??
    withIs(tokens) ??
    withMy(tokens, { lexicon, isAlone })
  );
}

/** "Car: sold to a student", "Knee: MRI on 14 January", "From September: training in Utrecht". */
function labelled(tokens: readonly Token[]): string | null {
  const colon = tokens.findIndex(({ text }) => text === ':');
  if (colon < 1 || colon > 5 || colon > tokens.length - 2) return null;
  const [label, value] = [tokens.slice(0, colon), tokens.slice(colon + 1)];
  if (label.some(isVerb) || tokens[colon]!.space) return null;
  const [head, first] = [label.findLast(({ pos }) => pos === 'NOUN' || pos === 'PROPN'), value[0]!];
  const [name, said] = [joinTokens(label), joinTokens(value)];
  if (head === undefined) return null;
  const isPlain = !value.some((token) => isVerb(token) && !isGerund(token) && !isParticiple(token));
  if (PLANS.test(label[0]!.lower) || PLANS.test(head.lower)) return isPlain ? `my ${name} is ${said}` : null;
  if (label[0]!.pos === 'ADP') return isPlain && DATED.test(said + name) ? `${name} I have ${said}` : null;
  if (!['NOUN', 'ADJ', 'PROPN'].includes(label[0]!.pos)) return null;
  if (isParticiple(first)) return `${owned(label)} was ${said}`;
  if (!isPlain) return null;
  const isNamed =
    (/^\p{Lu}/u.test(first.text) && value.length > 1) || first.pos === 'NUM' || /^[\d€£$#+]/.test(first.text);
  if ((OWN.has(head.lower) || KIN.has(head.lower) || HOLDERS.has(head.lower)) && isNamed)
    return `${owned(label)} is ${said}`;
  if (!DATED.test(said) || value.filter(({ text }) => text === ',').length > MOST_COMMAS) return null;
  return `for ${label[0]!.pos === 'PROPN' ? name : `the ${name}`} I have ${said}`;
}

function isParticiple(token: Token): boolean {
  return token.pos === 'VERB' && isPast(token) && !isBase(token);
}

/** "My" before what has no owner and no article. */
function owned(phrase: readonly Token[]): string {
  const text = joinTokens(phrase);
  const [first] = phrase;
  return first!.pos === 'DET' || first!.pos === 'PRON' || (first!.pos === 'PROPN' && !KIN.has(first!.lower))
    ? text
    : `my ${text}`;
}

/** "Flight nurse course, starts in May": no comma stands between a subject and its verb. */
function withoutPause(tokens: readonly Token[]): string | null {
  const comma = tokens.findIndex(({ text }) => text === ',');
  const verb = tokens[comma + 1];
  if (comma < 1 || verb === undefined || !isVerb(verb) || !verb.lower.endsWith('s') || verb.lower === 'was')
    return null;
  if (!tokens.slice(0, comma).every(isOfPhrase) || tokens[comma - 1]!.pos !== 'NOUN') return null;
  return `${tokens[0]!.pos === 'NOUN' || tokens[0]!.pos === 'ADJ' ? 'the ' : ''}${joinTokens(tokens.slice(0, comma))} ${joinTokens(tokens.slice(comma + 1))}`;
}

function isOfPhrase({ pos, lower }: Token): boolean {
  return (
    ['DET', 'ADJ', 'NOUN', 'PROPN', 'NUM'].includes(pos) ||
    lower === "'s" ||
    /^(?:my|our|his|her|their)$/.test(lower)
  );
}

const MONTH = `(?:${FULL_MONTH}|${SHORT_MONTH})(?!\\p{L})`;
const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
/** "Osteopath on Thursday", "Completion on 18 July", "Wedding in Lyon, next June". */
const PLANNED = new RegExp(
  `^(?:the |my |our )?(?:\\p{L}[\\p{L}-]* ){0,3}?\\p{L}[\\p{L}-]*,? (?:(?:at|in|with) [^,]{1,40},? )?(?:(?:on|from|until) )?(?:the )?(?:(?:this|next) )?(?:${WEEKDAY}|tomorrow|tonight|${MONTH}|\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|\\d{1,2}(?:st|nd|rd|th))(?![\\p{L}-])`,
  'iu',
);

/** An event with its day: the writer's appointment with a dentist, or something that takes place. */
function planned(tokens: readonly Token[], lexicon: NounLexicon): string | null {
  const text = joinTokens(tokens);
  if (
    !PLANNED.test(text) ||
    tokens.some((token) => isVerb(token) && !isGerund(token) && !isParticiple(token))
  )
    return null;
  let end = 0;
  while (end < tokens.length && isOfPhrase(tokens[end]!) && !DAY_WORD.test(tokens[end]!.lower)) end += 1;
  const [phrase, rest] = [tokens.slice(0, end), tokens.slice(tokens[end]?.text === ',' ? end + 1 : end)];
  const head = phrase.at(-1);
  if (
    head === undefined ||
    rest.length === 0 ||
    head.pos !== 'NOUN' ||
    /(?:day|week|month|year|morning|evening|night|time)s?$/.test(head.lower)
  )
    return null;
  const said = joinTokens(rest);
  // "Moth died on Friday" tells what happened.
  if (!['ADP', 'NUM', 'DET', 'ADJ', 'PROPN', 'NOUN', 'ADV'].includes(rest[0]!.pos)) return null;
  if (HOLDERS.has(head.lower) || PRACTICES.test(head.lower)) return `${owned(phrase)} appointment is ${said}`;
  // "Head nurse from 1 July" tells what somebody becomes.
  if (lexicon.isOccupation(head.lower)) return null;
  const isPlain = phrase[0]!.pos === 'NOUN' || phrase[0]!.pos === 'ADJ';
  return `${isPlain ? 'the ' : ''}${joinTokens(phrase)} ${head.lower === head.lemma ? 'is' : 'are'} ${said}`;
}

const PRACTICES = /(?:path|ist|surgeon|optician|hairdresser|barber|physio|vet|gp)$/;
const DAY_WORD = new RegExp(`^(?:${WEEKDAY}s?|tomorrow|tonight|today|next|this|last|${MONTH})$`, 'iu');

const I_AM =
  /^(?:back (?:from|in|at|to|on)|home from|off to|away (?:from|until|till|in|for|on|next)|out of|down with|allergic to|engaged to|married to|pregnant|ill with|sick with|done with|short of|off (?:sick|work)|fit (?:again|for)|up for|on (?:holiday|leave|call|nights|antibiotics|crutches|the waiting list)) ?/;
/** "Start as team leader on the 14th": also an instruction, if it has no day. */
const I_GO =
  /^(?:start|leave|fly|move|go|get|finish|arrive|return|travel|drive) (?:as|on|in|to|at|from|back|out|home|into|down|up) /;
/** "Can't wait", "Can't believe it", "Love it", "Miss you", "Won't lie". */
const NO_NEWS =
  /^(?:.{2,12} )?(?:wait|believe|complain|agree|lie|imagine|help|it|that|this|you|ya|some|more|worry|blame|argue|say|tell|hear|anything|advice|a (?:hand|hug|drink|break|nap|coffee|laugh|recipe|reminder|favou?r))\b/;

/** "Need a suit", "Can't eat shellfish", "Back from Porto": the writer. */
function withI(tokens: readonly Token[]): string | null {
  const [first, next] = tokens;
  if (first === undefined || next === undefined) return null;
  const text = joinTokens(tokens);
  const lower = text.toLowerCase();
  if (I_AM.test(lower) && !tokens.slice(0, 3).some(isVerb)) return `I am ${lower.charAt(0)}${text.slice(1)}`;
  if (I_GO.test(lower) && DATED.test(lower)) return `I ${lower.charAt(0)}${text.slice(1)}`;
  if (!KEEPS_I.has(first.lower)) return null;
  const isModal = /^(?:can|could|will|would|must|should|do|did|have)$/.test(first.lower);
  if (
    isModal &&
    !(next.lower === 'not' || (first.lower === 'have' && next.lower === 'to') || first.lower === 'must')
  )
    return null;
  const rest = lower.slice(lower.indexOf(' ') + 1).replace(/^not /, '');
  // "Don't worry" tells somebody else to do something.
  if (
    first.lower === 'do' &&
    !/^(?:like|eat|drink|have|know|live|own|want|need|drive|work|smoke|see|speak|get|do|trust|feel)\b/.test(
      rest,
    )
  )
    return null;
  return NO_NEWS.test(rest) ? null : `I ${lower.charAt(0)}${text.slice(1)}`;
}

/** "New neighbour, Mrs. Abara, from Lagos", "Our two girls, Asta and Ida". */
function appositive(tokens: readonly Token[]): string | null {
  const comma = tokens.findIndex(({ text }) => text === ',');
  const [head, next] = [tokens[comma - 1], tokens[comma + 1]];
  if (head === undefined || next === undefined || comma < 1 || !/^\p{Lu}\p{Ll}/u.test(next.text)) return null;
  // "Our girls, Asta and Ida, started school" is a whole sentence.
  if (tokens.some((token) => isVerb(token) && !/^(?:born|called|named|based)$/.test(token.lower)))
    return null;
  const phrase = tokens.slice(0, comma);
  const isKin =
    KIN.has(head.lemma) ||
    HOLDERS.has(head.lemma) ||
    /^(?:ones|kids|child|children|girls?|boys?|twins|cats?|dogs?|baby)$/.test(head.lower);
  if (!isKin || !phrase.every(isOfPhrase) || /^an?$/.test(phrase[0]!.lower)) return null;
  const isPlural = /(?:s|children)$/.test(head.lower);
  return `${owned(phrase)} ${isPlural ? 'are' : 'is'} ${joinTokens(tokens.slice(comma + 1))}`;
}

const STATES = wordSet(words.states);
/** Of a thing; a person may do it as well: "Ann booked". */
const DONE_TO = wordSet(words.doneTo);

/** "Iron low, tablets until May", "Wrist broken", "Physio done". */
function withIs(tokens: readonly Token[]): string | null {
  let at = 0;
  while (at < 4 && at < tokens.length && isOfPhrase(tokens[at]!) && !isState(tokens[at]!)) at += 1;
  const state = tokens[at];
  if (at < 1 || state === undefined || !isState(state)) return null;
  const phrase = tokens.slice(0, at);
  const head = phrase.at(-1)!;
  if (!['NOUN', 'PROPN'].includes(head.pos) || phrase[0]!.pos === 'NUM') return null;
  if (DONE_TO.has(state.lower) && (head.pos === 'PROPN' || KIN.has(head.lemma))) return null;
  if (tokens.slice(at + 1).some((token) => token.pos === 'AUX')) return null;
  const next = tokens[at + 1];
  // "Blood low in iron", but not "dinner out was fun", "broken leg".
  if (next !== undefined && ['NOUN', 'PROPN', 'VERB', 'DET', 'PRON'].includes(next.pos)) return null;
  const isPlural = head.pos === 'NOUN' && head.lower !== head.lemma && head.lower.endsWith('s');
  return `${owned(phrase)} ${isPlural ? 'are' : 'is'} ${joinTokens(tokens.slice(at))}`;
}

function isState({ lower }: Token): boolean {
  return STATES.has(lower) || DONE_TO.has(lower);
}

/** No thing of one's own: "Dinner was late", "Rain is coming". */
const NOBODYS =
  /^(?:rain|snow|sun|weather|dinner|lunch|breakfast|traffic|time|life|work|school|church|love|money|music|food|water|heat|summer|winter|spring|autumn|christmas|easter|everybody|news|war|thing|date|day|night|week|year|people|user)$/;

/** "Key is at the kiosk", "New provider is Zephyr": a thing without an article is the writer's. */
function withMy(tokens: readonly Token[], { lexicon, isAlone }: NoteContext): string | null {
  const verb = tokens.findIndex(isVerb);
  if (
    verb < 1 ||
    verb > LONGEST_OWNED ||
    !/^(?:is|are|was|costs|needs|arrives|expires)$/.test(tokens[verb]!.lower)
  )
    return null;
  const [phrase, next] = [tokens.slice(0, verb), tokens[verb + 1]];
  const head = phrase.at(-1)!;
  if (next === undefined || NOBODYS.test(head.lower)) return null;
  if (!phrase.every(({ pos, text }) => ['NOUN', 'ADJ'].includes(pos) && !/^\p{Lu}/u.test(text))) return null;
  if (head.pos === 'ADJ' && !lexicon.isThing(head.lower)) return null;
  if (!lexicon.isCommon(head.lower) || EVENTS.test(head.lower)) return null;
  const isPlace = /^(?:in|on|at|under|behind|beside|with|inside|next)$/.test(next.lower);
  // "Dance is my passion", "Cooking is just me": what everybody does is no thing of the writer.
  const isSaidOf = ['DET', 'PRON'].includes(next.pos) || /^(?:my|our|just|what|how|like)$/.test(next.lower);
  const isOne = head.lower === head.lemma && tokens[verb]!.lower !== 'are' && !isSaidOf;
  return isPlace || isOne ? `${isAlone ? 'my' : 'the'} ${joinTokens(tokens)}` : null;
}

const LONGEST_OWNED = 3;
/** They may be somebody else's: "Funeral is on the 11th". */
const EVENTS =
  /^(?:funeral|wedding|party|bbq|match|concert|meeting|completion|christening|graduation|election|training|practice|rehearsal|game|show|play|film)$/;

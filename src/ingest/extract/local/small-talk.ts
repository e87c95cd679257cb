import type { Mention } from './find-mentions.ts';
import type { Clause, ClauseParts } from './read-clause.ts';
import { isGerund, type Token } from './tagger.ts';
import { OF_THE_USER, THE_USER } from './the-user.ts';
import { BE_FORMS, GRADING, KIN, MODALS, POINTING, SMALL_TALK, VAGUE_NOUNS, VAGUE_VERBS } from './words.ts';

const OPEN_PRONOUN = /^(?:it|he|she|they|him|her|them|this|that|these|those|his|its|their)$/;
const DAYS: ReadonlySet<string> = new Set(['yesterday', 'today', 'tonight', 'tomorrow', 'last', 'next']);
const CONTENT: ReadonlySet<string> = new Set(['NOUN', 'PROPN', 'VERB', 'ADJ', 'NUM']);

/** Whether the subject refers to an earlier sentence, so that the clause is not complete without it. */
export function isPointing(tokens: readonly Token[], { subject, verb }: ClauseParts): boolean {
  if (subject === null) return false;
  const token = tokens[subject]!;
  const before = tokens[subject - 1];
  if (['their', 'its', 'his', 'her'].includes(before?.lower ?? '')) return true;
  if (!POINTING.has(token.lower)) return false;
  return !['NOUN', 'PROPN'].includes(token.pos) && !(before?.lower === 'of') && verb > subject;
}

const YOU = /^(?:you|your|yours|yourself)$/;
const OWN = /^(?:i|we|me|us|my|our|myself|ourselves)$/;
/** What the present tense of these says is so of one person; "you boil", "you pay" and "you take" are instructions. */
const OF_A_PERSON: ReadonlySet<string> = new Set(
  'be have live work own like love hate enjoy prefer play speak study teach belong come want hope wish believe feel miss plan collect run attend keep'.split(
    ' ',
  ),
);
const IN_GENERAL = /^(?:when|whenever|if|once|unless|every time|each time|any time|the more|wherever)(?: |$)/;
const EMPHASIS: ReadonlySet<string> = new Set(['so', 'such', 'really', 'truly', 'very', 'totally', 'always']);

/**
 * Whether "you" is nobody in particular, or the listener is advised or praised: "You can't control your partner", "You
 * never sleep with a baby", "Reading helps you relax", "You're so talented". What one did or has is a fact: "You sold
 * your car".
 */
export function isGeneralYou(tokens: readonly Token[], { start, end }: Clause, parts: ClauseParts): boolean {
  if (!tokens.slice(start, end).some(({ lower }) => YOU.test(lower))) return false;
  const before = tokens.slice(start, parts.verb);
  if (parts.subject === null || before.some(({ lower }) => OWN.test(lower))) return false;
  if (!before.some(({ lower }) => YOU.test(lower))) return !parts.isPast && !before.some(isNamed);
  const verbs = tokens.slice(parts.verb, parts.verbEnd);
  if (MODALS.has(verbs[0]!.lower)) return true;
  const isHabit = tokens
    .slice(parts.subject, parts.verbEnd)
    .some(({ lower }) => /^(?:never|always)$/.test(lower));
  if (!parts.isPast && (isHabit || /^(?:not )?(?:need\b|(?:have|get) to\b)/.test(parts.relation)))
    return true;
  const said = tokens.slice(parts.verb, Math.min(end, parts.verb + 5));
  const isPraise = said.some(({ lower }) => EMPHASIS.has(lower) || GRADING.has(lower));
  return isPraise && (['be', 'have'].includes(verbs[0]!.lemma) || said.some(({ lower }) => lower === 'job'));
}

/** "When you live in Rome, you eat pizza", "You have to boil the eggs", "You pay ten euros". */
export function isInstruction(tokens: readonly Token[], { start, end }: Clause, parts: ClauseParts): boolean {
  if (parts.subject === null || parts.isPast || tokens[parts.subject]!.lower !== 'you') return false;
  const opening = tokens.slice(start, parts.verb).map(({ lower }) => lower);
  if (IN_GENERAL.test(opening.join(' '))) return true;
  // "You know that poppy seeds make me ill", "You owe me a coffee": of the two who talk.
  if (tokens.slice(parts.verb, end).some(({ lower }) => OF_SPEAKER.test(lower))) return false;
  const verbs = tokens.slice(parts.verb, parts.verbEnd);
  const isDuty = /^(?:have|need|get)$/.test(verbs[0]!.lower) && tokens[parts.verb + 1]?.lower === 'to';
  return isDuty || (verbs.every(({ pos }) => pos !== 'AUX') && !OF_A_PERSON.has(verbs[0]!.lemma));
}

const OF_SPEAKER = /^(?:i|me|my|mine|we|us|our)$/;

function isNamed({ text, lemma }: Token): boolean {
  return /^\p{Lu}/u.test(text) || KIN.has(lemma);
}

const OF_ALL = /^(?:we|us|our|ours|ourselves)$/;
const OF_ONE = /^(?:i|me|my|mine|myself|you|your)$/;
/** What everybody has. */
const OF_MANKIND =
  /^(?:planet|world|earth|society|humanity|species|ancestors|mistakes|boundaries|dreams|lives|hearts|minds|souls|future|brains|emotions|feelings|selves|potential|horizons|experiences)$/;
const AS_MANKIND =
  /^(?:as|like) (?:humans?|people|a society|a species|parents|adults|creatures|a community)\b|^in life\b/;
/** What "we" do in the present tense as mankind. */
const OF_LIFE = /^(?:learn|grow|heal|thrive|deserve|evolve|age|die|inspire)$/;
const MAY_BE_ANYBODY = /^(?:should|can|could|must|may|might)$/;

/**
 * Whether "we" is mankind: "We learn from our mistakes", "Books inspire us", "We should all vote", "Our kids are our
 * future". With a name, a number or a day it is some people.
 */
export function isOfMankind(tokens: readonly Token[], { start, end }: Clause, parts: ClauseParts): boolean {
  const clause = tokens.slice(start, end);
  if (parts.isPast || !clause.some(({ lower }) => OF_ALL.test(lower))) return false;
  const isTold = ({ pos, lower, text }: Token, at: number): boolean =>
    pos === 'NUM' ||
    OF_ONE.test(lower) ||
    DAYS.has(lower) ||
    /^(?:this|these|that|now|currently|lately|soon|again|still|already)$/.test(lower) ||
    (/^\p{Lu}|\d/u.test(text) && at > 0) ||
    pos === 'PROPN';
  if (clause.some(isTold) || parts.subject === null) return false;
  const text = clause.map(({ lower }) => lower).join(' ');
  const subject = tokens[parts.subject]!;
  if (subject.lower === 'we') {
    const isAdvice = MAY_BE_ANYBODY.test(tokens[parts.verb]!.lower) && !/\bthe\b/.test(text);
    const isAll = /\bwe(?: (?:can|should|must|need|want))? all\b/.test(text) && !/\bthe\b/.test(text);
    return (
      isAdvice ||
      isAll ||
      OF_LIFE.test(tokens[parts.verb]!.lemma) ||
      AS_MANKIND.test(text) ||
      /\b(?:when|if|whenever|how|who) we\b/.test(text) ||
      ofMankind(clause)
    );
  }
  if (KIN.has(subject.lemma) || subject.pos === 'PROPN') return false;
  const first = clause[0]!;
  const isBare = first.pos === 'NOUN' || isGerund(first);
  const isMaxim = first.lower === 'our' && /\b(?:is|are) our\b/.test(text);
  return (
    isMaxim ||
    (isBare &&
      /\b(?:us|ourselves|how we|our \p{L}+)\b/u.test(text) &&
      !/\b(?:at|in|with|on|for|to) (?:us|our)\b/.test(text)) ||
    ofMankind(clause)
  );
}

function ofMankind(clause: readonly Token[]): boolean {
  return clause.some(({ lower }, at) => lower === 'our' && OF_MANKIND.test(clause[at + 1]?.lower ?? ''));
}

/** Whether a clause has content worth keeping: no courtesy, no comment without content. */
export function hasContent(
  tokens: readonly Token[],
  clause: Clause,
  { parts, mentions }: { parts: ClauseParts; mentions: readonly Mention[] },
): boolean {
  const subject = parts.subject === null ? null : tokens[parts.subject]!.lower;
  if ((subject === 'i' || subject === 'we') && SMALL_TALK.test(restOf(tokens, parts, clause))) return false;
  if (statesAttribute(tokens, clause, parts)) return true;
  const words = tokens.slice(parts.verb, clause.end).filter(isContent).length + newJobs(tokens, clause);
  if (subject === 'i' || subject === 'we' || subject === THE_USER || subject === null) {
    // "Missed it" has too little content.
    return words >= (hasOpenPronoun(tokens, { start: parts.verb, end: clause.end }) ? 2 : 1);
  }
  if (subject === 'you' || tokens.slice(clause.start, parts.verb).some(({ lower }) => lower === 'your'))
    return words >= 2;
  const whole = tokens.slice(clause.start, clause.end).filter(isContent).length;
  const isNamed = mentions.some(({ start, end }) => start >= clause.start && end <= clause.end);
  return (
    whole >= 2 && (isNamed || tokens.slice(clause.start, clause.end).some(({ lower }) => DAYS.has(lower)))
  );
}

const OWNERS = new Set(['my', 'our', OF_THE_USER]);
/** They give a value even where the word says little elsewhere. */
const VALUE: ReadonlySet<string> = new Set(['NOUN', 'PROPN', 'NUM', 'ADJ', 'SYM', 'X']);
const WORK = /^(?:job|occupation|profession|role|position|title)$/;
/** They grade elsewhere; of what somebody has they say what it is like. */
const SIZES = /^(?:big|small|little|tiny|huge|large|long|short|old|new)$/;

/** "My favourite colour is blue", "My pronouns are they/them": a value, and no praise, of what somebody has. */
export function statesAttribute(
  tokens: readonly Token[],
  { start, end }: Clause,
  parts: ClauseParts,
): boolean {
  let from = start;
  while (from < end && tokens[from]!.pos === 'ADV') from += 1;
  const noun = parts.subject === null ? undefined : tokens[parts.subject];
  if (noun === undefined || tokens[parts.verb]!.lemma !== 'be' || parts.isNegated || parts.isPast)
    return false;
  const isValue = ({ pos, lower }: Token): boolean =>
    VALUE.has(pos) && (SIZES.test(lower) || !(GRADING.has(lower) || POINTING.has(lower)));
  const object = tokens.slice(parts.verbEnd, end).filter(({ pos }) => !['DET', 'PUNCT', 'ADV'].includes(pos));
  const last = object.at(-1);
  if (object.some(({ pos }) => pos === 'SCONJ')) return false;
  // "Red is my favourite colour".
  if (last !== undefined && OWNERS.has(object[0]!.lower))
    return last.pos === 'NOUN' && !NO_ATTRIBUTE.test(last.lower) && isValue(noun);
  const isOwned = OWNERS.has(tokens[from]?.lower ?? '') || tokens[from + 1]?.lower === "'s";
  const isAttribute = tokens[parts.subject! - 1]?.lower.startsWith('favo') || !NO_ATTRIBUTE.test(noun.lower);
  if (!isOwned || !['NOUN', 'ADJ'].includes(noun.pos) || !isAttribute) return false;
  // Tagged as a verb: "my occupation is carpenter".
  if (object.length === 0) return WORK.test(noun.lower) && parts.verbEnd > parts.verb + 1;
  if (object.length === 3 && object[1]!.text === '/') return true;
  const [first, next] = object[0]!.pos === 'ADP' ? [object[1], object[2]] : object;
  return first !== undefined && isValue(first) && (next === undefined || isValue(next) || next.pos !== 'ADJ');
}

/** "My point is clear", "my bad": they are about what is said. */
const NO_ATTRIBUTE =
  /^(?:point|question|guess|thing|idea|problem|bad|apologies|day|night|morning|evening|weekend|week|life|heart|mind|time|hope|advice|suggestion|answer|thoughts?|fault|mood|turn|pleasure)$/;

/** An "it" or "her" without a noun before it in the clause has an unknown referent. */
export function hasOpenPronoun(tokens: readonly Token[], { start, end }: Clause): boolean {
  const clause = tokens.slice(start, end);
  const open = clause.findIndex(({ lower, pos }) => pos === 'PRON' && OPEN_PRONOUN.test(lower));
  return open >= 0 && !clause.slice(0, open).some(({ pos }) => pos === 'NOUN' || pos === 'PROPN');
}

/** Counts "job" after "new": "job" alone has little content ("great job"), a new one is news. */
function newJobs(tokens: readonly Token[], { start, end }: Clause): number {
  return tokens.slice(start, end).filter(({ lower }, at) => {
    return lower === 'job' && /^(?:new|first|second|old|previous)$/.test(tokens[start + at - 1]?.lower ?? '');
  }).length;
}

function restOf(tokens: readonly Token[], parts: ClauseParts, { end }: Clause): string {
  return tokens
    .slice((parts.subject ?? parts.verb - 1) + 1, end)
    .map(({ lower }) => lower)
    .join(' ');
}

function isContent({ pos, lower, lemma }: Token): boolean {
  if (!CONTENT.has(pos) || BE_FORMS.has(lower) || MODALS.has(lower)) return false;
  if (pos === 'VERB') return !VAGUE_VERBS.has(lemma);
  return !VAGUE_NOUNS.has(lower) && !VAGUE_NOUNS.has(lemma) && !GRADING.has(lower);
}

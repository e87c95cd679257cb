import { wordSet } from '../../../util/collections.ts';
import { isBase, isGerund, isPast, isVerb, type Token } from './tagger.ts';
import { THE_USER } from './the-user.ts';
import words from './words.json' with { type: 'json' };
import { BE_FORMS, GRADING, MODALS, NEGATIONS, POINTING } from './words.ts';

/** Part of a sentence, by token positions, half-open. */
export interface Clause {
  readonly start: number;
  readonly end: number;
}

const JOINERS: ReadonlySet<string> = new Set(['and', 'but', 'so', 'plus', 'yet']);
const SUBORDINATORS = wordSet(words.subordinators);
const DASHES: ReadonlySet<string> = new Set(['-', ';', ':']);
const LONGEST_SUBJECT = 6;

/**
 * The clauses that can be read separately. A clause about "it" or "they" stays with the one before it, which has the
 * noun that it refers to.
 */
export function splitClauses(tokens: readonly Token[]): Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  for (let at = 1; at < tokens.length - 1; at += 1) {
    const next = breakAt(tokens, start, at);
    if (next === null) continue;
    clauses.push({ start, end: at });
    start = next;
  }
  clauses.push({ start, end: tokens.length });
  return clauses;
}

/** Start of the next clause if one ends at this token, else null. */
function breakAt(tokens: readonly Token[], start: number, at: number): number | null {
  const token = tokens[at]!;
  const next = tokens[at + 1]!;
  if (tokens[at - 1]!.pos === 'ADJ' && next.pos === 'ADJ') return null;
  if (DASHES.has(token.text) && isDash(tokens, at)) {
    return startsClause(tokens, at + 1) || isBase(next) ? at + 1 : null;
  }
  if (!hasVerb(tokens, start, at)) return null;
  if (JOINERS.has(token.lower) && tokens[at - 1]!.pos === 'NOUN' && next.pos === 'NOUN') return null;
  if (JOINERS.has(token.lower) && joinsSubjects(tokens, start, at)) return null;
  if (JOINERS.has(token.lower)) return startsJoined(tokens, at + 1) ? at + 1 : null;
  if (token.text !== ',') return null;
  if (JOINERS.has(next.lower)) return startsJoined(tokens, at + 2) ? at + 2 : null;
  const dependent = isDependent(tokens, start, at);
  return !dependent && mayFollowComma(next) && startsClause(tokens, at + 1) ? at + 1 : null;
}

/** "I saw how tea and long walks helped me": the verb of what "how" opens is still to come. */
function joinsSubjects(tokens: readonly Token[], start: number, at: number): boolean {
  let from = at - 1;
  while (from > start && !/^(?:how|that|what|why|because)$/.test(tokens[from]!.lower)) from -= 1;
  return from > start && from < at - 1 && !hasVerb(tokens, from, at);
}

/** A dash between spaces, a semicolon, or a colon that is not inside a name: "CS:GO", "Half-Life: Alyx". */
function isDash(tokens: readonly Token[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1]!, tokens[at]!, tokens[at + 1]!];
  if (token.text === '-') return token.space && next.space;
  return token.text === ';' || (next.space && !(isTitled(before) && isTitled(next)));
}

function isTitled({ text, lower }: Token): boolean {
  return /^\p{Lu}/u.test(text) && lower !== 'i';
}

/** The subject of a second sentence after a comma: "We are rivals, Lena is a fan", "I stayed, my wife went". */
function mayFollowComma(next: Token): boolean {
  return isPronoun(next) || next.pos === 'PROPN' || /^(?:my|our|your)$/.test(next.lower);
}

/** Whether the words since the last comma depend on what follows: "but when I rest, I feel better". */
function isDependent(tokens: readonly Token[], start: number, comma: number): boolean {
  let from = comma - 1;
  while (from > start && tokens[from - 1]!.text !== ',') from -= 1;
  if (JOINERS.has(tokens[from]!.lower)) from += 1;
  // "Last time we met, …"
  if (tokens[from + 1]?.lower === 'time' || tokens[from + 2]?.lower === 'time') return true;
  return SUBORDINATORS.has(tokens[from]!.lower) || ['ADP', 'PART'].includes(tokens[from]!.pos);
}

/** After "and" a clause may also start with "when" or "if". */
function startsJoined(tokens: readonly Token[], from: number): boolean {
  return (
    startsClause(tokens, from) ||
    ['when', 'if', 'whenever', 'since', 'after'].includes(tokens[from]?.lower ?? '')
  );
}

function isPronoun({ lower }: Token): boolean {
  return lower === 'i' || lower === 'we' || lower === 'you' || lower === THE_USER;
}

/** Whether a subject that can be resolved, and its verb, start here. */
function startsClause(tokens: readonly Token[], from: number): boolean {
  let at = from;
  while (tokens[at]?.pos === 'ADV') at += 1;
  const first = tokens[at];
  if (first === undefined || (POINTING.has(first.lower) && first.pos === 'PRON')) return false;
  const end = subjectEnd(tokens, at);
  return end > at && isFiniteVerb(tokens, end);
}

/** Position after a simple noun phrase; `from` if there is none. */
function subjectEnd(tokens: readonly Token[], from: number): number {
  const first = tokens[from];
  if (first === undefined) return from;
  if (isPronoun(first)) return from + 1;
  let [end, nouns] = [from, 0];
  while (
    end < tokens.length &&
    end - from < LONGEST_SUBJECT &&
    isNounPhrasePart(tokens[end]!, end === from)
  ) {
    if (['NOUN', 'PROPN'].includes(tokens[end]!.pos)) nouns += 1;
    end += 1;
  }
  return nouns > 0 ? end : from;
}

function isNounPhrasePart(token: Token, isFirst: boolean): boolean {
  if (token.pos === 'PRON')
    return isFirst && /^(?:my|your|our|his|her|their|its|the user's)$/.test(token.lower);
  return (
    ['DET', 'ADJ', 'NOUN', 'PROPN', 'NUM'].includes(token.pos) || token.lower === "'s" || token.lower === "'"
  );
}

function isFiniteVerb(tokens: readonly Token[], from: number): boolean {
  let at = from;
  while (tokens[at]?.pos === 'ADV') at += 1;
  const token = tokens[at];
  // "A song by Tupac and Dr. Dre called "California Love"".
  if (/^(?:called|named|titled|entitled)$/.test(token?.lower ?? '') && tokens[at + 1]?.text === '"')
    return false;
  return token !== undefined && isVerb(token) && !isGerund(token);
}

function hasVerb(tokens: readonly Token[], start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isVerb(tokens[at]) && !isGerund(tokens[at]!)) return true;
  return false;
}

/** Removes greetings, interjections, vocatives and conjunctions at both ends of a clause. */
export function trimClause(
  tokens: readonly Token[],
  clause: Clause,
  isVocative: (at: number) => boolean,
): Clause {
  let { start, end } = clause;
  while (start < end && isLeadIn(tokens, start, isVocative)) start += 1;
  while (end > start && isTail(tokens, start, end, isVocative)) end -= 1;
  return { start, end };
}

const LEAD_INS = wordSet(words.leadIns);

/** Praise that may be ironic: "Fantastic, my laptop died." */
const FEIGNABLE = wordSet(words.feignable);

function isLeadIn(tokens: readonly Token[], at: number, isVocative: (at: number) => boolean): boolean {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  if (token.pos === 'PUNCT' && token.text !== '"' && token.text !== '(') return true;
  if (token.pos === 'INTJ' || token.lower === 'and' || token.lower === 'but') return true;
  if (isVocative(at) && (next === undefined || next.text === ',' || next.text === '-' || next.lower === 'i'))
    return true;
  if (FEIGNABLE.has(token.lower) && next?.text === ',') return true;
  const aside =
    next?.text === ',' ||
    next?.text === '-' ||
    next?.pos === 'INTJ' ||
    next?.lower === 'i' ||
    next?.lower === 'we';
  return LEAD_INS.has(token.lower) && (aside || (next !== undefined && isVocative(at + 1)));
}

function isTail(
  tokens: readonly Token[],
  start: number,
  end: number,
  isVocative: (at: number) => boolean,
): boolean {
  const last = tokens[end - 1]!;
  if (last.pos === 'PUNCT') return last.text !== '"' && last.text !== ')';
  const beforeComma = end - 2 >= start && tokens[end - 2]!.text === ',';
  return (isVocative(end - 1) || last.pos === 'INTJ' || LEAD_INS.has(last.lower)) && beforeComma;
}

/** The parts of a clause, by token positions of its sentence. */
export interface ClauseParts {
  /** Position of the subject's last word; null if the subject is omitted ("Went to the beach"). */
  readonly subject: number | null;
  /** Start and end of the verb phrase. */
  readonly verb: number;
  readonly verbEnd: number;
  /** Lemmas of the verb phrase, such as "want to go"; "be" for a copula. */
  readonly relation: string;
  readonly isNegated: boolean;
  readonly isPast: boolean;
}

const OPENING_ADVERBS = wordSet(words.openingAdverbs);
const COMMENTS = wordSet(words.comments);
const DEPENDENT = wordSet(words.dependent);

const NEGATIVE = wordSet(words.negative);

/** Null if the clause is no statement: an imperative, a fragment, a dependent clause. */
export function readClause(tokens: readonly Token[], clause: Clause): ClauseParts | null {
  const from = mainStart(tokens, clause);
  if (from === null) return null;
  const gerund = afterOpening(tokens, clause);
  if (isOwnGerund(tokens, { start: gerund, end: clause.end }))
    return {
      subject: null,
      verb: gerund,
      ...verbPhrase(tokens, gerund, { from: gerund, end: clause.end }),
    };
  const verb = finiteVerb(tokens, from, clause.end);
  if (verb === null) return null;
  const subject = opensWithTime(tokens, clause.start, verb) ? null : subjectBefore(tokens, from, verb);
  if (subject === null && !isElliptic(tokens, clause.start, verb)) return null;
  if (subject !== null && opensWithComment(tokens, clause.start, subject)) return null;
  if (isRunOn(tokens, verb, clause.end)) return null;
  return { subject, verb, ...verbPhrase(tokens, verb, { from, end: clause.end }) };
}

/** Position after "finally", "just", "still". */
function afterOpening(tokens: readonly Token[], { start, end }: Clause): number {
  let at = start;
  while (at < end && tokens[at]!.pos === 'ADV' && OPENING_ADVERBS.has(tokens[at]!.lower)) at += 1;
  return at;
}

/** Two sentences without a mark between them: "we are rival teams lena is a fan". */
function isRunOn(tokens: readonly Token[], verb: number, end: number): boolean {
  if (tokens[verb]!.lemma !== 'be') return false;
  for (let at = verb + 1; at < end; at += 1) {
    const { pos, lower, lemma } = tokens[at]!;
    if (lemma === 'be' && isVerb(tokens[at]) && lower !== 'be' && lower !== 'being' && lower !== 'been')
      return ['NOUN', 'PROPN'].includes(tokens[at - 1]!.pos);
    if (['PUNCT', 'CCONJ', 'SCONJ', 'PRON', 'VERB', 'ADP', 'PART'].includes(pos)) return false;
  }
  return false;
}

/** "Here you go", "There we are". */
function isHandedOver(tokens: readonly Token[], at: number): boolean {
  const [here, who, verb] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  return (
    /^(?:here|there)$/.test(here?.lower ?? '') &&
    isPronoun(who ?? here!) &&
    /^(?:go|are|come|be)$/.test(verb?.lower ?? '')
  );
}

/** "When I got home", "only if we win", "in case it rains", "to know whether I eat". */
function isDependentAt(tokens: readonly Token[], at: number): boolean {
  const [first, next] = [tokens[at]?.lower ?? '', tokens[at + 1]];
  if (DEPENDENT.has(first) || (first === 'in' && next?.lower === 'case')) return true;
  if (/^(?:only|even|except|just)$/.test(first)) return /^(?:if|when)$/.test(next?.lower ?? '');
  return first === 'to' && next !== undefined && isBase(next);
}

/** Position after an opening "When I got home," or "Last week,", or "As a child" without a comma. */
function mainStart(tokens: readonly Token[], { start, end }: Clause): number | null {
  if (tokens[start]?.lower === 'or' || isHandedOver(tokens, start)) return null;
  if (!isDependentAt(tokens, start)) return start;
  const phrase = tokens[start]!.lower === 'as' ? subjectEnd(tokens, start + 1) : start;
  if (phrase > start + 1 && tokens[phrase]?.pos === 'PRON' && startsClause(tokens, phrase)) return phrase;
  for (let at = start + 1; at < end - 1; at += 1) {
    if (tokens[at]!.text === ',' && subjectBefore(tokens, at + 1, firstVerb(tokens, at + 1, end)) !== null)
      return at + 1;
  }
  return null;
}

function firstVerb(tokens: readonly Token[], from: number, end: number): number {
  let at = from;
  while (at < end && !isVerb(tokens[at])) at += 1;
  return at;
}

function finiteVerb(tokens: readonly Token[], from: number, end: number): number | null {
  for (let at = from; at < end; at += 1) {
    const [token, before] = [tokens[at]!, tokens[at - 1]];
    if (!isVerb(token) || isGerund(token)) continue;
    if (at > from && before?.lower === 'to') continue;
    return at;
  }
  return null;
}

/** The last word of the noun phrase directly before the verb. */
function subjectBefore(tokens: readonly Token[], from: number, verb: number): number | null {
  let at = verb - 1;
  while (at >= from && (tokens[at]!.pos === 'ADV' || ['all', 'both'].includes(tokens[at]!.lower))) at -= 1;
  const token = tokens[at];
  if (at < from || token === undefined) return null;
  if (token.pos === 'ADP') return at > from + 1 ? at : null;
  if (token.pos === 'VERB') return at === from && isGerund(token) ? at : null;
  return ['NOUN', 'PROPN', 'PRON', 'NUM', 'ADJ', 'DET'].includes(token.pos) || token.text === '"' ? at : null;
}

/** "Great that you …", "Glad I …": a reaction, not a statement. */
function opensWithComment(tokens: readonly Token[], start: number, subject: number): boolean {
  const [first, second] = [tokens[start]!, tokens[start + 1]!];
  const [opening, next] = first.pos === 'ADV' ? [second, tokens[start + 2]] : [first, second];
  if (subject <= start || COMMENTS.has(opening.lower)) return subject > start;
  return (
    GRADING.has(opening.lower) && ['PRON', 'SCONJ', 'DET', 'PROPN', 'PART', 'ADP'].includes(next?.pos ?? '')
  );
}

/** "Researching adoption agencies", without a verb of its own and without an addressee: its subject is the speaker. */
function isOwnGerund(tokens: readonly Token[], { start, end }: Clause): boolean {
  const first = tokens[start];
  if (
    first === undefined ||
    !isGerund(first) ||
    (/^(?:speaking|talking)$/.test(first.lower) && /^(?:of|about)$/.test(tokens[start + 1]?.lower ?? '')) ||
    beginsCompound(first, tokens[start + 1])
  )
    return false;
  for (let at = start + 1; at < end; at += 1) {
    const { text, lower } = tokens[at]!;
    if (lower.startsWith('you') || lower === 'me' || lower === 'matters') return false;
    if (text === ',' && tokens[at + 1]?.lower !== 'which') return false;
    if (text === ',' || text === '-') return at > start + 2;
    if (isVerb(tokens[at]) && !isGerund(tokens[at]!) && tokens[at - 1]!.lower !== 'to') return false;
  }
  return end > start + 2 && !tokens.some(({ lower }) => lower === 'you');
}

const WITHOUT_OBJECT = /^(?:work|live|dine|swim|sleep|wait|walk|camp|hike|park)$/;
const WHILE = /^(?:overtime|full|part|freelance|remote|home|nights?|days?|weekends?|late|shifts?)$/;

/** "Working title", "Living room": such verbs take no object. */
function beginsCompound(gerund: Token, next: Token | undefined): boolean {
  const isOneThing = next?.pos === 'NOUN' && next.lower === next.lemma && !WHILE.test(next.lower);
  return isOneThing && WITHOUT_OBJECT.test(gerund.lemma);
}

/** Where somebody is, but nothing else: "Was in Rome" omits "I", "Was on sale" omits "it". */
const WHEREABOUTS = /^(?:in|at|with|away|abroad|home|ill|sick|stuck)$/;
const LEADING_TIME =
  /^(?:(?:just|finally|also|so) )?(?:(?:last|this) (?:night|week|weekend|month|year|morning|evening|\w+day)|yesterday|today|on \w+day|earlier|recently|(?:a|two|three|few|couple of|\d+) \w+ ago),?$/;
/** "Stolen from the station" omits what was stolen, "seen Dune" only "I have". Without forms that are also past. */
const PARTICIPLES =
  /^(?:stolen|taken|broken|seen|done|gone|written|given|eaten|driven|chosen|spoken|known|grown|thrown|shown|fallen|forgotten|begun|drunk|sung|worn|torn|born|ridden|risen|hidden|bitten|frozen|woken|sworn|flown|drawn|proven|swollen|swum|rung|sunk)$/;
/** "Sprained thumb", "broken wrist": what one has. */
const INJURED = /^(?:sprained|broken|twisted|bruised|torn|swollen|fractured|pulled|blocked|burnt)$/;

/** Whether a participle has an object or a way: "seen Dune", "gone to bed"; a passive has none. */
export function isPerfect(tokens: readonly Token[], verb: number): boolean {
  const [participle, next] = [tokens[verb]!, tokens[verb + 1]];
  if (next === undefined || !PARTICIPLES.test(participle.lower)) return false;
  if (participle.lower === 'gone') return next.lower === 'to' || isGerund(next);
  if (participle.lower === 'born') return false;
  if (next.pos === 'NUM') return !/^(?:day|week|month|year|hour)s?$/.test(tokens[verb + 2]?.lower ?? '');
  return ['DET', 'PROPN'].includes(next.pos) || /^(?:my|our|him|her|them|it)$/.test(next.lower);
}

/** Whether a participle states an injury of the speaker: "Broken wrist, the left one". */
export function isInjury(tokens: readonly Token[], verb: number): boolean {
  return INJURED.test(tokens[verb]?.lower ?? '') && tokens[verb + 1]?.pos === 'NOUN';
}

/** "Been hectic" is about the days, "been ill" about the speaker. */
const OF_DAYS =
  /^(?:hectic|crazy|tough|rough|hard|fun|great|good|nice|amazing|awesome|wild|weird|intense|quiet|lovely|fantastic|brilliant|interesting|long|ages|forever|insane|stressful|exciting)$/;

/** "Been a busy week" omits "it has". */
const PERIOD = /^(?:day|week|weekend|month|year|time|while|minute|hour|morning|age)s?$/;

/** "Went to the beach", "Last week got married", "Was in Rome", "Will visit Ann": chat omits "I". */
function isElliptic(tokens: readonly Token[], start: number, verb: number): boolean {
  const isAdverb = (token: Token): boolean => token.pos === 'ADV' && OPENING_ADVERBS.has(token.lower);
  const lead = tokens.slice(start, verb).every(isAdverb) || opensWithTime(tokens, start, verb);
  const next = tokens[verb + 1];
  const aboutMe = tokens.slice(verb + 1, verb + 3).some(({ lower }) => lower === 'me');
  return lead && !aboutMe && next !== undefined && mayOmitSpeaker(tokens, verb, next);
}

function opensWithTime(tokens: readonly Token[], start: number, verb: number): boolean {
  const lead = tokens.slice(start, verb).map(({ lower }) => lower);
  return LEADING_TIME.test(lead.join(' ').replace(' ,', ','));
}

function mayOmitSpeaker(tokens: readonly Token[], verb: number, next: Token): boolean {
  const { lower } = tokens[verb]!;
  const second = tokens[verb + 2];
  if (lower === 'am') return true;
  if (lower === 'was') return WHEREABOUTS.test(next.lower) || (isGerund(next) && second?.lower !== 'to');
  if (lower === 'will') return next.pos === 'VERB' || (next.lower === 'be' && second?.pos === 'ADP');
  if (lower === 'have') return next.lower === 'been' || (next.lower === 'not' && isVerb(second));
  if (isInjury(tokens, verb)) return true;
  if (PARTICIPLES.test(lower)) return isPerfect(tokens, verb);
  if (lower === 'been') {
    const object = tokens.slice(verb + 1, verb + 6);
    if (/^(?:quite|such|some|one|what)$/.test(next.lower)) return false;
    if (OF_DAYS.test(object.find(({ pos }) => pos !== 'ADV')?.lower ?? '')) return false;
    return !object.some((token, at) => PERIOD.test(token.lower) && object[at - 1]?.lower !== 'all');
  }
  return isPast(tokens[verb]!) && !BE_FORMS.has(lower);
}

function verbPhrase(
  tokens: readonly Token[],
  verb: number,
  { from, end }: { from: number; end: number },
): Omit<ClauseParts, 'subject' | 'verb'> {
  let at = verb;
  while (at < end && isVerbPhrasePart(tokens, at, verb)) at += 1;
  while (at > verb + 1 && ['ADV', 'PART'].includes(tokens[at - 1]!.pos) && tokens[at - 1]!.lower !== 'not')
    at -= 1;
  const words = tokens.slice(verb, at);
  const isNegated = [...tokens.slice(from, at), ...tokens.slice(at, at + 1)].some(isNegation);
  return {
    verbEnd: at,
    relation: `${isNegated ? 'not ' : ''}${lemmas(words)}`,
    isNegated,
    isPast: isPastPhrase(words),
  };
}

/** A negation of the subject, the verb or the word after it: "nobody", "never", "have no". */
function isNegation({ lower }: Token): boolean {
  return NEGATIONS.has(lower) || NEGATIVE.has(lower);
}

function isVerbPhrasePart(tokens: readonly Token[], at: number, verb: number): boolean {
  const token = tokens[at]!;
  if (at === verb || token.pos === 'AUX' || token.pos === 'ADV') return true;
  if (token.lower === 'not' || token.lower === 'never') return true;
  if (token.lower === 'to') return isVerb(tokens[at + 1]);
  return token.pos === 'VERB' && (isVerb(tokens[at - 1]) || ['ADV', 'PART'].includes(tokens[at - 1]!.pos));
}

function isPastPhrase(words: readonly Token[]): boolean {
  const first = words[0]!;
  const second = words.slice(1).find(({ pos }) => pos !== 'ADV');
  if (['have', 'has'].includes(first.lower)) {
    // "Has got an exam on Monday" is present.
    return second !== undefined && isVerb(second) && !(second.lower === 'got' && words.at(-1) === second);
  }
  return isPast(first) && !MODALS.has(first.lower);
}

/** Auxiliaries and adverbs are dropped; "to", "not" and a passive's "be" are kept. */
function lemmas(words: readonly Token[]): string {
  const core = withoutFuture(words);
  const kept = core.flatMap((word, at) => {
    if (word.lower === 'to') return at > 0 && at < core.length - 1 ? ['to'] : [];
    if (word.pos === 'AUX') return at === core.length - 1 || isPassive(core, at) ? [word.lemma] : [];
    if (word.pos !== 'VERB') return [];
    if (word.lower === 'used' && core[at + 1]?.lower === 'to') return ['used'];
    return [
      isPassive(core, at - 1) || (at > 0 && isGerund(word) && core[at - 1]!.pos === 'VERB')
        ? word.lower
        : word.lemma,
    ];
  });
  return kept.join(' ').replace(/^to /, '');
}

/** "Is going to visit" becomes "visit". */
function withoutFuture(words: readonly Token[]): readonly Token[] {
  const verbs = words.filter(({ pos, lower }) => pos === 'VERB' || pos === 'AUX' || lower === 'to');
  const going = verbs.findIndex(
    ({ lower }, at) => lower === 'going' && verbs[at + 1]?.lower === 'to' && verbs.length > at + 2,
  );
  return going < 0 ? verbs : verbs.slice(going + 2);
}

function isPassive(words: readonly Token[], at: number): boolean {
  const [be, next] = [words[at], words[at + 1]];
  return be?.lemma === 'be' && next !== undefined && next.pos === 'VERB' && isPast(next);
}

import { wordSet } from '../../../util/collections.ts';
import type { Mention } from './find-mentions.ts';
import type { Clause, ClauseParts } from './read-clause.ts';
import { statesAttribute } from './small-talk.ts';
import type { Token } from './tagger.ts';
import { THE_USER } from './the-user.ts';
import words from './words.json' with { type: 'json' };
import { GRADING, INTENTION, KIN, MODALS, OPINION, UNCERTAIN, VAGUE_NOUNS, VAGUE_VERBS } from './words.ts';

/** A clause of a sentence, before persons are resolved. */
export interface Clausal {
  /** Of the sentence. */
  readonly tokens: readonly Token[];
  readonly clause: Clause;
  readonly parts: ClauseParts;
  readonly mentions: readonly Mention[];
  /** Whether a word is a common noun; others begin a sentence as names do. */
  readonly isCommon: (word: string) => boolean;
  /** See `NounLexicon`. */
  readonly isSurrounding: (noun: string) => boolean;
}

export interface Stated extends Clausal {
  readonly isDated: boolean;
  /** Whether its author states it, and no answer or document. */
  readonly isOwn: boolean;
}

export interface View extends Stated {
  readonly subject: Token | null;
  /** Before, in and after the verb phrase. */
  readonly before: readonly Token[];
  readonly verbs: readonly Token[];
  readonly after: readonly Token[];
  /** The numbers of nouns that mean something, and of names, after the verb. */
  readonly nouns: number;
  readonly names: number;
  readonly isPerson: boolean;
}

const OWN = /^(?:i|we|my|our|me|us)$/;
const LISTENER = /^(?:you|your|yours)$/;
const OPEN = /^(?:it|this|that|these|those|there|them|they|he|she|him|her|his|its|their|one|ones)$/;
const VAGUE = /^(?:such|things?|stuff|something|anything|everything|others?)$/;
const LIFE = wordSet(words.lifeVerbs);
const TURNS = wordSet(words.turningPoints);
const EFFORT = wordSet(words.effortVerbs);
const MIND = wordSet(words.mindVerbs);
const LIKING = wordSet(words.likingVerbs);
const WORK = wordSet(words.work);
const MOODS = wordSet(words.moods);
const SOUGHT = new Set(['understand', 'ensure', 'wonder', 'figure', 'clarify', 'confirm', 'sure']);
const SEEKS = /\b(?:want|need|like) to (?:know|see|make)$/;
const BE = /(?:^| )be$/;
const EFFECTS = wordSet(words.effectVerbs);
export const TIME =
  /^(?:tonight|today|tomorrow|yesterday|morning|afternoon|evening|nights?|weeks?|weekends?|months?|years?|days?|spring|summer|autumn|fall|winter|season|term|past|last|next|this|\w+day|again|now|soon|then)$/;
const PLACED = /^(?:in|at|on|under|behind|inside|near|with|from)$/;
const PLANS = /^(?:will|shall|going|plan|plans|planning)$/;

/**
 * What speaks for and against keeping a statement, and how much. Weights are those of a logistic regression on clauses
 * that were judged by hand, drawn to a judgement where few clauses have the cue (docs/decisions/2026-11-29-worth.md).
 */
const CUES: readonly (readonly [cue: string, weight: number, holds: (view: View) => boolean])[] = [
  // Whom it is about: the speaker and people with a name are what memory is for; things by themselves are not.
  ['the speaker', 10, ({ subject }) => isOwn(subject)],
  ['what the speaker has', 3, ({ subject, before }) => !isOwn(subject) && before.some(isOwner)],
  ['a person', 8, (view) => !isOwn(view.subject) && view.isPerson],
  ['a thing', -3, (view) => isThing(view)],
  // What it says of them.
  ['work', 5, (view) => isAbout(view, WORK)],
  ['a custom', 7, ({ after }) => after.some((_, at) => isRecurring(after, at))],
  ['an attribute', 24, (view) => isAttribute(view)],
  ['a state', 4, (view) => !isThing(view) && isState(view)],
  ['whereabouts', 10, ({ parts, after }) => BE.test(parts.relation) && PLACED.test(after[0]?.lower ?? '')],
  [
    'a turning point',
    15,
    ({ verbs, after }) => isGivenUp(verbs, after) || hasOf(TURNS, verbs, after.slice(0, 1)),
  ],
  ['a deed', 8, ({ verbs }) => verbs.some(({ lemma }) => LIFE.has(lemma))],
  ['to the speaker', 9, ({ after }) => after.some(({ lower }) => /^(?:me|us|my|our)$/.test(lower))],
  ['an act', 3, (view) => view.parts.isPast && !isThing(view) && isDeed(view)],
  ['a habit', 7, (view) => isHabit(view)],
  ['a liking', 6, ({ before, verbs, after }) => hasOf(LIKING, before, [...verbs, ...after.slice(0, 4)])],
  ['a possession', 3, ({ parts, nouns }) => /^(?:have|own)$/.test(parts.relation) && nouns > 0],
  ['a plan', 6, (view) => view.verbs.some(({ lower }) => PLANS.test(lower)) && isDeed(view)],
  [
    'an open question',
    -14,
    ({ verbs, after, parts }) => SEEKS.test(parts.relation) || hasOf(SOUGHT, verbs, after.slice(0, 3)),
  ],
  ['an effort', -9, ({ verbs }) => verbs.some(({ lemma }) => EFFORT.has(lemma))],
  ['a mood', -16, (view) => isMood(view)],
  ['a grade', -11, (view) => isGrade(view)],
  // How much of it stands in the clause itself.
  ['a date', 21, ({ isDated }) => isDated],
  ['a number', 4, ({ after }) => after.some(({ pos, text }) => pos === 'NUM' || /^\d/.test(text))],
  ['a name', 6, ({ names }) => names > 0],
  ['names', 6, ({ names }) => names > 1],
  ['a noun', 10, ({ nouns }) => nouns > 0],
  ['nouns', 11, ({ nouns }) => nouns > 1],
  ['nothing', -5, (view) => view.after.length === 0 && !isDeed(view)],
  [
    'a demonstrative',
    -11,
    ({ before, after }) => [before, after].some((words) => words.some((_, at) => isDemonstrative(words, at))),
  ],
  ['vague', -10, ({ verbs, after }) => [...verbs, ...after].some(({ lower }) => VAGUE.test(lower))],
  ['a relative clause', -6, ({ after }) => after.some(({ lower }) => /^(?:that|which|who)$/.test(lower))],
  ['a maxim', -14, (view) => isMaxim(view)],
  ['an effect', -18, (view) => isEffect(view)],
  // Whether it is so.
  ['a hedge', -12, ({ tokens, clause: { start, end } }) => tokens.slice(start, end).some(isHedge)],
  ['another voice', -6, ({ isOwn }) => !isOwn],
];

function isAbout({ tokens, clause: { start, end } }: View, matters: ReadonlySet<string>): boolean {
  return tokens.slice(start, end).some((word) => isOf(matters, word));
}

/** "Every morning", "on Tuesdays", "twice a week". */
function isRecurring(words: readonly Token[], at: number): boolean {
  const [word, next] = [words[at]!.lower, words[at + 1]?.lower ?? ''];
  if (/^(?:\w+days|daily|weekly|monthly|yearly|mornings|evenings|nights|weekends)$/.test(word)) return true;
  return (
    /^(?:every|each|per|a)$/.test(word) &&
    /^(?:day|week|month|year|morning|evening|night|weekend|\w+day)$/.test(next) &&
    (word !== 'a' || /^(?:once|twice|times?|\d+|hours?|days?)$/.test(words[at - 1]?.lower ?? ''))
  );
}

/** How much a statement is worth remembering: the weights of its cues. See `LEAST_WORTH`. */
export function worthOf(stated: Stated): number {
  const view = viewOf(stated);
  return CUES.reduce((sum, [, weight, holds]) => sum + (holds(view) ? weight : 0), 0);
}

/** The words of a clause by their part in it. */
export function viewOf(stated: Stated): View {
  const { tokens, clause, parts, mentions } = stated;
  const after = tokens.slice(parts.verbEnd, clause.end).filter(({ pos }) => pos !== 'PUNCT');
  const named = mentions.filter(
    ({ start, end, name, isSpeaker }) =>
      !isSpeaker && start >= parts.verbEnd && end <= clause.end && /^\p{Lu}/u.test(name),
  );
  const view = {
    ...stated,
    subject: parts.subject === null ? null : tokens[parts.subject]!,
    before: tokens.slice(clause.start, parts.verb),
    verbs: tokens.slice(parts.verb, parts.verbEnd),
    after,
    nouns: after.filter(isMeaningful).length,
    names: named.length,
  };
  return { ...view, isPerson: isPerson(view) };
}

function hasOf(set: ReadonlySet<string>, ...words: readonly (readonly Token[])[]): boolean {
  return words.flat().some((word) => isOf(set, word));
}

function isOf(set: ReadonlySet<string>, { lower, lemma }: Token): boolean {
  return set.has(lower) || set.has(lemma);
}

export function isMeaningful(token: Token): boolean {
  return (
    ['NOUN', 'PROPN'].includes(token.pos) &&
    !isOf(VAGUE_NOUNS, token) &&
    !isOf(GRADING, token) &&
    !OPEN.test(token.lower) &&
    !VAGUE.test(token.lower)
  );
}

/** "May" is a month, too. */
function isHedge(word: Token, at: number, words: readonly Token[]): boolean {
  if (word.lower === 'may') return word.pos === 'AUX' && words[at - 1]?.pos !== 'NUM';
  return UNCERTAIN.has(word.lower) && word.lower !== 'wish';
}

export function isOwn(subject: Token | null): boolean {
  return subject === null || OWN.test(subject.lower) || subject.lower === THE_USER;
}

function isOwner({ lower }: Token): boolean {
  return lower === 'my' || lower === 'our';
}

/** "This week", "those who" and "one of them" point at nothing that was said before; "this studio" is a demonstrative. */
export function isPointer(words: readonly Token[], at: number): boolean {
  const { lower, pos } = words[at]!;
  const next = words[at + 1];
  if (!OPEN.test(lower) || pos === 'SCONJ' || isDemonstrative(words, at)) return false;
  if (/^ones?$/.test(lower)) return next === undefined || !/^(?:NOUN|PROPN|ADJ|ADP|NUM)$/.test(next.pos);
  return !TIME.test(next?.lower ?? '') && next?.lower !== 'who';
}

/** "This studio", "that new script", but not "this week". */
export function isDemonstrative(words: readonly Token[], at: number): boolean {
  const next = words[at + 1];
  if (!/^(?:this|that|these|those)$/.test(words[at]!.lower) || next === undefined) return false;
  return /^(?:NOUN|ADJ|NUM|PROPN)$/.test(next.pos) && !TIME.test(next.lower);
}

function isPerson({ subject, before, mentions, clause, parts, isCommon }: Omit<View, 'isPerson'>): boolean {
  const isNamed = mentions.some(
    ({ start, end, kind }) => start >= clause.start && end <= parts.verb && kind === 'person',
  );
  const isName = subject?.pos === 'NOUN' && !isCommon(subject.lower) && !isCommon(subject.lemma);
  return isNamed || isName || subject?.pos === 'PROPN' || before.some(({ lemma }) => KIN.has(lemma));
}

function isThing(view: View): boolean {
  const isSomebodys = ({ lower, text, pos }: Token): boolean =>
    OWN.test(lower) || LISTENER.test(lower) || pos === 'PROPN' || /^\p{Lu}/u.test(text);
  const actsOnSpeaker = view.after.some(({ lower }) => lower === 'me' || lower === 'us');
  return !isOwn(view.subject) && !view.isPerson && !actsOnSpeaker && !view.before.some(isSomebodys);
}

export function isAttribute({ tokens, clause, parts }: View): boolean {
  return statesAttribute(tokens, clause, parts);
}

/** "Fantasy books fuel creativity", but not "The rent costs 900 euros". */
function isMaxim(view: View): boolean {
  const isTold = ({ pos, lower }: Token): boolean => pos === 'NUM' || OWN.test(lower);
  return (
    isThing(view) &&
    view.subject?.pos !== 'PUNCT' &&
    !view.isDated &&
    !view.parts.isPast &&
    !BE.test(view.parts.relation) &&
    !view.after.some(isTold)
  );
}

/** "Art gives me peace". */
function isEffect({ verbs, ...view }: View): boolean {
  return !isOwn(view.subject) && !view.isPerson && !view.parts.isPast && EFFECTS.has(verbs.at(-1)!.lemma);
}

/** "Gave up coffee". */
function isGivenUp(verbs: readonly Token[], after: readonly Token[]): boolean {
  return verbs.at(-1)?.lemma === 'give' && after[0]?.lower === 'up';
}

function isDeed({ verbs }: View): boolean {
  const others = [VAGUE_VERBS, MIND, EFFORT, OPINION, INTENTION];
  return verbs.some(
    (verb) => verb.pos === 'VERB' && !PLANS.test(verb.lower) && !others.some((set) => set.has(verb.lemma)),
  );
}

/** "Rows", "lives in Ghent". */
function isHabit(view: View): boolean {
  return !view.parts.isPast && view.verbs.length === 1 && !isOf(MODALS, view.verbs[0]!) && isDeed(view);
}

/** "Is vegetarian", "is 34". */
function isState({ parts, after }: View): boolean {
  const first = after.find(({ pos }) => pos !== 'ADV' && pos !== 'DET');
  if (!BE.test(parts.relation) || first === undefined) return false;
  return (
    ['ADJ', 'NOUN', 'NUM', 'PROPN'].includes(first.pos) &&
    !VAGUE.test(first.lower) &&
    ![GRADING, MOODS, VAGUE_NOUNS].some((set) => isOf(set, first))
  );
}

/** "Is so happy", "feels inspired", but "is afraid of dogs". */
function isMood({ verbs, after }: View): boolean {
  return [...verbs, ...after.slice(0, 4)].some(
    ({ lower }, at, all) => MOODS.has(lower) && all[at + 1]?.lower !== 'of',
  );
}

/** "Was amazing", "looks great". */
function isGrade(view: View): boolean {
  const { parts, after } = view;
  return (
    !isState(view) &&
    !isMood(view) &&
    /\b(?:be|feel|look|seem|get)$/.test(parts.relation) &&
    after.slice(0, 4).some((word) => isOf(GRADING, word))
  );
}

import { wordSet } from '../../../util/collections.ts';
import type { Mention } from './find-mentions.ts';
import { NOUN_KINDS, type NounKind } from './noun-kinds.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import type { Clause, ClauseParts } from './read-clause.ts';
import { statesAttribute } from './small-talk.ts';
import type { Token } from './tagger.ts';
import { THE_USER } from './the-user.ts';
import words from './words.json' with { type: 'json' };
import { GRADING, KIN, UNCERTAIN, VAGUE_NOUNS } from './words.ts';
import weights from './worth.json' with { type: 'json' };

/** A clause of a sentence, before persons are resolved. */
export interface Clausal {
  /** Of the sentence. */
  readonly tokens: readonly Token[];
  readonly clause: Clause;
  readonly parts: ClauseParts;
  readonly mentions: readonly Mention[];
  readonly lexicon: Pick<NounLexicon, 'isCommon' | 'isSurrounding' | 'kindsOf'>;
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
const LIKING = wordSet(words.likingVerbs);
const MOODS = wordSet(words.moods);
const SOUGHT = new Set(['understand', 'ensure', 'wonder', 'figure', 'clarify', 'confirm', 'sure']);
const SEEKS = /\b(?:want|need|like) to (?:know|see|make)$/;
const BE = /(?:^| )be$/;
const EFFECTS = wordSet(words.effectVerbs);
export const TIME =
  /^(?:tonight|today|tomorrow|yesterday|morning|afternoon|evening|nights?|weeks?|weekends?|months?|years?|days?|spring|summer|autumn|fall|winter|season|term|past|last|next|this|\w+day|again|now|soon|then)$/;
const PLACED = /^(?:in|at|on|under|behind|inside|near|with|from)$/;

/** By lemma. */
const WORDS: ReadonlyMap<string, number> = new Map(Object.entries(weights.words));
/** By kind of a noun before the verb, and after it. */
const SUBJECTS = byKind(weights.subjects);
const OBJECTS = byKind(weights.objects);

function byKind(of: Partial<Record<NounKind, number>>): readonly number[] {
  return NOUN_KINDS.map((kind) => of[kind] ?? 0);
}

/**
 * What speaks for and against keeping a statement, and how much. Weights are those of a logistic regression on clauses
 * that were judged by hand, drawn to a judgement where few clauses have the cue (docs/decisions/2026-11-29-worth-words.md).
 */
const CUES: readonly (readonly [cue: string, weight: number, holds: (view: View) => boolean])[] = [
  // Whom it is about: the speaker and people with a name are what memory is for; things by themselves are not.
  ['the speaker', 4, ({ subject }) => isOwn(subject)],
  ['what the speaker has', 6, ({ subject, before }) => !isOwn(subject) && before.some(isOwner)],
  ['a person', 8, (view) => !isOwn(view.subject) && view.isPerson],
  // What it says of them.
  ['a custom', 15, ({ after }) => after.some((_, at) => isRecurring(after, at))],
  ['an attribute', 16, (view) => isAttribute(view)],
  ['whereabouts', 3, ({ parts, after }) => BE.test(parts.relation) && PLACED.test(after[0]?.lower ?? '')],
  [
    'a turning point',
    10,
    ({ verbs, after }) => isGivenUp(verbs, after) || hasOf(TURNS, verbs, after.slice(0, 1)),
  ],
  ['a deed', 9, ({ verbs }) => verbs.some(({ lemma }) => LIFE.has(lemma))],
  ['to the speaker', 8, ({ after }) => after.some(({ lower }) => /^(?:me|us|my|our)$/.test(lower))],
  ['a liking', 5, ({ before, verbs, after }) => hasOf(LIKING, before, [...verbs, ...after.slice(0, 4)])],
  [
    'an open question',
    -19,
    ({ verbs, after, parts }) => SEEKS.test(parts.relation) || hasOf(SOUGHT, verbs, after.slice(0, 3)),
  ],
  ['a mood', -8, (view) => isMood(view)],
  // How much of it stands in the clause itself.
  ['a date', 17, ({ isDated }) => isDated],
  ['a number', 15, ({ after }) => after.some(({ pos, text }) => pos === 'NUM' || /^\d/.test(text))],
  ['a name', 8, ({ names }) => names > 0],
  ['names', 4, ({ names }) => names > 1],
  ['a noun', 9, ({ nouns }) => nouns > 0],
  ['nouns', 6, ({ nouns }) => nouns > 1],
  [
    'a demonstrative',
    -7,
    ({ before, after }) => [before, after].some((words) => words.some((_, at) => isDemonstrative(words, at))),
  ],
  ['vague', -8, ({ verbs, after }) => [...verbs, ...after].some(({ lower }) => VAGUE.test(lower))],
  ['a relative clause', -3, ({ after }) => after.some(({ lower }) => /^(?:that|which|who)$/.test(lower))],
  ['a maxim', -8, (view) => isMaxim(view)],
  ['an effect', -17, (view) => isEffect(view)],
  // Whether it is so.
  ['a hedge', -6, ({ tokens, clause: { start, end } }) => tokens.slice(start, end).some(isHedge)],
  ['another voice', -19, ({ isOwn }) => !isOwn],
];

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
  const cues = CUES.reduce((sum, [, weight, holds]) => sum + (holds(view) ? weight : 0), 0);
  const { before, verbs, after } = view;
  const lemmas = new Set([...before, ...verbs, ...after].map(({ lemma }) => lemma));
  const words = [...lemmas].reduce((sum, lemma) => sum + (WORDS.get(lemma) ?? 0), 0);
  return cues + words + ofKinds(view, before, SUBJECTS) + ofKinds(view, after, OBJECTS);
}

/** The weights of the kinds that the nouns have. */
function ofKinds({ lexicon }: View, words: readonly Token[], weights: readonly number[]): number {
  const kinds = words.reduce(
    (all, { pos, lower }) => (pos === 'NOUN' ? all | lexicon.kindsOf(lower) : all),
    0,
  );
  return weights.reduce((sum, weight, at) => sum + ((kinds >>> at) & 1 ? weight : 0), 0);
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

function isPerson({ subject, before, mentions, clause, parts, lexicon }: Omit<View, 'isPerson'>): boolean {
  const isNamed = mentions.some(
    ({ start, end, kind }) => start >= clause.start && end <= parts.verb && kind === 'person',
  );
  const isName = subject?.pos === 'NOUN' && ![subject.lower, subject.lemma].some(lexicon.isCommon);
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

/** "Is so happy", "feels inspired", but "is afraid of dogs". */
function isMood({ verbs, after }: View): boolean {
  return [...verbs, ...after.slice(0, 4)].some(
    ({ lower }, at, all) => MOODS.has(lower) && all[at + 1]?.lower !== 'of',
  );
}

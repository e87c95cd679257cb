import type { Mention } from './find-mentions.ts';
import type { Clause, ClauseParts } from './read-clause.ts';
import type { Token } from './tagger.ts';
import { BE_FORMS, GRADING, MODALS, POINTING, SMALL_TALK, VAGUE_NOUNS, VAGUE_VERBS } from './words.ts';

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

/** Whether a clause has content worth keeping: no courtesy, no comment without content. */
export function hasContent(
  tokens: readonly Token[],
  clause: Clause,
  { parts, mentions }: { parts: ClauseParts; mentions: readonly Mention[] },
): boolean {
  const subject = parts.subject === null ? null : tokens[parts.subject]!.lower;
  if ((subject === 'i' || subject === 'we') && SMALL_TALK.test(restOf(tokens, parts, clause))) return false;
  const words = tokens.slice(parts.verb, clause.end).filter(isContent).length + newJobs(tokens, clause);
  if (subject === 'i' || subject === 'we' || subject === null) {
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

import { isCapital } from './find-mentions.ts';
import type { ClauseParts } from './read-clause.ts';
import type { ReadSentence } from './read-unit.ts';
import type { Resolved } from './resolve-persons.ts';
import { hasOpenPronoun } from './small-talk.ts';
import type { Token } from './tagger.ts';
import { INTENTION, OPINION, UNCERTAIN } from './words.ts';

/**
 * How far to trust a statement: 0.9, less 0.6 when it may be irony, less 0.2 when somebody else is quoted, less 0.3 when it is conditional or only possible ("if", "might", "would"),
 * less 0.2 for an "it" or "her"
 * that nothing in it explains, less 0.2 when it is about nobody
 * of the talk and nothing with a name, less 0.1 each when it is a plan, an opinion, when "I" was left out, when "we" or when "you" had to be
 * resolved. Never below 0.2.
 */
export function confidenceOf(
  tokens: readonly Token[],
  {
    parts,
    resolved,
    sentence,
  }: { parts: ClauseParts; resolved: Resolved; sentence: Pick<ReadSentence, 'sincerity' | 'voice'> },
): number {
  const has = (words: ReadonlySet<string>): boolean => tokens.some(({ lower }) => words.has(lower));
  const tenths = [
    sentence.sincerity === 'doubtful' ? 6 : 0,
    sentence.voice !== null ? 2 : 0,
    has(UNCERTAIN) ? 3 : 0,
    hasOpenPronoun(tokens, { start: 0, end: tokens.length }) ? 2 : 0,
    resolved.names.length === 0 && !tokens.some(isCapital) ? 2 : 0,
    has(INTENTION) ? 1 : 0,
    tokens.some(({ lemma, pos }) => pos === 'VERB' && OPINION.has(lemma)) ? 1 : 0,
    parts.subject === null ? 1 : 0,
    resolved.usesWe ? 1 : 0,
    resolved.usesYou ? 1 : 0,
  ];
  const lost = tenths.reduce((sum, each) => sum + each, 0);
  return Math.max(2, 9 - lost) / 10;
}

import { analyze } from './analyzer.ts';

/** What ranking reads of one turn's text. */
export interface TurnTerms {
  /** Per distinct term: how often it stands in statements (captions included) and in questions of the turn. */
  readonly counts: ReadonlyMap<string, TermCount>;
  /** Number of tokens. */
  readonly length: number;
  /** The turn ends by asking. */
  readonly asks: boolean;
  /** The turn speaks of a time. */
  readonly temporal: boolean;
}

export interface TermCount {
  readonly statements: number;
  readonly questions: number;
}

const SENTENCE_END = /(?<=[.!?。！？])\s*/u;
const QUESTION_MARK = /[?？]/u;
const ENDS_ASKING = /[?？]\s*$/u;

/** "May" and "March" are left out: in chat they are mostly ordinary words. */
const TEMPORAL =
  /\b(yesterday|today|tonight|tomorrow|last|next|ago|since|recently|days?|weeks?|weekends?|months?|years?|mornings?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august|september|october|november|december|(?:19|20)\d\d)\b/i;

export function readTurnTerms(content: string, captions: readonly string[]): TurnTerms {
  const counts = new Map<string, { statements: number; questions: number }>();
  let length = 0;
  const count = (text: string, kind: 'statements' | 'questions') => {
    for (const term of analyze(text)) {
      const entry = counts.get(term);
      if (entry === undefined) counts.set(term, { statements: 0, questions: 0, [kind]: 1 });
      else entry[kind]++;
      length++;
    }
  };
  for (const sentence of content.split(SENTENCE_END))
    if (sentence !== '') count(sentence, QUESTION_MARK.test(sentence) ? 'questions' : 'statements');
  for (const caption of captions) count(caption, 'statements');
  return { counts, length, asks: ENDS_ASKING.test(content), temporal: TEMPORAL.test(content) };
}

import { analyze } from './analyzer.ts';

/** What ranking reads of one turn's text. */
export interface TurnTerms {
  /** Index terms of its statements and captions, in order, repeated as often as they are said. */
  readonly statements: readonly string[];
  /** Index terms of its questions. */
  readonly questions: readonly string[];
  /** The turn ends by asking. */
  readonly asks: boolean;
  /** The turn speaks of a time. */
  readonly temporal: boolean;
}

const SENTENCE_END = /(?<=[.!?。！？])\s*/u;
const QUESTION_MARK = /[?？]/u;
const ENDS_ASKING = /[?？]\s*$/u;

/** "May" and "March" are left out: in chat they are mostly ordinary words. */
const TEMPORAL =
  /\b(yesterday|today|tonight|tomorrow|last|next|ago|since|recently|days?|weeks?|weekends?|months?|years?|mornings?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august|september|october|november|december|(?:19|20)\d\d)\b/i;

export function readTurnTerms(content: string, captions: readonly string[]): TurnTerms {
  const statements: string[] = [];
  const questions: string[] = [];
  for (const sentence of content.split(SENTENCE_END)) {
    const into = QUESTION_MARK.test(sentence) ? questions : statements;
    for (const term of analyze(sentence)) into.push(term);
  }
  for (const caption of captions) for (const term of analyze(caption)) statements.push(term);
  return { statements, questions, asks: ENDS_ASKING.test(content), temporal: TEMPORAL.test(content) };
}

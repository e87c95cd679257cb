import type { Breather } from '../util/breathe.ts';
import { analyze, analyzeGradually } from './analyzer.ts';

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
const LONG_SENTENCE = 8_192;
const QUESTION_MARK = /[?？]/u;
const ENDS_ASKING = /[?？]\s*$/u;

/** "May" and "March" are left out: in chat they are mostly ordinary words. */
const TEMPORAL =
  /\b(yesterday|today|tonight|tomorrow|last|next|ago|since|recently|days?|weeks?|weekends?|months?|years?|mornings?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august|september|october|november|december|(?:19|20)\d\d)\b/i;

/** As `readTurnTerms`; a long turn lets others in while it is read. */
export async function readTurnTermsGradually(
  content: string,
  captions: readonly string[],
  breather: Breather,
): Promise<TurnTerms> {
  const [statements, questions]: [string[], string[]] = [[], []];
  for (const sentence of content.split(SENTENCE_END)) {
    const into = QUESTION_MARK.test(sentence) ? questions : statements;
    for (const term of await analyzed(sentence, breather)) into.push(term);
    await breather.breathe();
  }
  for (const caption of captions) for (const term of analyze(caption)) statements.push(term);
  return { statements, questions, asks: ENDS_ASKING.test(content), temporal: TEMPORAL.test(content) };
}

function analyzed(text: string, breather: Breather): readonly string[] | Promise<readonly string[]> {
  return text.length < LONG_SENTENCE ? analyze(text) : analyzeGradually(text, breather);
}

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

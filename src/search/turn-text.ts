import type { Breather } from '../util/breathe.ts';
import { analyze, analyzeGradually } from './analyzer.ts';

/** The parts of a turn's text that ranking uses. */
export interface TurnTerms {
  /** Index terms of its statements and captions, in order, with repetitions. */
  readonly statements: readonly string[];
  /** Index terms of its questions. */
  readonly questions: readonly string[];
  /** The turn ends with a question. */
  readonly asks: boolean;
  /** The turn mentions a time. */
  readonly temporal: boolean;
}

/** The terms of a long turn, counted, in the order of first occurrence. */
export interface CountedTerms extends Pick<TurnTerms, 'asks' | 'temporal'> {
  readonly statements: ReadonlyMap<string, number>;
  readonly questions: ReadonlyMap<string, number>;
  /** Terms in all, repeated ones included. */
  readonly length: number;
}

const SENTENCE_END = /(?<=[.!?。！？])\s*/u;
const LONG_SENTENCE = 8_192;
const QUESTION_MARK = /[?？]/u;
const ENDS_ASKING = /[?？]\s*$/u;

/** "May" and "March" are left out: in chat they are mostly ordinary words. */
const TEMPORAL =
  /\b(yesterday|today|tonight|tomorrow|last|next|ago|since|recently|days?|weeks?|weekends?|months?|years?|mornings?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august|september|october|november|december|(?:19|20)\d\d)\b/i;

/** As `readTurnTerms`, and counted, so that adding it takes less; yields the thread in between. */
export async function readTurnTermsGradually(
  content: string,
  captions: readonly string[],
  breather: Breather,
): Promise<CountedTerms> {
  const [statements, questions] = [new Map<string, number>(), new Map<string, number>()];
  let length = 0;
  const count = async (terms: readonly string[], into: Map<string, number>) => {
    length += terms.length;
    for (const term of terms) {
      into.set(term, (into.get(term) ?? 0) + 1);
      if (breather.isDue) await breather.breathe();
    }
  };
  for (const sentence of content.split(SENTENCE_END)) {
    const into = QUESTION_MARK.test(sentence) ? questions : statements;
    await count(await analyzed(sentence, breather), into);
    if (breather.isDue) await breather.breathe();
  }
  for (const caption of captions) await count(await analyzed(caption, breather), statements);
  return { statements, questions, length, asks: ENDS_ASKING.test(content), temporal: TEMPORAL.test(content) };
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

import type { Citation } from '../../model/retrieved-item.ts';
import { wordsOf } from '../context-lines.ts';
import type { ContextSource } from '../memory-context.ts';

/** What a model said, its citations checked and numbered from 1. */
export interface CitedAnswer {
  readonly text: string;
  readonly citations: readonly Citation[];
  /** Numbers of no source, which were dropped. */
  readonly unknown: number;
}

const MARK = /\s*\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g;

/**
 * Checks the numbers that an answer cites, in its text and beside it, against the sources that the model was shown.
 * What names no source is dropped; the rest is numbered anew, in the order of the text.
 */
export function readCitations(
  answer: string,
  cited: readonly number[],
  sources: readonly ContextSource[],
): CitedAnswer {
  const known = new Map(sources.map((source) => [source.number, source]));
  const inText = [...answer.matchAll(MARK)].flatMap(([, numbers]) => numbersIn(numbers!));
  const all = [...new Set([...inText, ...cited])];
  const valid = all.filter((number) => known.has(number));
  const numberOf = new Map(valid.map((number, at) => [number, at + 1]));
  const words = answer.replace(MARK, (_, numbers: string) => marks(numbersIn(numbers), numberOf)).trim();
  const unmarked = valid.filter((number) => !inText.includes(number));
  return {
    text: `${words}${marks(unmarked, numberOf)}`,
    citations: valid.map((number): Citation => {
      const { item } = known.get(number)!;
      return { number: numberOf.get(number)!, item, quote: wordsOf(item) };
    }),
    unknown: all.length - valid.length,
  };
}

function numbersIn(text: string): readonly number[] {
  return text.split(/[,;]/).map(Number);
}

function marks(numbers: readonly number[], numberOf: ReadonlyMap<number, number>): string {
  return numbers
    .flatMap((number) => numberOf.get(number) ?? [])
    .map((number) => ` [${number}]`)
    .join('');
}

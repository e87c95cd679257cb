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
 * Checks the numbers that an answer cites against the sources that the model was shown. What names no source is
 * dropped; the rest is numbered anew, in the order of the text.
 */
export function readCitations(answer: string, sources: readonly ContextSource[]): CitedAnswer {
  const known = new Map(sources.map((source) => [source.number, source]));
  const numberOf = new Map<number, number>();
  const text = renumber(answer, new Set(known.keys()), numberOf).trim();
  const cited = new Set([...answer.matchAll(MARK)].flatMap(([, numbers]) => numbersIn(numbers!)));
  return {
    text,
    citations: [...numberOf].map(([source, number]): Citation => {
      const { item } = known.get(source)!;
      return { number, item, quote: wordsOf(item) };
    }),
    unknown: cited.size - numberOf.size,
  };
}

/**
 * The text with its citations numbered anew.
 *
 * @param numberOf - the new numbers by those of the sources; what the text cites first is added.
 */
export function renumber(text: string, known: ReadonlySet<number>, numberOf: Map<number, number>): string {
  return text.replace(MARK, (_, numbers: string) =>
    numbersIn(numbers)
      .filter((number) => known.has(number))
      .map((number) => {
        const given = numberOf.get(number) ?? numberOf.size + 1;
        numberOf.set(number, given);
        return ` [${given}]`;
      })
      .join(''),
  );
}

/** Where the last citation of a source that exists ends in a text; 0 where there is none. */
export function endOfCitations(text: string, known: ReadonlySet<number>): number {
  const valid = [...text.matchAll(MARK)].filter(([, numbers]) =>
    numbersIn(numbers!).some((number) => known.has(number)),
  );
  const last = valid.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

function numbersIn(text: string): readonly number[] {
  return text.split(/[,;]/).map(Number);
}

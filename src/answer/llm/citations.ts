import type { Citation } from '../../model/retrieved-item.ts';
import type { ContextSource } from '../memory-context.ts';
import { wordsOf } from '../source-lines.ts';

/** The text of a model with checked citations, numbered from 1. */
export interface CitedAnswer {
  readonly text: string;
  readonly citations: readonly Citation[];
  /** Citations of missing sources, which were removed. */
  readonly unknown: number;
}

const NUMBERS = String.raw`#?\d{1,3}(?:\s*(?:[,;/&–—-]|,?\s*and)\s*#?\d{1,3})*`;
const NOUN = String.raw`(?:sources?|src|refs?|references?|citations?|cites?|documents?|docs?|facts?)\.?`;
/**
 * `[2]`, `[2, 5]`, `[1-3]`, `[^2]`, `[#2]`, `[source 2]`, `[Source 2: Ann]`, `【2】`, `【2†L1-L3】`, `［2］`, `\[2\]`, `[2](#2)`,
 * `(source 2)`, `<sup>2</sup>`, `<cite>2</cite>`.
 */
const MARK = new RegExp(
  [
    String.raw`\s*\\?[[【［〔]{1,2}\s?\^?(?:${NOUN}\s?[:#]?\s?)?(?<square>${NUMBERS})(?:\s?[†:|][^[\]【】［］〔〕\n]{0,60})?\^?\s?\\?[\]】］〕]{1,2}(?:\(#[^()\s]{0,60}\))?`,
    String.raw`\s*[(（]\s?(?:see |from |cf\.? )?${NOUN}\s?[:#]?\s?(?<round>${NUMBERS})\s?[)）]`,
    String.raw`\s*<(?<tag>sup|cite|source|ref|citation)>\s?\[?(?<tagged>${NUMBERS})\]?\s?</\k<tag>>`,
  ].join('|'),
  'giu',
);
/** Only where a text has no other mark: `¹`, `(2)`, a number after the sentence, `Sources: 1, 2` at the end. */
const WEAK_MARKS: readonly RegExp[] = [
  new RegExp(String.raw`\s*(?:^|[\s(*_])${NOUN}\s?[:#]?\s?(?<numbers>${NUMBERS})[)*_]*\.?(?=\s*$)`, 'giu'),
  /(?<=[\p{L}\p{N}]{3}[.!?”"']?|[.!?”"'])(?<numbers>[¹²³⁴-⁹⁰]{1,2}(?:[˒, ]{1,2}[¹²³⁴-⁹⁰]{1,2})*)(?![\p{L}\p{N}])/gu,
  new RegExp(String.raw`\s*[({]\s?(?<numbers>${NUMBERS})\s?[)}](?=\s*(?:[.,;!?]|$))`, 'giu'),
  new RegExp(String.raw`(?<=[.!?])\s+(?<numbers>${NUMBERS})\.?(?=\s*$)`, 'giu'),
];
const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** A line that says what a number stands for: "[^1]: I live in Oslo." */
const FOOTNOTE = /\n\s*\\?[[【]\^?\d{1,3}\^?\\?[\]】](?:\s?:[^\n]*|$)/gu;
/** A longer range is none of sources. */
const LONGEST_RANGE = 20;

/**
 * Checks the citations of an answer against the sources that the model was shown. Citations of missing sources are
 * removed; the others are renumbered in the order of the text. All common marks become `[n]`.
 */
export function readCitations(answer: string, sources: readonly ContextSource[]): CitedAnswer {
  const known = new Map(sources.map((source) => [source.number, source]));
  const numberOf = new Map<number, number>();
  const marked = withMarks(
    answer.replace(FOOTNOTE, (line) => (line.includes(':') ? '' : line)),
    known,
  );
  const text = renumber(marked, new Set(known.keys()), numberOf).trim();
  const cited = new Set([...marked.matchAll(MARK)].flatMap((mark) => numbersIn(mark)));
  return {
    text,
    citations: [...numberOf].map(([source, number]): Citation => {
      const { item } = known.get(source)!;
      return { number, item, quote: wordsOf(item) };
    }),
    unknown: cited.size - numberOf.size,
  };
}

/** A text without a mark of its own, with `[n]` for what may be meant as one. */
function withMarks(text: string, known: ReadonlyMap<number, unknown>): string {
  if (text.search(MARK) >= 0) return text;
  for (const weak of WEAK_MARKS) {
    const found = [...text.matchAll(weak)].flatMap((mark) => numbersIn(mark));
    if (found.length > 0 && found.every((number) => known.has(number)))
      return text.replace(weak, (...match) => {
        const { numbers } = match.at(-1) as { readonly numbers: string };
        return ` [${plain(numbers)}]`;
      });
  }
  return text;
}

/**
 * Renumbers the citations of a text.
 *
 * @param numberOf - maps numbers of sources to new numbers; newly cited sources are added.
 */
export function renumber(text: string, known: ReadonlySet<number>, numberOf: Map<number, number>): string {
  return text.replace(MARK, (...match) =>
    numbersIn({ groups: match.at(-1) })
      .filter((number) => known.has(number))
      .map((number) => {
        const given = numberOf.get(number) ?? numberOf.size + 1;
        numberOf.set(number, given);
        return ` [${given}]`;
      })
      .join(''),
  );
}

/** The end of a text that is still written, where the mark before it may get a second bracket or a link. */
const MAY_GO_ON = /^(?:\\|\\?[\]】］〕]|\([^()\s]*)?$/u;

/** Position after the last citation of an existing source before the footnotes of a text; 0 if there is none. */
export function endOfCitations(text: string, known: ReadonlySet<number>): number {
  const footnotes = text.search(FOOTNOTE);
  const before = footnotes < 0 ? text : text.slice(0, footnotes);
  const valid = [...before.matchAll(MARK)].filter(
    (mark) =>
      !MAY_GO_ON.test(before.slice(mark.index + mark[0].length, mark.index + mark[0].length + 70)) &&
      numbersIn(mark).some((number) => known.has(number)),
  );
  const last = valid.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

function numbersIn({ groups = {} }: Pick<RegExpMatchArray, 'groups'>): readonly number[] {
  const { square, round, tagged, numbers } = groups;
  const parts = plain(square ?? round ?? tagged ?? numbers ?? '').split(/\s*(?:[,;/&]|,?\s*and)\s*/u);
  return parts.flatMap((part) => {
    const [from, to = from] = part.split(/\s*[–—-]\s*/u).map(Number) as [number, number?];
    if (to! < from || to! - from > LONGEST_RANGE) return [from];
    return Array.from({ length: to! - from + 1 }, (_, at) => from + at);
  });
}

function plain(numbers: string): string {
  return numbers
    .replaceAll('#', '')
    .replaceAll('˒', ',')
    .replace(/[⁰¹²³⁴-⁹]/gu, (digit) => String(SUPERSCRIPT.indexOf(digit)));
}

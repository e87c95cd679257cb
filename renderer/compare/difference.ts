import type { GivenAnswer, Preferences, SearchResult } from '../../main/contract.ts';
import { type AnswerRelation, relationOf } from '../parts/answer/answer-change.ts';
import { itemsOf } from './side.ts';

/** How two runs of one question differ. */
export interface Difference {
  /** Numbers of turns, facts and entities that both found, and that one side alone found. */
  readonly common: number;
  readonly left: number;
  readonly right: number;
  /** Which side took longer, and how many times as long; null if they took about the same time. */
  readonly slower: { readonly side: 'left' | 'right'; readonly times: number } | null;
  /** Which side used more tokens of a model, and how many more; null if they used the same. */
  readonly dearer: { readonly side: 'left' | 'right'; readonly tokens: number } | null;
  readonly answers: AnswerRelation;
}

/** A side that is complete. */
export interface Ended {
  readonly found: SearchResult;
  readonly answer: GivenAnswer;
}

/** Within this factor, and within a millisecond, two times are about the same. */
const ABOUT = 1.15;
const LEAST_MILLISECONDS = 1;

export function differenceOf(left: Ended, right: Ended): Difference {
  const [ours, theirs] = [keysOf(left.found), keysOf(right.found)];
  const common = [...ours].filter((key) => theirs.has(key)).length;
  return {
    ...{ common, left: ours.size - common, right: theirs.size - common },
    slower: slowerOf(millisecondsOf(left), millisecondsOf(right)),
    dearer: dearerOf(tokensOf(left.answer), tokensOf(right.answer)),
    answers: relationOf(left.answer, right.answer),
  };
}

/** Things that a search found, by kind and id. */
export const keysOf = (found: SearchResult): ReadonlySet<string> => new Set(itemsOf(found).map(keyOf));
export const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string =>
  `${kind} ${id}`;

/** Of search and answer together; an older engine tells that of the search only. */
export const millisecondsOf = ({ found, answer }: Ended): number =>
  answer.trace?.milliseconds ?? found.milliseconds;

export const tokensOf = ({ usage }: Pick<GivenAnswer, 'usage'>): number =>
  usage.promptTokens + usage.completionTokens;

function slowerOf(left: number, right: number): Difference['slower'] {
  const [fast, slow] = [Math.min(left, right), Math.max(left, right)];
  if (slow - fast < LEAST_MILLISECONDS || slow < fast * ABOUT) return null;
  return { side: left > right ? 'left' : 'right', times: slow / Math.max(fast, 0.1) };
}

function dearerOf(left: number, right: number): Difference['dearer'] {
  return left === right ? null : { side: left > right ? 'left' : 'right', tokens: Math.abs(left - right) };
}

/** "2.1", "14", "140". */
export const formatTimes = (times: number): string => times.toFixed(times < 10 ? 1 : 0);

const MILLION = 1_000_000;

/** What the calls of a model cost; null without a price, zero without a call. */
export function dollarsOf(
  { calls, promptTokens, completionTokens }: GivenAnswer['usage'],
  price: Preferences['prices'][string] | undefined,
): number | null {
  if (calls === 0) return 0;
  if (price === undefined) return null;
  return (promptTokens * price.prompt + completionTokens * price.completion) / MILLION;
}

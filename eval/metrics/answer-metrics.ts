import { round } from './numbers.ts';

/** All from 0 to 1; BLEU-1 with its brevity penalty, ROUGE as F-measure. */
export interface AnswerScores {
  readonly exactMatch: number;
  readonly f1: number;
  readonly bleu1: number;
  readonly rouge1: number;
  readonly rouge2: number;
  readonly rougeL: number;
}

/**
 * Similarity of an answer's words to the gold's. Ignores case and punctuation. Exact match and F1 also drop articles
 * and remove punctuation within words, as SQuAD's script; the others split words at it, as ROUGE's.
 */
export function scoreAnswer(answer: string, gold: string): AnswerScores {
  const [squadAnswer, squadGold] = [squadWords(answer), squadWords(gold)];
  const [said, wanted] = [words(answer), words(gold)];
  return {
    exactMatch: squadAnswer.join(' ') === squadGold.join(' ') ? 1 : 0,
    f1: overlapF1(squadAnswer, squadGold),
    bleu1: bleu1(said, wanted),
    rouge1: overlapF1(said, wanted),
    rouge2: rouge2(said, wanted),
    rougeL: harmonic(longestCommon(said, wanted), said.length, wanted.length),
  };
}

/** The best of each, over the golds of an answer: at least one. */
export function bestScores([first, ...others]: readonly AnswerScores[]): AnswerScores {
  return others.reduce((best, scores) => {
    const keys = Object.keys(best) as (keyof AnswerScores)[];
    return Object.fromEntries(keys.map((key) => [key, Math.max(best[key], scores[key])])) as never;
  }, first!);
}

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

function squadWords(text: string): string[] {
  return fold(text)
    .replace(/[\p{P}\p{S}]/gu, '')
    .split(/\s+/)
    .filter((word) => word !== '' && !ARTICLES.has(word));
}

function words(text: string): string[] {
  return fold(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function pairs(sequence: readonly string[]): string[] {
  return sequence.slice(1).map((word, position) => `${sequence[position]} ${word}`);
}

/** A single word has no bigram, so it scores 0 even against itself, as in ROUGE's script. */
function rouge2(said: readonly string[], wanted: readonly string[]): number {
  return said.length < 2 || wanted.length < 2 ? 0 : overlapF1(pairs(said), pairs(wanted));
}

/** Two empty texts match: SQuAD's rule for "no answer". */
function overlapF1(said: readonly string[], wanted: readonly string[]): number {
  return harmonic(overlap(said, wanted), said.length, wanted.length);
}

/** The size of the multiset intersection of the words. */
function overlap(said: readonly string[], wanted: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of said) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared++;
    left.set(word, count - 1);
  }
  return shared;
}

/** Harmonic mean of `shared` over the one length and over the other. */
function harmonic(shared: number, length: number, otherLength: number): number {
  return length + otherLength === 0 ? 1 : (2 * shared) / (length + otherLength);
}

function bleu1(said: readonly string[], wanted: readonly string[]): number {
  if (said.length === 0) return wanted.length === 0 ? 1 : 0;
  const brevity = said.length >= wanted.length ? 1 : Math.exp(1 - wanted.length / said.length);
  return (brevity * overlap(said, wanted)) / said.length;
}

/** Length of the longest common subsequence, one row of the table at a time. */
function longestCommon(said: readonly string[], wanted: readonly string[]): number {
  let row = new Array<number>(wanted.length + 1).fill(0);
  for (const word of said) {
    const next = [0];
    for (const [position, other] of wanted.entries())
      next.push(word === other ? row[position]! + 1 : Math.max(row[position + 1]!, next[position]!));
    row = next;
  }
  return row.at(-1)!;
}

/** The confidence of an answer, and whether the question is answerable. */
export interface JudgedConfidence {
  /** From 0 to 1. */
  readonly confidence: number;
  /** Whether the gold has an answer; if not, the answerer should abstain. */
  readonly answerable: boolean;
}

/** The effect of a threshold: shares in percent with 2 decimals, null if there is no such question. */
export interface AbstentionPoint {
  readonly threshold: number;
  /** Share of answerable questions that would be answered. */
  readonly answered: number | null;
  /** Share of unanswerable questions that would not be answered. */
  readonly abstained: number | null;
}

const STEPS = 20;

/** The whole trade-off: thresholds from 0 to 1 in steps of 0.05. */
export function abstentionCurve(judged: readonly JudgedConfidence[]): AbstentionPoint[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => abstentionAt(judged, step / STEPS));
}

export function abstentionAt(judged: readonly JudgedConfidence[], threshold: number): AbstentionPoint {
  const share = (answerable: boolean, counts: (confidence: number) => boolean) => {
    const asked = judged.filter((each) => each.answerable === answerable);
    const found = asked.filter(({ confidence }) => counts(confidence)).length;
    return asked.length === 0 ? null : round((100 * found) / asked.length);
  };
  return {
    threshold,
    answered: share(true, (confidence) => confidence >= threshold),
    abstained: share(false, (confidence) => confidence < threshold),
  };
}

/**
 * How often an answerable question has a higher confidence than an unanswerable one, in percent (the area under the ROC
 * curve); 50 is chance. Null if one of the two kinds is missing.
 */
export function separation(judged: readonly JudgedConfidence[]): number | null {
  const [having, lacking] = [true, false].map((answerable) =>
    judged.filter((each) => each.answerable === answerable).map(({ confidence }) => confidence),
  ) as [number[], number[]];
  if (having.length === 0 || lacking.length === 0) return null;
  let won = 0;
  for (const sure of having) for (const other of lacking) won += sure > other ? 1 : sure === other ? 0.5 : 0;
  return round((100 * won) / (having.length * lacking.length));
}

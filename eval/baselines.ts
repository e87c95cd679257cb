import type { Embedder } from '../src/inference/embedder.ts';
import type { TurnInput } from '../src/model/turn-input.ts';
import { dotProduct } from '../src/util/dot-product.ts';
import { cancelledEvaluation, type EvaluationCase, type EvaluationQuestion } from './datasets/dataset.ts';
import type { QuestionResult } from './metrics/retrieval-metrics.ts';

/** What a recipe has to beat, without context, without knowledge of conversations. */
export const BASELINES = ['BM25', 'cosine', 'BM25 + cosine'] as const;
export type Baseline = (typeof BASELINES)[number];

/** Turns that a baseline ranks: as many as the deepest recall that is reported, with room for its distinct sessions. */
const DEPTH = 50;
const K1 = 1.2;
const B = 0.75;
/** Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const RANK_OFFSET = 60;

/** Positions of turns, best first. */
type Ranking = readonly number[];

/** Asks all questions of a case with each baseline. @throws CancelledError */
export async function runBaselines(
  each: EvaluationCase,
  embedder: Embedder,
  signal: AbortSignal | undefined,
): Promise<Record<Baseline, QuestionResult[]>> {
  const texts = each.turns.map(textOf);
  const byWords = bm25(texts);
  const byVector = cosine(await embedder.embed(texts, { as: 'passage', signal }));
  const results: Record<Baseline, QuestionResult[]> = { BM25: [], cosine: [], 'BM25 + cosine': [] };
  for (const question of each.questions) {
    if (signal?.aborted) throw cancelledEvaluation(signal);
    const started = performance.now();
    const words = byWords(question.text);
    const afterWords = performance.now();
    const [vector] = await embedder.embed([question.text], { as: 'query', signal });
    const vectors = byVector(vector!);
    const afterVectors = performance.now();
    const fused = reciprocalRanks([words, vectors]);
    const end = performance.now();
    const result = { question, turns: each.turns };
    results.BM25.push(resultOf(result, words, afterWords - started));
    results.cosine.push(resultOf(result, vectors, afterVectors - afterWords));
    results['BM25 + cosine'].push(resultOf(result, fused, end - started));
  }
  return results;
}

/** Who speaks, what they say, and what their pictures show. */
function textOf({ speaker, content, attachments = [] }: TurnInput): string {
  return [`${speaker}: ${content}`, ...attachments.map(({ description }) => description)].join('\n');
}

/**
 * Okapi's BM25 over words in lower case, neither stemmed nor filtered, with
 * idf(t) = ln(1 + (N − n(t) + 0.5) / (n(t) + 0.5)). Texts without a word of the question are left out.
 */
export function bm25(texts: readonly string[]): (question: string) => Ranking {
  const counts = texts.map((text) => {
    const words = wordsOf(text);
    const times = new Map<string, number>();
    for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
    return { times, length: words.length };
  });
  const average = counts.reduce((sum, { length }) => sum + length, 0) / counts.length;
  return (question) => {
    const scores = new Float64Array(texts.length);
    for (const word of new Set(wordsOf(question))) {
      const having = counts.filter(({ times }) => times.has(word)).length;
      const idf = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
      for (const [at, { times, length }] of counts.entries()) {
        const frequency = times.get(word) ?? 0;
        const norm = K1 * (1 - B + (B * length) / average);
        scores[at]! += (idf * frequency * (K1 + 1)) / (frequency + norm);
      }
    }
    return bestOf(scores).filter((at) => scores[at]! > 0);
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The cosine of each text's vector with the question's. */
export function cosine(vectors: readonly Float32Array[]): (question: Float32Array) => Ranking {
  return (question) => bestOf(Float64Array.from(vectors, (vector) => dotProduct(vector, question)));
}

/** Σ 1 / (60 + rank) over the rankings, ranks from 1. */
export function reciprocalRanks(rankings: readonly Ranking[]): Ranking {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    for (const [rank, at] of ranking.entries())
      scores.set(at, (scores.get(at) ?? 0) + 1 / (RANK_OFFSET + rank + 1));
  return [...scores].sort(([a, first], [b, second]) => second - first || a - b).map(([at]) => at);
}

/** At equal scores the earlier turn is first. */
function bestOf(scores: Float64Array): Ranking {
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, DEPTH);
}

function resultOf(
  { question, turns }: { readonly question: EvaluationQuestion; readonly turns: readonly TurnInput[] },
  ranking: Ranking,
  milliseconds: number,
): QuestionResult {
  const ranked = ranking.map((at) => turns[at]!);
  return {
    question,
    rankedTurns: ranked.flatMap(({ sourceId }) => sourceId ?? []),
    rankedSessions: ranked.flatMap(({ session }) => session ?? []),
    milliseconds,
  };
}

import type { VectorIndex } from '../../search/vector-index.ts';
import { mixScores } from '../mix-scores.ts';
import type { RouteInput } from '../route.ts';
import type { TraversalRoute } from './settings.ts';

/** Scores of facts and turns, each by the ordinals of their index. */
export interface RowScores {
  readonly fact: Float32Array;
  readonly episode: Float32Array;
}

/** How similar rows are to the question: 0 where nothing speaks for one, at most 1. */
export interface Similarity {
  readonly cosine: RowScores;
  /** The one that the route goes by. */
  readonly chosen: RowScores;
}

export function readSimilarity(
  { context: { index }, question, queryVector, rows }: RouteInput,
  { similarity, reading }: Pick<TraversalRoute, 'similarity' | 'reading'>,
): Similarity {
  const { facts, episodes } = index;
  const cosine = {
    fact: cosines(facts.vectors, facts.length, queryVector),
    episode: cosines(episodes.vectors, episodes.length, queryVector),
  };
  if (similarity === 'cosine') return { cosine, chosen: cosine };
  const fact = mixScores(facts.lexicalScores(question.allTerms), cosine.fact);
  return { cosine, chosen: { fact, episode: rows().turnScores.mixed(reading) } };
}

/** Of unit vectors the inner product is the cosine; 0 where there is no vector. */
function cosines(vectors: VectorIndex, rows: number, query: Float32Array): Float32Array {
  const scores = new Float32Array(Math.max(rows, vectors.ordinals));
  vectors.score(query, scores);
  return scores.map((score) => Math.max(0, score)).subarray(0, rows);
}

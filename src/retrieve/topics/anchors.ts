import type { ScopeIndex } from '../../search/scope-index.ts';
import { type Hit, topK } from '../../search/top-k.ts';
import { within } from '../system1/turn-scores.ts';

export interface AnchorRequest {
  readonly queryVector: Float32Array;
  /** Terms of the question, for a memory whose vectors are not compared. */
  readonly terms: readonly string[];
  /** By segment, 1 for those that may be anchors. */
  readonly topics: Uint8Array;
  readonly count: number;
}

export interface Anchors {
  /** The topics nearest to the question, best first. */
  readonly top: readonly number[];
  /** Their neighbours in the topic network, each with the topic that it was come to by. */
  readonly neighbours: ReadonlyMap<number, number>;
  /** Whether words decided, since no vector speaks for a topic. */
  readonly byWords: boolean;
}

/**
 * Semantic anchoring (GAM equation 9): the topics whose summaries are nearest to the question, and all that an edge
 * joins with one of them, whichever way it points and whatever its weight.
 */
export function findAnchors(index: ScopeIndex, request: AnchorRequest): Anchors {
  const near = nearest(index, request);
  const hits = near.length > 0 ? near : named(index, request);
  const top = hits.map(({ ordinal }) => ordinal);
  return { top, neighbours: neighboursOf(top, index, request.topics), byWords: near.length === 0 };
}

function nearest({ segments }: ScopeIndex, { queryVector, topics, count }: AnchorRequest): Hit[] {
  return segments.vectors.top(queryVector, count, topics).filter(({ score }) => score > 0);
}

function named({ segments }: ScopeIndex, { terms, topics, count }: AnchorRequest): Hit[] {
  return topK(within(segments.lexicalScores(terms), topics), count, { above: 0 });
}

function neighboursOf(
  top: readonly number[],
  { graphs: { related } }: ScopeIndex,
  topics: Uint8Array,
): ReadonlyMap<number, number> {
  const anchors = new Set(top);
  const found = new Map<number, number>();
  for (const topic of top)
    for (const direction of ['out', 'in'] as const)
      for (const other of related.neighbours(topic, direction).ordinals)
        if (topics[other] === 1 && !anchors.has(other) && !found.has(other)) found.set(other, topic);
  return found;
}

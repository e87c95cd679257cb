import type { ScopeIndex } from '../../search/scope-index.ts';
import { type Hit, topK } from '../../search/top-k.ts';
import type { Question } from '../question.ts';
import { within } from '../similarity/turn-scores.ts';
import type { Archive, Likeness } from './archive.ts';
import type { TopicsRoute } from './defaults.ts';

/** A unit of ranking: a turn, or a topic with its turns. */
export interface MemoryUnit {
  /** Ordinal of the turn or the segment. */
  readonly ordinal: number;
  /** In the order of the conversation; a turn contains only itself. */
  readonly turns: readonly number[];
}

interface Candidates {
  readonly units: readonly MemoryUnit[];
  readonly anchors: Anchors;
}

interface CandidateRequest {
  readonly index: ScopeIndex;
  readonly archive: Archive;
  readonly question: Question;
  readonly queryVector: Float32Array;
  readonly likeness: Likeness;
}

const NO_ANCHORS: Anchors = { top: [], neighbours: new Map(), byWords: false };

/** The drill-down (GAM equation 10): all archived turns of the anchors, or the replacement in an ablation (§4.4). */
export function findCandidates(request: CandidateRequest, route: TopicsRoute): Candidates {
  const { index, archive, question, queryVector, likeness } = request;
  if (route.anchors === 'none' && route.candidates === 'turns') {
    const nearest = topK(likeness.near(), route.flatTurns, { above: 0 });
    return { units: nearest.map(({ ordinal }) => single(ordinal)), anchors: NO_ANCHORS };
  }
  const topics = archive.topics();
  if (route.anchors === 'none') {
    const all = [...topics.keys()].filter((topic) => topics[topic] === 1);
    return { units: unitsOf(all, archive), anchors: NO_ANCHORS };
  }
  const anchors = findAnchors(index, {
    queryVector,
    topics,
    count: route.topics,
    terms: question.allTerms,
  });
  const reached = [...anchors.top, ...anchors.neighbours.keys()];
  const units = unitsOf(reached, archive);
  return { units: route.candidates === 'summaries' ? units : apart(units), anchors };
}

function unitsOf(topics: readonly number[], archive: Archive): MemoryUnit[] {
  return topics.map((ordinal) => ({ ordinal, turns: archive.turnsOf(ordinal) }));
}

function apart(units: readonly MemoryUnit[]): MemoryUnit[] {
  return [...new Set(units.flatMap(({ turns }) => turns))].map(single);
}

function single(turn: number): MemoryUnit {
  return { ordinal: turn, turns: [turn] };
}

interface AnchorRequest {
  readonly queryVector: Float32Array;
  /** Terms of the question, used if vectors give no anchor. */
  readonly terms: readonly string[];
  /** By segment ordinal, 1 for eligible anchors. */
  readonly topics: Uint8Array;
  readonly count: number;
}

export interface Anchors {
  /** The topics nearest to the question, best first. */
  readonly top: readonly number[];
  /** Their neighbours in the topic network, each mapped to the topic that led to it. */
  readonly neighbours: ReadonlyMap<number, number>;
  /** Whether anchors were found by words, because no topic has a cosine above 0. */
  readonly byWords: boolean;
}

/**
 * Semantic anchoring (GAM equation 9): the topics whose summaries are nearest to the question, and every topic with
 * an edge to or from one of them, regardless of weight.
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

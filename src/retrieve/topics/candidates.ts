import type { ScopeIndex } from '../../search/scope-index.ts';
import { topK } from '../../search/top-k.ts';
import type { Question } from '../question.ts';
import { type Anchors, findAnchors } from './anchors.ts';
import type { Archive } from './archive.ts';
import type { Likeness } from './likeness.ts';
import type { TopicsRoute } from './settings.ts';

/** What is ranked as one: a turn, or a topic with its turns. */
export interface MemoryUnit {
  /** Of the turn or the segment. */
  readonly ordinal: number;
  /** In the order of the conversation; of a turn, itself. */
  readonly turns: readonly number[];
}

export interface Candidates {
  readonly units: readonly MemoryUnit[];
  readonly anchors: Anchors;
}

export interface CandidateRequest {
  readonly index: ScopeIndex;
  readonly archive: Archive;
  readonly question: Question;
  readonly queryVector: Float32Array;
  readonly likeness: Likeness;
}

const NO_ANCHORS: Anchors = { top: [], neighbours: new Map(), byWords: false };

/** The drill-down (GAM equation 10): all archived turns of the anchors; or what an ablation has instead (§4.4). */
export function findCandidates(request: CandidateRequest, route: TopicsRoute): Candidates {
  const { index, archive, question, queryVector, likeness } = request;
  if (route.anchors === 'none' && route.candidates === 'turns') {
    const nearest = topK(likeness.near(), route.flatTurns, { above: 0 });
    return { units: nearest.map(({ ordinal }) => single(ordinal)), anchors: NO_ANCHORS };
  }
  const topics = archive.topics();
  if (route.anchors === 'none') {
    const all = [...topics.keys()].filter((topic) => topics[topic] === 1);
    return { units: whole(all, archive), anchors: NO_ANCHORS };
  }
  const anchors = findAnchors(index, {
    ...{ queryVector, topics, count: route.topics },
    terms: question.allTerms,
  });
  const reached = [...anchors.top, ...anchors.neighbours.keys()];
  const units = whole(reached, archive);
  return { units: route.candidates === 'summaries' ? units : apart(units), anchors };
}

function whole(topics: readonly number[], archive: Archive): MemoryUnit[] {
  return topics.map((ordinal) => ({ ordinal, turns: archive.turnsOf(ordinal) }));
}

function apart(units: readonly MemoryUnit[]): MemoryUnit[] {
  return [...new Set(units.flatMap(({ turns }) => turns))].map(single);
}

function single(turn: number): MemoryUnit {
  return { ordinal: turn, turns: [turn] };
}

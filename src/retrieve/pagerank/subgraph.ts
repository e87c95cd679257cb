import type { GraphView } from '../../search/graph-view.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { topK } from '../../search/top-k.ts';
import type { Limit } from '../limit.ts';
import type { Cosines } from './cosines.ts';
import { NodeSet } from './node-set.ts';
import type { RankableRows } from './rankable-rows.ts';

/** Ordinals of what is nearest to a question, by aspect (MemORAI §3.3.1). */
export interface Seeds {
  readonly segments: readonly number[];
  readonly entities: readonly number[];
  readonly facts: readonly number[];
}

interface Parts {
  readonly rows: RankableRows;
  readonly limit: Limit;
}

const ROWS_PER_CHECK = 4_096;

/** The nearest `most` of each aspect; the older one first where two are as near. */
export function seedsOf(rows: RankableRows, cosines: Cosines, most: number): Seeds {
  const nearest = (scores: Float32Array, which: Uint8Array) => {
    const allowed = scores.map((score, ordinal) => (which[ordinal] === 1 ? score : Number.NEGATIVE_INFINITY));
    return topK(allowed, most, { above: Number.NEGATIVE_INFINITY }).map(({ ordinal }) => ordinal);
  };
  return {
    segments: nearest(cosines.segment, rows.segments),
    entities: nearest(cosines.entity, rows.entities),
    facts: nearest(cosines.fact, rows.facts),
  };
}

/** Seeds, what seed facts join and cite, and all neighbours of seed nodes (PAPERS §2.8). */
export function subgraphOf(index: ScopeIndex, seeds: Seeds, { rows, limit }: Parts): NodeSet {
  const { about, evidence, mentions, inSegment } = index.graphs;
  const set = new NodeSet(index);
  const { firstTurn, firstSegment } = set;
  const isSeed = new Uint8Array(rows.entities.length);
  for (const entity of seeds.entities) isSeed[entity] = 1;
  const add = (ordinals: Uint32Array | readonly number[], allowed: Uint8Array, first: number) => {
    for (const ordinal of ordinals) if (allowed[ordinal] === 1) set.add(first + ordinal);
  };
  add(seeds.entities, rows.entities, 0);
  add(seeds.segments, rows.segments, firstSegment);
  for (const fact of seeds.facts) {
    add(othersOf(about, fact, 'out'), rows.entities, 0);
    add(othersOf(evidence, fact, 'out'), rows.turns, firstTurn);
  }
  for (const segment of seeds.segments) add(othersOf(inSegment, segment, 'in'), rows.turns, firstTurn);
  for (const entity of seeds.entities) {
    limit.check();
    add(othersOf(mentions, entity, 'in'), rows.turns, firstTurn);
  }
  addPartners(set, isSeed, { rows, limit });
  return set;
}

/** Everything that may take part. */
export function wholeGraphOf(index: ScopeIndex, rows: RankableRows): NodeSet {
  const set = new NodeSet(index);
  const kinds = [
    [rows.entities, 0],
    [rows.turns, set.firstTurn],
    [rows.segments, set.firstSegment],
  ] as const;
  for (const [allowed, first] of kinds)
    for (let ordinal = 0; ordinal < allowed.length; ordinal++)
      if (allowed[ordinal] === 1) set.add(first + ordinal);
  return set;
}

/** Entities that a fact joins with a seed. */
function addPartners(set: NodeSet, isSeed: Uint8Array, { rows: { pairs }, limit }: Parts): void {
  const { froms, tos } = pairs;
  for (let pair = 0; pair < froms.length; pair++) {
    if (pair % ROWS_PER_CHECK === 0) limit.check();
    if (isSeed[froms[pair]!] === 1) set.add(tos[pair]!);
    else if (isSeed[tos[pair]!] === 1) set.add(froms[pair]!);
  }
}

function othersOf(graph: GraphView, node: number, direction: 'in' | 'out'): Uint32Array {
  return graph.neighbours(node, direction).ordinals;
}

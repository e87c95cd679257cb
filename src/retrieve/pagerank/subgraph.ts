import type { GraphView } from '../../search/graph-view.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { topK } from '../../search/top-k.ts';
import type { Limit } from '../within-time.ts';
import type { RankableRows } from './rankable-rows.ts';

/** Cosines of a question with nodes and edges, by ordinal; 0 if there is no vector. */
export interface Cosines {
  /** The nearest description of each entity (docs/papers.md §2.3), or its profile's summary if it has none. */
  readonly entity: Float32Array;
  readonly turn: Float32Array;
  /** Of summaries. */
  readonly segment: Float32Array;
  /** Of statements. */
  readonly fact: Float32Array;
}

export function cosinesOf(index: ScopeIndex, query: Float32Array): Cosines {
  const { episodes, segments, facts } = index;
  return {
    entity: entityCosines(index, query),
    turn: episodes.vectors.cosines(query, episodes.length),
    segment: segments.vectors.cosines(query, segments.length),
    fact: facts.vectors.cosines(query, facts.length),
  };
}

function entityCosines({ entities, descriptions }: ScopeIndex, query: Float32Array): Float32Array {
  const nearest = descriptions.nearestOfEntities(query, entities.ids.length);
  if (nearest.indexOf(0) < 0) return nearest;
  const { profiles } = entities;
  const summaries = profiles.vectors.cosines(query, profiles.length);
  for (let entity = 0; entity < nearest.length; entity++) {
    if (nearest[entity] !== 0) continue;
    const profile = entities.profileOf(entities.ids.idOf(entity));
    if (profile !== undefined) nearest[entity] = summaries[profiles.ids.ordinalOf(profile.id)!]!;
  }
  return nearest;
}

const NOT_IN = -1;

/**
 * The nodes of a projection. Each has a number in the whole graph (entities before turns before segments) and a
 * position in this set, from 0 in the order in which they were added.
 */
export class NodeSet {
  /** Numbers of the first turn and the first segment in the whole graph. */
  readonly firstTurn: number;
  readonly firstSegment: number;
  /** By number in the whole graph, the position in this set; −1 for nodes not in it. */
  readonly places: Int32Array;
  readonly #nodes: Uint32Array;
  #size = 0;

  constructor({ entities, episodes, segments }: ScopeIndex) {
    this.firstTurn = entities.ids.length;
    this.firstSegment = this.firstTurn + episodes.length;
    const all = this.firstSegment + segments.length;
    this.places = new Int32Array(all).fill(NOT_IN);
    this.#nodes = new Uint32Array(all);
  }

  get size(): number {
    return this.#size;
  }

  /** Numbers in the whole graph; the view is valid until the next node is added. */
  get nodes(): Uint32Array {
    return this.#nodes.subarray(0, this.#size);
  }

  /** Number in the whole graph of the node at a position. */
  nodeAt(place: number): number {
    return this.#nodes[place]!;
  }

  add(node: number): void {
    if (this.places[node] !== NOT_IN) return;
    this.places[node] = this.#size;
    this.#nodes[this.#size++] = node;
  }
}

/** Ordinals of the rows nearest to a question, by aspect (MemORAI §3.3.1). */
interface Seeds {
  readonly segments: readonly number[];
  readonly entities: readonly number[];
  readonly facts: readonly number[];
}

interface Parts {
  readonly rows: RankableRows;
  readonly limit: Limit;
}

const ROWS_PER_CHECK = 4_096;

/** The nearest `most` rows of each aspect; the older one first on a tie. */
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

/** Seeds, the nodes that seed facts join and cite, and all neighbours of seed nodes (docs/papers.md §2.8). */
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

/** All rankable nodes. */
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

/** Adds entities that a fact joins with a seed. */
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

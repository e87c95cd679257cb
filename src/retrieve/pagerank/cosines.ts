import type { ScopeIndex } from '../../search/scope-index.ts';
import type { VectorIndex } from '../../search/vector-index.ts';

/** Cosines of a question with what nodes and edges stand for, by ordinal; 0 where there is no vector. */
export interface Cosines {
  /** The nearest description of each entity (PAPERS §2.3), or its profile's summary where it has none. */
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
    turn: cosinesOfVectors(episodes.vectors, query, episodes.length),
    segment: cosinesOfVectors(segments.vectors, query, segments.length),
    fact: cosinesOfVectors(facts.vectors, query, facts.length),
  };
}

function entityCosines({ entities, descriptions }: ScopeIndex, query: Float32Array): Float32Array {
  const nearest = descriptions.nearestOfEntities(query, entities.ids.length);
  if (nearest.indexOf(0) < 0) return nearest;
  const { profiles } = entities;
  const summaries = cosinesOfVectors(profiles.vectors, query, profiles.length);
  for (let entity = 0; entity < nearest.length; entity++) {
    if (nearest[entity] !== 0) continue;
    const profile = entities.profileOf(entities.ids.idOf(entity));
    if (profile !== undefined) nearest[entity] = summaries[profiles.ids.ordinalOf(profile.id)!]!;
  }
  return nearest;
}

function cosinesOfVectors(vectors: VectorIndex, query: Float32Array, length: number): Float32Array {
  const scores = new Float32Array(Math.max(length, vectors.ordinals));
  vectors.score(query, scores);
  if (vectors.size < scores.length)
    for (let ordinal = 0; ordinal < scores.length; ordinal++)
      if (scores[ordinal] === Number.NEGATIVE_INFINITY) scores[ordinal] = 0;
  return scores;
}

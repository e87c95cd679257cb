import type { GraphView } from '../../search/graph-view.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';

/** How much memory holds about each entity, by the entity's ordinal. */
export interface EntityCounts {
  /** Number of live facts about it. */
  readonly facts: Uint32Array;
  /** Number of live turns that mention it. */
  readonly turns: Uint32Array;
}

const kept = new WeakMap<ScopeIndex, { readonly revision: number; readonly counts: EntityCounts }>();

/** Linear in the relationships; kept until the next commit, because lists and pictures count every entity. */
export function entityCounts(index: ScopeIndex): EntityCounts {
  const { revision } = index;
  const known = kept.get(index);
  if (known?.revision === revision) return known.counts;
  const entities = index.entities.ids.length;
  const counts = {
    facts: counted(index.graphs.about, entities, (fact) => index.facts.lexical.has(fact)),
    turns: counted(index.graphs.mentions, entities, (turn) => index.episodes.conversation.isLive(turn)),
  };
  kept.set(index, { revision, counts });
  return counts;
}

function counted(graph: GraphView, entities: number, isLive: (row: number) => boolean): Uint32Array {
  const { offsets, others } = graph.adjacency('out');
  const counts = new Uint32Array(entities);
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (offsets[row] === offsets[row + 1] || !isLive(row)) continue;
    for (let edge = offsets[row]!; edge < offsets[row + 1]!; edge++) counts[others[edge]!]!++;
  }
  return counts;
}

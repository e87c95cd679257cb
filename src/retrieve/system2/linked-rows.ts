import type { SelectedNode } from '../../hierarchy/traverse/walk.ts';
import type { GraphView } from '../../search/graph-view.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { Eligible } from '../time-view.ts';

/** A row that follows from selected entities (Mnemis §2.3), and which of them, by their place in the selection. */
export interface Linked {
  readonly ordinal: number;
  readonly by: readonly number[];
}

export interface LinkedRows {
  /** Live turns that mention a selected entity, or that a fact about one rests on. */
  readonly turns: readonly Linked[];
  /** Valid facts about them. */
  readonly facts: readonly Linked[];
  /** Ordinals of other entities that those facts are about, and the facts, by their place in `facts`. */
  readonly across: readonly Linked[];
}

const NODES_WORTH_MERGING = 100;

/** @param selected Entities, the strongest first. */
export function linkedRows(
  index: ScopeIndex,
  selected: readonly Pick<SelectedNode, 'id'>[],
  eligible: Eligible,
): LinkedRows {
  const { mentions, about, evidence } = index.graphs;
  const { episodes, entities, facts } = index;
  const places = selected.map(({ id }) => entities.ids.ordinalOf(id));
  const isTurn = (turn: number) => episodes.conversation.isLive(turn) && eligible.episode?.[turn] !== 0;
  const isFact = (fact: number) => facts.lexical.has(fact) && eligible.fact?.[fact] !== 0;
  const ofFacts = gather(places, about, 'in').filter(({ ordinal }) => isFact(ordinal));
  const turns = new Map(gather(places, mentions, 'in').map(({ ordinal, by }) => [ordinal, new Set(by)]));
  for (const { ordinal, by } of ofFacts)
    for (const turn of evidence.neighbours(ordinal, 'out').ordinals) {
      const known = turns.get(turn) ?? new Set();
      for (const place of by) known.add(place);
      turns.set(turn, known);
    }
  const chosen = new Set(places);
  const factOrdinals = ofFacts.map(({ ordinal }) => ordinal);
  return {
    turns: [...turns]
      .filter(([turn]) => isTurn(turn))
      .map(([ordinal, by]) => ({ ordinal, by: ascending(by) })),
    facts: ofFacts,
    across: gather(factOrdinals, about, 'out').filter(({ ordinal }) => !chosen.has(ordinal)),
  };
}

/** Neighbours of nodes, with the places of the nodes in the list that they are neighbours of. */
function gather(nodes: readonly (number | undefined)[], graph: GraphView, direction: 'in' | 'out'): Linked[] {
  const found = new Map<number, number[]>();
  // Merging new edges takes time in all edges, going by without it some for each node.
  if (nodes.length > NODES_WORTH_MERGING) graph.adjacency(direction);
  for (const [place, node] of nodes.entries()) {
    if (node === undefined) continue;
    for (const other of graph.neighbours(node, direction).ordinals) {
      const by = found.get(other);
      if (by === undefined) found.set(other, [place]);
      else if (by.at(-1) !== place) by.push(place);
    }
  }
  return Array.from(found, ([ordinal, by]) => ({ ordinal, by }));
}

function ascending(places: ReadonlySet<number>): number[] {
  return [...places].sort((a, b) => a - b);
}

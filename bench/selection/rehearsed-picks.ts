import type { HierarchyView, ViewNode } from '../../src/hierarchy/traverse/hierarchy-view.ts';
import type { OfferedNode } from '../../src/hierarchy/traverse/selector.ts';
import type { LocalSelector } from '../../src/retrieve/categories/local-selector.ts';
import {
  type SelectInput,
  type ShownNode,
  shownNode,
} from '../../src/retrieve/categories/select-nodes-prompt.ts';

/**
 * `oracle` picks the nodes that lead to the evidence and some more; `local` picks those of the local selector,
 * regardless of the shown lines; `reader` uses only the shown lines and picks those nearest in meaning to the question.
 */
export const REHEARSALS = ['oracle', 'reader', 'local'] as const;
export type RehearsalName = (typeof REHEARSALS)[number];

/** What a simulated model knows of one question. */
export interface RehearsedQuestion {
  readonly view: HierarchyView;
  readonly local: LocalSelector;
  /** Ids of nodes that lead to the evidence. */
  readonly wanted: ReadonlySet<string>;
  /** Similarity in meaning of texts to the question. */
  readonly nearness: (texts: readonly string[]) => Promise<readonly number[]>;
}

/** Share of a list that a lenient reader picks in addition: the most similar lines. */
const LENIENCE = 0.2;
const LEAST_PICKS = 3;

/** The reply of a model to a list without ids: it picks nodes by their names. */
export async function rehearsedPicks(
  { nodes, question }: SelectInput,
  asked: RehearsedQuestion,
  rehearsal: RehearsalName,
): Promise<{ readonly open: readonly string[]; readonly all: readonly string[] }> {
  const { view, local } = asked;
  const entries = nodes.flatMap((node) => [node, ...node.children]);
  const met = new Set<string>();
  const shown = entries.map((entry) => offered(nodeOf(entry, view, met)));
  const layer = Math.max(...shown.map((node) => node.layer));
  const { picks } = await local.select({ question, layer, nodes: shown });
  const whole = new Set(picks.filter(({ all }) => all).map(({ id }) => id));
  const taken = await TAKEN[rehearsal]({ entries, shown, picked: picks.map(({ id }) => id), asked });
  const numbers = (isSo: (id: string) => boolean) =>
    shown.flatMap(({ id }, at) => (taken.has(id) && isSo(id) ? [String(at + 1)] : []));
  return { open: numbers((id) => !whole.has(id)), all: numbers((id) => whole.has(id)) };
}

interface ShownList {
  readonly entries: readonly ShownNode[];
  readonly shown: readonly OfferedNode[];
  /** Ids that the local selector picks. */
  readonly picked: readonly string[];
  readonly asked: RehearsedQuestion;
}

const TAKEN: Readonly<Record<RehearsalName, (list: ShownList) => Promise<ReadonlySet<string>>>> = {
  local: async ({ picked }) => new Set(picked),
  oracle: async ({ entries, shown, asked }) => {
    const scores = shown.map((node) => asked.local.score(node));
    return new Set([...highest(shown, scores, 0), ...wantedOf(entries, shown, asked)]);
  },
  reader: async ({ entries, shown, asked }) => {
    const scores = await asked.nearness(entries.map(shownNode));
    return new Set(highest(shown, scores, LEAST_PICKS));
  },
};

/** The best share of a list, at least a minimum number, without nodes of score 0. */
function highest(
  shown: readonly OfferedNode[],
  scores: readonly number[],
  atLeast: number,
): readonly string[] {
  return shown
    .map(({ id }, at) => ({ id, score: scores[at]! }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, Math.max(atLeast, Math.ceil(LENIENCE * shown.length)))
    .map(({ id }) => id);
}

/** A model picks all nodes with the same line. */
function wantedOf(
  entries: readonly ShownNode[],
  shown: readonly OfferedNode[],
  { view, wanted }: Pick<RehearsedQuestion, 'view' | 'wanted'>,
): readonly string[] {
  return shown
    .filter((_, at) => alike(entries[at]!, view).some(({ id }) => wanted.has(id)))
    .map(({ id }) => id);
}

function nodeOf(entry: ShownNode, view: HierarchyView, met: Set<string>): ViewNode {
  const nodes = alike(entry, view);
  const node = nodes.find(({ id }) => !met.has(id)) ?? nodes[0]!;
  met.add(node.id);
  return node;
}

function alike({ name, tags }: ShownNode, view: HierarchyView): readonly ViewNode[] {
  const named = namesOf(view).get(name) ?? [];
  const tagged = named.filter(
    (node) => tags.length === node.tags.length && tags.every((tag, at) => tag === node.tags[at]),
  );
  return tagged.length > 0 ? tagged : named;
}

const byName = new WeakMap<HierarchyView, ReadonlyMap<string, readonly ViewNode[]>>();

function namesOf(view: HierarchyView): ReadonlyMap<string, readonly ViewNode[]> {
  const known = byName.get(view);
  if (known !== undefined) return known;
  const nodes = new Map<string, Map<string, ViewNode>>();
  for (const id of nodesOf(view)) {
    const node = view.node(id)!;
    nodes.set(node.name, (nodes.get(node.name) ?? new Map()).set(id, node));
  }
  const names = new Map(Array.from(nodes, ([name, same]) => [name, [...same.values()]]));
  byName.set(view, names);
  return names;
}

/** Ids of all nodes of a view, each once. */
export function nodesOf({ top, categories }: HierarchyView): ReadonlySet<string> {
  return new Set([...top, ...categories.flatMap(({ id, children }) => [id, ...children])]);
}

function offered({ id, layer, name, tags, children }: ViewNode): OfferedNode {
  return { id, layer, name, tags, childCount: children.length };
}

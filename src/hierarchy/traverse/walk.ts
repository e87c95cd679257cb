import { CancelledError, MnemisError } from '../../errors/index.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { WalkEnd, WalkStep } from '../../model/retrieved-item.ts';
import type { HierarchyView, ViewNode } from './hierarchy-view.ts';
import type { OfferedNode, Pick, Selection, Selector } from './selector.ts';

export interface WalkSettings {
  /** At most so many picks of one list are walked further, the best ones. */
  readonly beam: number;
  /** A first list of at most so many nodes is not asked about: what is below them is offered at once. */
  readonly skipTop: number;
  /** Where a list and the nodes below it are together at most so many, they are shown in one list; 0: never. */
  readonly together: number;
}

/** A node that a walk picked, or took with a whole category. */
export interface SelectedNode {
  readonly id: string;
  /** 0 for an entity. */
  readonly layer: number;
  /** The pick's; a little less with each layer below a category that was taken whole. */
  readonly score: number;
  /** Names from the top to the node itself. */
  readonly path: readonly string[];
  /** It came with a category that was taken whole. */
  readonly member: boolean;
}

export interface Walk {
  /** In the order in which they were picked; empty where the walk failed. */
  readonly selected: readonly SelectedNode[];
  readonly steps: readonly WalkStep[];
  readonly end: WalkEnd;
  readonly failure: string | null;
}

type Path = readonly string[];

const NAMES_IN_TRACE = 50;
const BELOW = 0.95;

/**
 * Global Selection's walk (PAPERS §1.6): a selector picks nodes of the top list; what is below a pick that takes all
 * is selected with it, the children of the other picks are the next list, down to entities. No node is offered twice,
 * so that the walk ends whatever the hierarchy and the replies are.
 *
 * A failure of the selector leaves nothing selected and is told in `failure`. @throws CancelledError
 */
export async function walk(
  view: HierarchyView,
  question: string,
  {
    selector,
    settings,
    calls = {},
  }: { selector: Selector; settings: WalkSettings; calls?: ModelCallOptions },
): Promise<Walk> {
  const steps: WalkStep[] = [];
  const going = new Going(view, settings);
  const done = (end: WalkEnd, selected = going.selected(), failure: string | null = null): Walk => ({
    ...{ selected, steps, end, failure },
  });
  if (view.top.length === 0) return done('no-hierarchy');
  try {
    for (let list = going.first(); list.length > 0; ) {
      if (calls.signal?.aborted) throw new CancelledError('memory is as it was', calls.signal.reason);
      const nodes = going.offer(list);
      const layer = Math.max(...nodes.map((node) => node.layer));
      const selection = await selector.select({ question, layer, nodes }, calls);
      const taken = going.take(nodes, selection);
      steps.push(stepOf({ layer, nodes, taken }));
      if (taken.picks.length === 0) return done('no-picks');
      list = taken.next;
    }
    return done('complete');
  } catch (error) {
    if (CancelledError.isInstance(error) || !MnemisError.isInstance(error)) throw error;
    return done('failed', [], error.code);
  }
}

interface Taken {
  readonly picks: readonly { readonly node: ViewNode; readonly all: boolean }[];
  readonly notes: readonly string[];
  /** Ids of the list that follows. */
  readonly next: readonly string[];
}

/** A walk under way: what was offered and selected, and how one gets there. */
class Going {
  readonly #view: HierarchyView;
  readonly #settings: WalkSettings;
  /** Of every node that was offered, as it was first come to. */
  readonly #paths = new Map<string, Path>();
  readonly #selected = new Map<string, SelectedNode>();

  constructor(view: HierarchyView, settings: WalkSettings) {
    this.#view = view;
    this.#settings = settings;
  }

  selected(): readonly SelectedNode[] {
    return [...this.#selected.values()];
  }

  first(): readonly string[] {
    const { top } = this.#view;
    for (const id of top) this.#paths.set(id, [this.#node(id).name]);
    if (top.length > this.#settings.skipTop) return top;
    const opened = top.flatMap((id) => {
      const { children } = this.#node(id);
      return children.length === 0 ? [id] : this.#below(id);
    });
    return opened;
  }

  offer(list: readonly string[]): readonly OfferedNode[] {
    const nodes = list.map((id) => offered(this.#node(id)));
    const fresh = new Map(list.map((id) => [id, this.#freshChildren(id)]));
    const total = [...fresh.values()].reduce((sum, children) => sum + children.length, list.length);
    if (total > this.#settings.together || total === list.length) return nodes;
    const shown = new Set<string>();
    return nodes.map((node) => {
      const children = fresh.get(node.id)!.filter((id) => !shown.has(id));
      for (const id of children) shown.add(id);
      return { ...node, children: children.map((id) => offered(this.#node(id))) };
    });
  }

  take(nodes: readonly OfferedNode[], { picks, notes: told }: Selection): Taken {
    const parents = new Map<string, string | null>();
    for (const { id, children = [] } of nodes) {
      parents.set(id, null);
      for (const child of children) parents.set(child.id, id);
    }
    const known = distinctPicks(picks).filter(({ id }) => parents.has(id));
    const notes = [...told];
    const unknown = picks.filter(({ id }) => !parents.has(id)).length;
    if (unknown > 0) notes.push(`${unknown} picked that were not in the list`);
    for (const { id } of known) this.#showBelow(id, parents.get(id));
    for (const pick of known) this.#select(pick);
    const open = known.filter(({ id, all }) => !all && this.#node(id).children.length > 0);
    const walked = open.slice(0, this.#settings.beam);
    if (walked.length < open.length) notes.push(`${open.length - walked.length} picked, but not walked`);
    // Where children were shown and picked, the others had their turn.
    const answered = new Set(known.map(({ id }) => parents.get(id)));
    const next = walked.filter(({ id }) => !answered.has(id)).flatMap(({ id }) => this.#below(id));
    return { picks: known.map(({ id, all }) => ({ node: this.#node(id), all })), notes, next };
  }

  #node(id: string): ViewNode {
    return this.#view.node(id)!;
  }

  #freshChildren(id: string): readonly string[] {
    return this.#node(id).children.filter((child) => !this.#paths.has(child));
  }

  /** Children that were not come to before, which they now are. */
  #below(id: string): readonly string[] {
    const fresh = this.#freshChildren(id);
    for (const child of fresh) this.#showBelow(child, id);
    return fresh;
  }

  #showBelow(id: string, parent: string | null | undefined): void {
    if (parent && !this.#paths.has(id))
      this.#paths.set(id, [...this.#paths.get(parent)!, this.#node(id).name]);
  }

  #select({ id, all, score }: Pick): void {
    const open = [{ id, score, path: this.#paths.get(id)!, member: false }];
    const met = new Set<string>();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (met.has(next.id)) continue;
      met.add(next.id);
      const { layer, children } = this.#node(next.id);
      const before = this.#selected.get(next.id);
      const member = next.member || before?.member === true;
      const best = before === undefined || before.score < next.score ? next : before;
      this.#selected.set(next.id, { ...best, layer, member });
      if (!this.#paths.has(next.id)) this.#paths.set(next.id, next.path);
      if (!all) return;
      const { path } = next;
      const lower = next.score * BELOW;
      for (const child of children.toReversed())
        open.push({ id: child, score: lower, path: [...path, this.#node(child).name], member: true });
    }
  }
}

function distinctPicks(picks: readonly Pick[]): readonly Pick[] {
  const byId = new Map<string, Pick>();
  for (const pick of picks) {
    const before = byId.get(pick.id);
    const score = Number.isFinite(pick.score) ? Math.min(1, Math.max(0, pick.score)) : 0;
    byId.set(pick.id, {
      id: pick.id,
      all: pick.all || before?.all === true,
      score: Math.max(score, before?.score ?? 0),
    });
  }
  return [...byId.values()].sort((a, b) => b.score - a.score);
}

function offered({ id, layer, name, tags, children }: ViewNode): OfferedNode {
  return { id, layer, name, tags, childCount: children.length };
}

function stepOf({
  layer,
  nodes,
  taken: { picks, notes },
}: {
  layer: number;
  nodes: readonly OfferedNode[];
  taken: Taken;
}): WalkStep {
  const shown = nodes.flatMap((node) => [node, ...(node.children ?? [])]);
  return {
    layer,
    offered: shown.length,
    names: shown.slice(0, NAMES_IN_TRACE).map(({ name }) => name),
    picks: picks.slice(0, NAMES_IN_TRACE).map(({ node, all }) => ({ name: node.name, all })),
    picked: picks.length,
    notes,
  };
}

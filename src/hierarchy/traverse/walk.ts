import { CancelledError, MnemisError } from '../../errors/index.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { WalkEnd, WalkStep } from '../../model/retrieved-item.ts';
import type { HierarchyView, ViewNode } from './hierarchy-view.ts';
import type { OfferedNode, Pick, Selection, Selector } from './selector.ts';

export interface WalkSettings {
  /** Maximum of picks per list that the walk follows; the best are kept. */
  readonly beam: number;
  /** A first list of at most this many nodes is replaced by the nodes below it. */
  readonly skipTop: number;
  /** A list that has at most this many nodes together with their children is shown with them; 0: never. */
  readonly together: number;
}

/** A node that a walk picked, or that is below a category selected whole. */
export interface SelectedNode {
  readonly id: string;
  /** 0 for an entity. */
  readonly layer: number;
  /** Score of the pick, reduced per layer below a category selected whole. */
  readonly score: number;
  /** Names from the top to the node itself. */
  readonly path: readonly string[];
  /** Whether it was selected as part of a whole category. */
  readonly member: boolean;
}

export interface Walk {
  /** In the order of selection; empty if the walk failed. */
  readonly selected: readonly SelectedNode[];
  readonly steps: readonly WalkStep[];
  readonly end: WalkEnd;
  readonly failure: string | null;
}

/** What is shown of a node. */
type Called = Readonly<{ name: string; tags: readonly string[] }>;

export interface WalkOptions {
  readonly selector: Selector;
  readonly settings: WalkSettings;
  readonly calls?: ModelCallOptions;
  /**
   * Current name and tags of a node; undefined if it was deleted since the view was made. Default: those of the view.
   */
  readonly current?: (id: string) => Called | undefined;
  /** Breaks ties between picks of equal score if the beam cannot follow all: higher first. */
  readonly prefer?: (node: OfferedNode) => number;
}

/** Ids from the top to the node itself. */
type Path = readonly string[];

const NAMES_IN_TRACE = 50;
const BELOW = 0.95;

/**
 * Global Selection's walk (docs/papers.md §1.6): a selector picks nodes of the top list. For a pick with `all`,
 * everything below it is selected; the children of the other picks are the next list, down to entities. No node is
 * offered twice, so the walk ends for every hierarchy and every reply. Nodes deleted while a selector runs are not
 * offered again and not named in the result.
 *
 * If the selector fails, nothing is selected and `failure` has the error code. @throws CancelledError
 */
export async function walk(
  view: HierarchyView,
  question: string,
  { selector, calls = {}, ...options }: WalkOptions,
): Promise<Walk> {
  const steps: Step[] = [];
  const state = new WalkState(view, options);
  const done = (end: WalkEnd, failure: string | null = null): Walk => ({
    selected: end === 'failed' ? [] : state.selected(),
    steps: steps.map((step) => state.report(step)),
    ...{ end, failure },
  });
  if (view.top.length === 0) return done('no-hierarchy');
  try {
    for (let list = state.first(); list.length > 0; ) {
      if (calls.signal?.aborted) throw new CancelledError('memory is unchanged', calls.signal.reason);
      const nodes = state.offer(list);
      if (nodes.length === 0) break;
      const layer = nodes.reduce((highest, node) => Math.max(highest, node.layer), 0);
      const selection = await selector.select({ question, layer, nodes }, calls);
      const taken = state.take(nodes, selection);
      steps.push({ layer, nodes, taken });
      if (taken.picks.length === 0) return done('no-picks');
      list = taken.next;
    }
    return done('complete');
  } catch (error) {
    if (CancelledError.isInstance(error) || !MnemisError.isInstance(error)) throw error;
    return done('failed', error.code);
  }
}

interface Taken {
  readonly picks: readonly Pick[];
  readonly notes: readonly string[];
  /** Ids of the next list. */
  readonly next: readonly string[];
}

interface Step {
  readonly layer: number;
  readonly nodes: readonly OfferedNode[];
  readonly taken: Taken;
}

interface Reached extends Omit<SelectedNode, 'path'> {
  readonly path: Path;
}

/** State of a walk: nodes offered and selected, with their paths. */
class WalkState {
  readonly #view: HierarchyView;
  readonly #settings: WalkSettings;
  readonly #current: (id: string) => Called | undefined;
  readonly #prefer: (node: OfferedNode) => number;
  /** Path by which each node was first reached. */
  readonly #paths = new Map<string, Path>();
  readonly #selected = new Map<string, Reached>();

  constructor(view: HierarchyView, { settings, current, prefer }: Omit<WalkOptions, 'selector' | 'calls'>) {
    this.#view = view;
    this.#settings = settings;
    this.#current = current ?? ((id) => view.node(id));
    this.#prefer = prefer ?? (() => 0);
  }

  /** Selected nodes that still exist, with their current names. */
  selected(): readonly SelectedNode[] {
    return [...this.#selected.values()]
      .filter(({ id }) => this.#current(id) !== undefined)
      .map((node) => ({ ...node, path: this.#names(node.path) }));
  }

  report({ layer, nodes, taken: { picks, notes } }: Step): WalkStep {
    const shown = nodes.flatMap((node) => [node, ...(node.children ?? [])]);
    const first = picks.slice(0, NAMES_IN_TRACE);
    return {
      ...{ layer, offered: shown.length },
      names: this.#names(shown.slice(0, NAMES_IN_TRACE).map(({ id }) => id)),
      picks: first.flatMap(({ id, all }) => this.#names([id]).map((name) => ({ name, all }))),
      ...{ picked: picks.length, notes },
    };
  }

  first(): readonly string[] {
    const { top } = this.#view;
    for (const id of top) this.#paths.set(id, [id]);
    if (top.length > this.#settings.skipTop) return top;
    const opened = top.flatMap((id) => {
      const { children } = this.#node(id);
      return children.length === 0 ? [id] : this.#below(id);
    });
    return opened;
  }

  offer(list: readonly string[]): readonly OfferedNode[] {
    const there = this.#there(list);
    const nodes = there.map((id) => this.#offered(id)!);
    const fresh = new Map(there.map((id) => [id, this.#freshChildren(id)]));
    const total = [...fresh.values()].reduce((sum, children) => sum + children.length, there.length);
    if (total > this.#settings.together || total === there.length) return nodes;
    const shown = new Set<string>();
    return nodes.map((node) => {
      const children = fresh.get(node.id)!.filter((id) => !shown.has(id));
      for (const id of children) shown.add(id);
      return { ...node, children: children.flatMap((id) => this.#offered(id) ?? []) };
    });
  }

  take(nodes: readonly OfferedNode[], { picks, notes: selectorNotes }: Selection): Taken {
    const parents = new Map<string, string | null>();
    const shown = new Map<string, OfferedNode>();
    for (const node of nodes) {
      for (const each of [node, ...(node.children ?? [])]) shown.set(each.id, each);
      parents.set(node.id, null);
      for (const child of node.children ?? []) parents.set(child.id, node.id);
    }
    const known = distinctPicks(picks).filter(({ id }) => parents.has(id));
    const notes = [...selectorNotes];
    const unknown = picks.filter(({ id }) => !parents.has(id)).length;
    if (unknown > 0) notes.push(`${unknown} picks were not in the list`);
    for (const { id } of known) this.#showBelow(id, parents.get(id));
    for (const pick of known) this.#select(pick);
    const open = known.filter(({ id, all }) => !all && this.#node(id).children.length > 0);
    const walked = bestPicks(open, this.#settings.beam, ({ id }) => this.#prefer(shown.get(id)!));
    if (walked.length < open.length) notes.push(`${open.length - walked.length} picks were not followed`);
    // If a child was picked beside its parent, its siblings were offered already.
    const answered = new Set(known.map(({ id }) => parents.get(id)));
    const next = walked.filter(({ id }) => !answered.has(id)).flatMap(({ id }) => this.#below(id));
    return { picks: known, notes, next };
  }

  #node(id: string): ViewNode {
    return this.#view.node(id)!;
  }

  #names(ids: readonly string[]): readonly string[] {
    return ids.flatMap((id) => this.#current(id)?.name ?? []);
  }

  #offered(id: string): OfferedNode | undefined {
    const called = this.#current(id);
    if (called === undefined) return undefined;
    const { layer, children } = this.#node(id);
    return { id, layer, name: called.name, tags: called.tags, childCount: children.length };
  }

  /** Drops deleted nodes; replaces a category that lost its name by its children, as in the view. */
  #there(list: readonly string[]): readonly string[] {
    const there: string[] = [];
    const open = list.toReversed();
    for (let id = open.pop(); id !== undefined; id = open.pop())
      if (this.#current(id) !== undefined) there.push(id);
      else for (const child of this.#below(id).toReversed()) open.push(child);
    return there;
  }

  #freshChildren(id: string): readonly string[] {
    return this.#node(id).children.filter((child) => !this.#paths.has(child));
  }

  /** Children not reached before; marks them as reached. */
  #below(id: string): readonly string[] {
    const fresh = this.#freshChildren(id);
    for (const child of fresh) this.#showBelow(child, id);
    return fresh;
  }

  #showBelow(id: string, parent: string | null | undefined): void {
    if (parent && !this.#paths.has(id)) this.#paths.set(id, [...this.#paths.get(parent)!, id]);
  }

  #select({ id, all, score }: Pick): void {
    const open: Omit<Reached, 'layer'>[] = [{ id, score, path: this.#paths.get(id)!, member: false }];
    const visited = new Set<string>();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (visited.has(next.id)) continue;
      visited.add(next.id);
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
        open.push({ id: child, score: lower, path: [...path, child], member: true });
    }
  }
}

/**
 * The best picks, in their given order: by score, ties (usual with models) by preference, which is computed only if
 * not all are taken.
 */
function bestPicks(
  picks: readonly Pick[],
  most: number,
  preferenceOf: (pick: Pick) => number,
): readonly Pick[] {
  if (picks.length <= most) return picks;
  const rated = picks.map((pick) => ({ pick, preference: preferenceOf(pick) }));
  const best = rated
    .sort((a, b) => b.pick.score - a.pick.score || b.preference - a.preference)
    .slice(0, most);
  const taken = new Set(best.map(({ pick }) => pick));
  return picks.filter((pick) => taken.has(pick));
}

/** Each node once, with `all` if one of its picks has it and scores clamped to 0 to 1; best first. */
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

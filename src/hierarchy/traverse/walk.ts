import type { WalkStep } from '../../model/retrieved-item.ts';
import type { HierarchyView, ViewNode } from './hierarchy-view.ts';
import type { OfferedNode, Pick, Selection } from './selector.ts';

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

/** What is shown of a node. */
type Called = Readonly<{ name: string; tags: readonly string[] }>;

export interface WalkOptions {
  readonly settings: WalkSettings;
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

/** A selector's reply to one list. */
type Reply = Omit<Selection, 'usage'>;

interface Taken extends Reply {
  /** Ids of the next list. */
  readonly next: readonly string[];
}

/** One list of a walk, and what was picked from it. */
interface Step {
  readonly layer: number;
  readonly nodes: readonly OfferedNode[];
  readonly picks: readonly Pick[];
  readonly notes: readonly string[];
}

interface Reached extends Omit<SelectedNode, 'path'> {
  readonly path: Path;
}

/**
 * Global Selection's walk (docs/papers.md §1.6), list by list: nodes of the top list are offered, some are picked. For a
 * pick with `all`, everything below it is selected; the children of the other picks are the next list, down to entities.
 * No node is offered twice, so the walk ends for every hierarchy and every reply. Nodes deleted while a selector runs are
 * not offered again and not named in the result.
 *
 * A walk follows from its picks: the same picks, taken in the same order, lead to the same lists.
 */
export class HierarchyWalk {
  readonly #view: HierarchyView;
  readonly #settings: WalkSettings;
  readonly #current: (id: string) => Called | undefined;
  readonly #prefer: (node: OfferedNode) => number;
  /** The path that first reached each node. */
  readonly #paths = new Map<string, Path>();
  readonly #selected = new Map<string, Reached>();
  readonly #steps: Step[] = [];
  /** Ids of the next list. */
  #list: readonly string[];
  #offered: readonly OfferedNode[] | null = null;

  constructor(view: HierarchyView, { settings, current, prefer }: WalkOptions) {
    this.#view = view;
    this.#settings = settings;
    this.#current = current ?? ((id) => view.node(id));
    this.#prefer = prefer ?? (() => 0);
    this.#list = this.#first();
  }

  /** What the selectors picked so far, list by list. */
  get picks(): readonly (readonly Pick[])[] {
    return this.#steps.map(({ picks }) => picks);
  }

  /** The nodes of the next list; empty at the end of the walk. */
  offer(): readonly OfferedNode[] {
    this.#offered ??= this.#list.length === 0 ? [] : this.#offeredOf(this.#list);
    return this.#offered;
  }

  /** Layer of the highest node of the next list. */
  get layer(): number {
    return this.offer().reduce((highest, node) => Math.max(highest, node.layer), 0);
  }

  /** Takes the reply for the list that `offer` gave. @returns the picks that were in the list, and notes on the others. */
  take({ picks, notes }: Reply): Reply {
    const nodes = this.offer();
    const { layer } = this;
    const taken = this.#take(nodes, { picks, notes });
    this.#steps.push({ layer, nodes, picks: taken.picks, notes: taken.notes });
    this.#list = taken.picks.length === 0 ? [] : taken.next;
    this.#offered = null;
    return taken;
  }

  /** Selected nodes that still exist, with their current names; in the order of selection. */
  selected(): readonly SelectedNode[] {
    return [...this.#selected.values()]
      .filter(({ id }) => this.#current(id) !== undefined)
      .map((node) => ({ ...node, path: this.#names(node.path) }));
  }

  /** A report of each list, for a trace. */
  report(): readonly WalkStep[] {
    return this.#steps.map(({ layer, nodes, picks, notes }) => {
      const shown = nodes.flatMap((node) => [node, ...(node.children ?? [])]);
      const first = picks.slice(0, NAMES_IN_TRACE);
      return {
        layer,
        offered: shown.length,
        names: this.#names(shown.slice(0, NAMES_IN_TRACE).map(({ id }) => id)),
        picks: first.flatMap(({ id, all }) => this.#names([id]).map((name) => ({ name, all }))),
        picked: picks.length,
        notes,
      };
    });
  }

  #first(): readonly string[] {
    const { top } = this.#view;
    for (const id of top) this.#paths.set(id, [id]);
    if (top.length > this.#settings.skipTop) return top;
    const opened = top.flatMap((id) => {
      const { children } = this.#node(id);
      return children.length === 0 ? [id] : this.#below(id);
    });
    return opened;
  }

  #offeredOf(list: readonly string[]): readonly OfferedNode[] {
    const there = this.#there(list);
    const nodes = there.map((id) => this.#offeredNode(id)!);
    const fresh = new Map(there.map((id) => [id, this.#freshChildren(id)]));
    const total = [...fresh.values()].reduce((sum, children) => sum + children.length, there.length);
    if (total > this.#settings.together || total === there.length) return nodes;
    const shown = new Set<string>();
    return nodes.map((node) => {
      const children = fresh.get(node.id)!.filter((id) => !shown.has(id));
      for (const id of children) shown.add(id);
      return { ...node, children: children.flatMap((id) => this.#offeredNode(id) ?? []) };
    });
  }

  #take(nodes: readonly OfferedNode[], { picks, notes: selectorNotes }: Reply): Taken {
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

  #offeredNode(id: string): OfferedNode | undefined {
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

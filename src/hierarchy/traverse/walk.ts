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

/** What is shown of a node. */
type Called = Readonly<{ name: string; tags: readonly string[] }>;

export interface WalkOptions {
  readonly selector: Selector;
  readonly settings: WalkSettings;
  readonly calls?: ModelCallOptions;
  /** How a node is called now; undefined for what is gone since the view was made. Default: as the view has it. */
  readonly current?: (id: string) => Called | undefined;
  /** Says which of picks with equal scores are walked, where the beam cannot take all: the higher, the rather. */
  readonly prefer?: (node: OfferedNode) => number;
}

/** Ids from the top to the node itself. */
type Path = readonly string[];

const NAMES_IN_TRACE = 50;
const BELOW = 0.95;

/**
 * Global Selection's walk (docs/papers.md §1.6): a selector picks nodes of the top list; what is below a pick that
 * takes all is selected with it, the children of the other picks are the next list, down to entities. No node is
 * offered twice, so that the walk ends whatever the hierarchy and the replies are. What goes while a selector is asked
 * is offered no more, and named nowhere in the result.
 *
 * A failure of the selector leaves nothing selected and is told in `failure`. @throws CancelledError
 */
export async function walk(
  view: HierarchyView,
  question: string,
  { selector, calls = {}, ...options }: WalkOptions,
): Promise<Walk> {
  const steps: Step[] = [];
  const going = new Going(view, options);
  const done = (end: WalkEnd, failure: string | null = null): Walk => ({
    selected: end === 'failed' ? [] : going.selected(),
    steps: steps.map((step) => going.told(step)),
    ...{ end, failure },
  });
  if (view.top.length === 0) return done('no-hierarchy');
  try {
    for (let list = going.first(); list.length > 0; ) {
      if (calls.signal?.aborted) throw new CancelledError('memory is as it was', calls.signal.reason);
      const nodes = going.offer(list);
      if (nodes.length === 0) break;
      const layer = nodes.reduce((highest, node) => Math.max(highest, node.layer), 0);
      const selection = await selector.select({ question, layer, nodes }, calls);
      const taken = going.take(nodes, selection);
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
  /** Ids of the list that follows. */
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

/** A walk under way: what was offered and selected, and how one gets there. */
class Going {
  readonly #view: HierarchyView;
  readonly #settings: WalkSettings;
  readonly #current: (id: string) => Called | undefined;
  readonly #prefer: (node: OfferedNode) => number;
  /** Of every node that was come to, as it first was. */
  readonly #paths = new Map<string, Path>();
  readonly #selected = new Map<string, Reached>();

  constructor(view: HierarchyView, { settings, current, prefer }: Omit<WalkOptions, 'selector' | 'calls'>) {
    this.#view = view;
    this.#settings = settings;
    this.#current = current ?? ((id) => view.node(id));
    this.#prefer = prefer ?? (() => 0);
  }

  /** What of it is there now, with the names of now. */
  selected(): readonly SelectedNode[] {
    return [...this.#selected.values()]
      .filter(({ id }) => this.#current(id) !== undefined)
      .map((node) => ({ ...node, path: this.#names(node.path) }));
  }

  told({ layer, nodes, taken: { picks, notes } }: Step): WalkStep {
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

  take(nodes: readonly OfferedNode[], { picks, notes: told }: Selection): Taken {
    const parents = new Map<string, string | null>();
    const shown = new Map<string, OfferedNode>();
    for (const node of nodes) {
      for (const each of [node, ...(node.children ?? [])]) shown.set(each.id, each);
      parents.set(node.id, null);
      for (const child of node.children ?? []) parents.set(child.id, node.id);
    }
    const known = distinctPicks(picks).filter(({ id }) => parents.has(id));
    const notes = [...told];
    const unknown = picks.filter(({ id }) => !parents.has(id)).length;
    if (unknown > 0) notes.push(`${unknown} picked that were not in the list`);
    for (const { id } of known) this.#showBelow(id, parents.get(id));
    for (const pick of known) this.#select(pick);
    const open = known.filter(({ id, all }) => !all && this.#node(id).children.length > 0);
    const walked = bestPicks(open, this.#settings.beam, ({ id }) => this.#prefer(shown.get(id)!));
    if (walked.length < open.length) notes.push(`${open.length - walked.length} picked, but not walked`);
    // Where children were shown and picked, the others had their turn.
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

  /** Without what is gone; a category that lost its name stands for what is below it, as in the view. */
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

  /** Children that were not come to before, which they now are. */
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
        open.push({ id: child, score: lower, path: [...path, child], member: true });
    }
  }
}

/**
 * The best few in the order in which they are given: by score, and where scores are equal, as a model's are, by a
 * liking, which is asked for only where not all are taken.
 */
function bestPicks(picks: readonly Pick[], most: number, likingOf: (pick: Pick) => number): readonly Pick[] {
  if (picks.length <= most) return picks;
  const rated = picks.map((pick) => ({ pick, liking: likingOf(pick) }));
  const best = rated.sort((a, b) => b.pick.score - a.pick.score || b.liking - a.liking).slice(0, most);
  const taken = new Set(best.map(({ pick }) => pick));
  return picks.filter((pick) => taken.has(pick));
}

/** Each node once, whole if one of its picks says so, with scores from 0 to 1; the best first. */
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

import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import type { CategorizeRequest, Categorizer, KnownCategory, ProposedCategory } from '../categorizer.ts';
import type { HierarchySettings } from '../defaults.ts';
import type { HierarchyContext } from '../hierarchy-context.ts';
import { applyProposals } from './apply-proposals.ts';
import { NOT_TRIED } from './close-layer.ts';
import { type DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';

/** Whether what has a category keeps it, or all is grouped anew. */
export const UPDATE_MODES = ['update', 'rebuild'] as const;
export type UpdateMode = (typeof UPDATE_MODES)[number];

/** What of a layer is to be done next. */
export interface LayerStep {
  readonly layer: number;
  /** Nodes are given categories, one that has grown too large is split, or the layer is held to its rules. */
  readonly step: 'place' | 'split' | 'close';
  /** What the categorizer is asked; null when there is nothing to ask. */
  readonly request: CategorizeRequest | null;
  /** Ids of the nodes, or of the category, that it is about. */
  readonly asks: readonly string[];
  /** Ids of the nodes that are to be asked about after that. */
  readonly queue: readonly string[];
  /** Whether the layer is held to its rules after it. */
  readonly closes: boolean;
  /** The layer is not tried: the one below it has hardly changed since that came to nothing. */
  readonly skips: boolean;
  /** The last forgetting when it was planned: what is written must not speak of what went since. */
  readonly forgotten?: string | null | undefined;
}

export interface StepOptions {
  readonly layer: number;
  readonly mode: UpdateMode;
  /**
   * Ids of the nodes that are still to be asked about; null when the layer is begun. What comes later waits for the next
   * run, so that this one ends.
   */
  readonly queue: readonly string[] | null;
  /** Ids of nodes and categories of this layer that were asked about in this run. */
  readonly asked: ReadonlySet<string>;
  /** Proposals of this run for this layer that are not written yet (`rebuild`). */
  readonly gathered: readonly ProposedCategory[];
  /** Children of the categories that were too large when the run began. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** Another layer is worth a call when the top one has changed by this share. */
const WORTH_A_LAYER = 0.25;

/** What is to be done next about a layer. */
export function planStep(
  { index, settings, newId }: Pick<HierarchyContext, 'index' | 'settings' | 'newId'>,
  { nodesAtOnce }: Pick<Categorizer, 'nodesAtOnce'>,
  options: StepOptions,
): LayerStep {
  const { layer, mode } = options;
  const draft = HierarchyDraft.of(index, newId);
  const closing: LayerStep = {
    ...{ layer, step: 'close', request: null, asks: [], queue: [], closes: true, skips: false },
  };
  if (nodesAtOnce === null) {
    if (options.queue !== null) return closing;
    const request = layerRequest(draft, layer, settings);
    return { ...closing, step: 'place', request, asks: request.nodes.map(({ id }) => id) };
  }
  const isNew = layer > Math.max(1, draft.depth);
  if (isNew && mode === 'update' && !isWorthALayer(index.hierarchy, draft))
    return { ...closing, skips: true };
  const queue = (options.queue ?? dueNodes(draft, layer, mode)).filter((id) => draft.node(id) !== undefined);
  if (queue.length === 0) return splitStep(draft, settings, options) ?? closing;
  const asks = queue.slice(0, nodesAtOnce);
  const request = { ...placeRequest(draft, settings, options), due: new Set(asks) };
  return { ...closing, step: 'place', request, asks, queue: queue.slice(asks.length), closes: false };
}

function dueNodes(draft: HierarchyDraft, layer: number, mode: UpdateMode): string[] {
  const due = draft.nodes(layer - 1).filter(({ id }) => mode === 'rebuild' || !draft.hasParent(id));
  return due.map(({ id }) => id);
}

/** A rebuild asks as if there were nothing yet but what it has proposed. */
function placeRequest(
  draft: HierarchyDraft,
  settings: HierarchySettings,
  { layer, mode, gathered }: StepOptions,
): CategorizeRequest {
  if (mode === 'rebuild') {
    for (const { id } of draft.categories(layer)) draft.remove(id);
    applyProposals(draft, layer, { categories: gathered, whole: true });
  }
  return layerRequest(draft, layer, settings);
}

/**
 * A category that is too large is split when it becomes so, and again each time that it has doubled: one that cannot be
 * split would be paid for in every run.
 */
function splitStep(
  draft: HierarchyDraft,
  settings: HierarchySettings,
  { layer, asked, sizes }: StepOptions,
): LayerStep | null {
  const { maximumChildren } = settings;
  const large = draft.categories(layer).find(({ id, children }) => {
    const before = sizes[id] ?? 0;
    return (
      !asked.has(id) && timesDoubled(children.size, maximumChildren) > timesDoubled(before, maximumChildren)
    );
  });
  if (large === undefined) return null;
  const request = splitRequest(draft, large, settings);
  return { layer, step: 'split', request, asks: [large.id], queue: [], closes: false, skips: false };
}

/** 0 up to the maximum, 1 up to twice as much, and so on. */
function timesDoubled(children: number, maximum: number): number {
  return children <= maximum ? 0 : Math.ceil(Math.log2(children / maximum));
}

/** What `StepOptions.sizes` wants to know at the beginning of a run. */
export function sizesOfLarge(
  hierarchy: HierarchyIndex,
  { maximumChildren }: HierarchySettings,
): Record<string, number> {
  const sizes = [...hierarchy.all()].map((id) => [id, hierarchy.childCount(id)] as const);
  return Object.fromEntries(sizes.filter(([, size]) => size > maximumChildren));
}

function isWorthALayer({ record }: HierarchyIndex, draft: HierarchyDraft): boolean {
  // What came to nothing was tried on top of as many layers.
  if (record === null || record.layers !== draft.depth || record.topNodes === NOT_TRIED) return true;
  const now = draft.categories(draft.depth).length;
  const change = Math.abs(now - record.topNodes);
  return change >= Math.max(record.minimumChildren, WORTH_A_LAYER * record.topNodes);
}

/** What a categorizer is asked about a layer: `due` are the nodes below it that have no category in it yet. */
function layerRequest(
  draft: HierarchyDraft,
  layer: number,
  { minimumChildren }: HierarchySettings,
): CategorizeRequest {
  const nodes = draft.nodes(layer - 1);
  const due = new Set(nodes.filter(({ id }) => !draft.hasParent(id)).map(({ id }) => id));
  const loose = new Set(nodes.filter(({ id }) => draft.isLoose(id)).map(({ id }) => id));
  return { layer, nodes, due, loose, known: knownCategories(draft, layer), minimumChildren };
}

/** The same for the children of one category that is to be split. */
function splitRequest(
  draft: HierarchyDraft,
  category: DraftCategory,
  { minimumChildren }: HierarchySettings,
): CategorizeRequest {
  const nodes = [...category.children].map((id) => draft.node(id)!);
  const others = knownCategories(draft, category.layer).filter(({ id }) => id !== category.id);
  return {
    layer: category.layer,
    nodes,
    due: new Set(nodes.map(({ id }) => id)),
    loose: new Set(),
    known: others,
    minimumChildren,
    within: known(draft, category),
  };
}

function knownCategories(draft: HierarchyDraft, layer: number): KnownCategory[] {
  return draft
    .categories(layer)
    .filter((each) => each.name !== '' && !draft.isPromoted(each))
    .map((each) => known(draft, each));
}

function known(draft: HierarchyDraft, category: DraftCategory): KnownCategory {
  const { id, name, tags, vector, children } = category;
  return {
    ...{ id, name, tags, children: children.size },
    // One that is not written yet has no vector of its own.
    get vector() {
      return vector ?? centroid([...children].map((child) => draft.node(child)!.vector));
    },
  };
}

/** Of unit length; null when no member has a vector. */
function centroid(vectors: readonly (Float32Array | null)[]): Float32Array | null {
  const given = vectors.filter((vector) => vector !== null);
  const [first] = given;
  if (first === undefined) return null;
  const sum = first.map((_, at) => given.reduce((total, vector) => total + vector[at]!, 0));
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}

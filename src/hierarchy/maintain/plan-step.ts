import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import type { CategorizeRequest, Categorizer, KnownCategory, ProposedCategory } from '../categorizer.ts';
import { type HierarchySettings, WORTH_A_LAYER } from '../defaults.ts';
import type { HierarchyContext } from '../hierarchy-context.ts';
import { applyProposals } from './apply-proposals.ts';
import { NOT_TRIED } from './close-layer.ts';
import { type DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';

/** `update` keeps existing categories; `rebuild` groups everything again. */
export const UPDATE_MODES = ['update', 'rebuild'] as const;
export type UpdateMode = (typeof UPDATE_MODES)[number];

/** The next step for a layer. */
export interface LayerStep {
  readonly layer: number;
  /**
   * `place` assigns nodes to categories, `split` divides a category that is too large, `close` enforces the rules of
   * the layer.
   */
  readonly step: 'place' | 'split' | 'close';
  /** Request to the categorizer; null if there is nothing to ask. */
  readonly request: CategorizeRequest | null;
  /** Ids of the nodes to place, or of the category to split. */
  readonly asks: readonly string[];
  /** Ids of the nodes to place after that. */
  readonly queue: readonly string[];
  /** Whether this step closes the layer. */
  readonly closes: boolean;
  /** The layer is not tried: the layer below has changed little since the last attempt failed. */
  readonly skips: boolean;
  /** The last forgetting when the step was planned: if a newer one exists, the result may contain forgotten text. */
  readonly forgotten?: string | null | undefined;
}

export interface StepOptions {
  readonly layer: number;
  readonly mode: UpdateMode;
  /**
   * Ids of the nodes still to place; null at the start of the layer. Nodes created later wait for the next run, so
   * that this one terminates.
   */
  readonly queue: readonly string[] | null;
  /** Ids of nodes and categories of this layer that this run asked about. */
  readonly asked: ReadonlySet<string>;
  /** Proposals of this run for this layer that are not written yet (`rebuild`). */
  readonly gathered: readonly ProposedCategory[];
  /** Number of children, at the start of the run, of the categories that were too large then. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** Plans the next step for a layer. */
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

/** A rebuild starts from an empty layer with only its own proposals so far. */
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
 * Splits a category when it becomes too large, and again each time it doubles: asking about one that cannot be split
 * in every run would cost too much.
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

/** `StepOptions.sizes` at the start of a run. */
export function sizesOfLarge(
  hierarchy: HierarchyIndex,
  { maximumChildren }: HierarchySettings,
): Record<string, number> {
  const sizes = [...hierarchy.all()].map((id) => [id, hierarchy.childCount(id)] as const);
  return Object.fromEntries(sizes.filter(([, size]) => size > maximumChildren));
}

function isWorthALayer({ record }: HierarchyIndex, draft: HierarchyDraft): boolean {
  // `topNodes` is from the last failed attempt, which had the same number of layers.
  if (record === null || record.layers !== draft.depth || record.topNodes === NOT_TRIED) return true;
  const now = draft.categories(draft.depth).length;
  const change = Math.abs(now - record.topNodes);
  return change >= Math.max(record.minimumChildren, WORTH_A_LAYER * record.topNodes);
}

/** A request for a layer: `due` are the nodes below that have no category in it. */
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

/** A request for the children of one category that is to be split. */
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
    // A category that is not stored yet has no vector of its own.
    get vector() {
      return vector ?? centroid([...children].map((child) => draft.node(child)!.vector));
    },
  };
}

/** Unit length; null if no member has a vector. */
function centroid(vectors: readonly (Float32Array | null)[]): Float32Array | null {
  const given = vectors.filter((vector) => vector !== null);
  const [first] = given;
  if (first === undefined) return null;
  const sum = first.map((_, at) => given.reduce((total, vector) => total + vector[at]!, 0));
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}

import type { CategorizeRequest, Categorizer, KnownCategory, ProposedCategory } from '../categorizer.ts';
import type { HierarchySettings } from '../defaults.ts';
import { applyProposals } from './apply-proposals.ts';
import type { DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';
import { LayerNodes } from './hierarchy-draft.ts';
import type { LayerCursor, LayerStep } from './layer-step.ts';

interface RequestOptions {
  readonly settings: HierarchySettings;
  /** Proposals of this run for the layer that are not written yet (`rebuild`). */
  readonly gathered: readonly ProposedCategory[];
  readonly nodesAtOnce: Categorizer['nodesAtOnce'];
}

/**
 * What the categorizer is asked in a step. Changes the draft of a rebuild. Null if there is nothing left to ask: the
 * nodes were placed since the step was planned, or are gone.
 */
export function stepRequest(
  draft: HierarchyDraft,
  step: LayerStep,
  { settings, gathered, nodesAtOnce }: RequestOptions,
): CategorizeRequest | null {
  const { layer, mode, kind, category } = step;
  if (kind === 'split') {
    const large = draft.category(category?.id ?? '');
    return large === undefined ? null : splitRequest(draft, large, settings);
  }
  if (kind !== 'place') return null;
  const nodes = LayerNodes.below(draft, layer);
  if (nodesAtOnce === null) {
    const request = layerRequest(draft, layer, settings);
    return { ...request, nodes: request.nodes.filter(({ id }) => !nodes.isAfter(id, step.until)) };
  }
  const due = dueNodes(draft, nodes, { ...step, until: step.last });
  if (due.length === 0) return null;
  // A rebuild starts from an empty layer with only its own proposals so far.
  if (mode === 'rebuild') {
    for (const { id } of draft.categories(layer)) draft.remove(id);
    applyProposals(draft, layer, { categories: gathered, whole: true });
  }
  return { ...layerRequest(draft, layer, settings), due: new Set(due.map(({ id }) => id)) };
}

/** The nodes of a range that are to be placed. */
export function dueNodes(
  draft: HierarchyDraft,
  nodes: LayerNodes,
  { mode, after, until }: Pick<LayerCursor, 'mode' | 'after' | 'until'>,
) {
  return nodes.between(after, until).filter(({ id }) => mode === 'rebuild' || !draft.hasParent(id));
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
    id,
    name,
    tags,
    children: children.size,
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

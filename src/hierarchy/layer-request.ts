import type { CategorizeRequest, KnownCategory } from './categorizer.ts';
import type { DraftCategory, HierarchyDraft } from './hierarchy-draft.ts';
import type { HierarchySettings } from './settings.ts';

/** What a categorizer is asked about a layer: `due` are the nodes below it that have no category in it yet. */
export function layerRequest(
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
export function splitRequest(
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

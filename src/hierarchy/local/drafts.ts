import type { LayerNode, ProposedCategory } from '../categorizer.ts';
import { categoryKey } from '../category-name.ts';
import { askedAs } from './asked-as.ts';
import { shownName } from './category-names.ts';
import type { Label } from './vocabulary.ts';

const MOST_TAGS = 5;

/** A category in the making. */
export interface Draft {
  name: string;
  /** What it is, or stands below: kept in its tags, so that the next layer knows. */
  readonly labels: readonly Label[];
  readonly nodes: Set<LayerNode>;
}

/** Categories of one layer: those with equal keys are one. */
export class Drafts {
  readonly #byKey = new Map<string, Draft>();

  /** Null where no category may be called so. */
  add(proposed: string, labels: readonly Label[], nodes: Iterable<LayerNode>): Draft | null {
    const name = shownName(proposed);
    if (name === null) return null;
    const key = categoryKey(name);
    const known = this.#byKey.get(key);
    const draft = known ?? { name, labels, nodes: new Set() };
    for (const node of nodes) draft.nodes.add(node);
    if (known === undefined) this.#byKey.set(key, draft);
    return draft;
  }

  named(name: string): Draft | undefined {
    return this.#byKey.get(categoryKey(name));
  }

  remove(draft: Draft): void {
    this.#byKey.delete(categoryKey(draft.name));
  }

  all(): readonly Draft[] {
    return [...this.#byKey.values()];
  }

  placed(): ReadonlySet<LayerNode> {
    return new Set(this.all().flatMap(({ nodes }) => [...nodes]));
  }

  /** By name, each with its nodes in the order of `order`. */
  proposals(order: readonly LayerNode[]): readonly ProposedCategory[] {
    const place = new Map(order.map((node, index) => [node, index]));
    return this.all()
      .map(({ name, labels, nodes }) => ({
        name,
        tags: tagsOf(name, labels),
        ...(askedAs(name).length > 0 && { aliases: askedAs(name) }),
        nodes: [...nodes].sort((a, b) => place.get(a)! - place.get(b)!).map(({ id }) => id),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Labels above, the nearest first: what `upperParents` reads. */
function tagsOf(name: string, labels: readonly Label[]): readonly string[] {
  const above = labels.flatMap((label) =>
    label.lineage.map((each, distance) => ({ name: each.name, distance })),
  );
  above.sort((a, b) => a.distance - b.distance);
  const names = above.map((each) => each.name).filter((each) => categoryKey(each) !== categoryKey(name));
  return [...new Set(names)].slice(0, MOST_TAGS);
}

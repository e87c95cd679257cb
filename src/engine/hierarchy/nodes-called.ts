import { InvalidInputError } from '../../errors/index.ts';
import { categoryKey } from '../../hierarchy/category-name.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { ShownHierarchy, ShownNode } from './shown-hierarchy.ts';

const MOST_NEAR = 5;

/**
 * The node of an id; else all categories of a name, else those that also go by it, else the entities that do.
 *
 * @throws InvalidInputError when there is none, with names that are like it; when nothing is in the category.
 */
export function nodesCalled(
  called: string,
  hierarchy: ShownHierarchy,
  entities: EntityIndex,
): readonly ShownNode[] {
  const shown = hierarchy.shownOf(called);
  if (shown?.length === 0) throw new InvalidInputError('Nothing is in this category');
  if (shown !== undefined) return shown;
  const nodes = [...hierarchy.nodes()];
  const key = keyOf(called);
  if (key === '') throw new InvalidInputError(noNode(called, nodes));
  const categories = nodes.filter(({ layer }) => layer > 0);
  const ways: readonly (() => readonly ShownNode[])[] = [
    () => categories.filter(({ name }) => keyOf(name) === key),
    () => categories.filter(({ aliases }) => aliases.some((alias) => keyOf(alias) === key)),
    () => entities.idsOfName(entityNameKey(called)).flatMap((id) => hierarchy.shownOf(id) ?? []),
    () => nodes.filter(({ name, aliases }) => [name, ...aliases].some((each) => keyOf(each) === key)),
  ];
  for (const way of ways) {
    const found = way();
    if (found.length > 0) return found;
  }
  throw new InvalidInputError(noNode(called, nodes));
}

/** Of a name without a letter or digit the name itself, so that it is not taken for any other such. */
function keyOf(name: string): string {
  return categoryKey(name) || entityNameKey(name);
}

/** With names that have the asked one in them, or a word of it: of categories before those of entities. */
function noNode(called: string, nodes: readonly ShownNode[]): string {
  const words = categoryKey(called)
    .split(' ')
    .filter((word) => word !== '');
  const isNear = ({ name }: ShownNode) => words.some((word) => categoryKey(name).includes(word));
  const near = new Set(
    nodes
      .filter(isNear)
      .sort((a, b) => b.layer - a.layer)
      .map(({ name }) => name),
  );
  const hint = near.size === 0 ? '' : `; there is ${[...near].slice(0, MOST_NEAR).join(', ')}`;
  return `There is no category ${JSON.stringify(called)}, and no entity of that name${hint}`;
}

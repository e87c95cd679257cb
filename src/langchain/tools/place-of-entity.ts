import type { CategoryTree } from '../../engine/hierarchy/browse-hierarchy.ts';
import { asLabel } from '../../prompts/as-data.ts';

const LONGEST_NAME = 80;

/** Where an entity stands in the hierarchy, for a model that browses it. */
export function placeOf({ name, alsoIn }: Pick<CategoryTree, 'name' | 'alsoIn'>): string {
  const label = asLabel(name, LONGEST_NAME);
  const categories = alsoIn.map((category) => asLabel(category, LONGEST_NAME)).join(', ');
  return categories === ''
    ? `${label} is an entity in no category yet.`
    : `${label} is an entity, in: ${categories}.`;
}

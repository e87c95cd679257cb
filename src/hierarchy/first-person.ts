import { entityNameKey } from '../util/tidy.ts';
import type { LayerNode } from './categorizer.ts';

const FIRST_PERSON = new Set(['user', 'the user', 'i', 'me', 'myself']);
/** They may be things as well. */
const IF_A_PERSON = new Set(['speaker', 'the speaker']);

/** Whether a node stands for whoever speaks (PAPERS §1.5); speakers who are called by name are ordinary entities. */
export function isFirstPerson({ name, tags }: Pick<LayerNode, 'name' | 'tags'>): boolean {
  const key = entityNameKey(name);
  return FIRST_PERSON.has(key) || (IF_A_PERSON.has(key) && tags.includes('person'));
}

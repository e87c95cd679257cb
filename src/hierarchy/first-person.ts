import { entityNameKey } from '../util/entity-name-key.ts';

const FIRST_PERSON = new Set(['user', 'the user', 'i', 'me', 'myself', 'mine', 'speaker', 'the speaker']);

/** Whether a name stands for whoever speaks (PAPERS §1.5); speakers who are called by name are ordinary entities. */
export function isFirstPerson(name: string): boolean {
  return FIRST_PERSON.has(entityNameKey(name));
}

import type { ScopeIndex } from '../../search/scope-index.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { informedSpeakers } from './batch-entities.ts';

/** The name of the only speaker of a scope who is no machine, whom a machine calls the user; null if there are several. */
export function solePerson({ episodes }: ScopeIndex): string | null {
  const names = episodes.timeline.liveSpeakerNames().filter((name) => name !== '');
  const people = names.filter((name) => informedSpeakers([entityNameKey(name)]).size > 0);
  return people.length === 1 ? people[0]! : null;
}

import type { EntityId, FactId } from '../model/ids.ts';
import type { Relationship } from '../model/relationships.ts';
import type { ExtractedFact } from './extractor.ts';

/** ABOUT edges: the subject and object of a relation in their roles, everybody else as participant. */
export function about(
  fact: FactId,
  { subject, object, participants }: Pick<ExtractedFact, 'subject' | 'object' | 'participants'>,
  entityOf: (name: string) => EntityId | undefined,
): Relationship[] {
  const roles = new Map<string, Relationship>();
  const add = (name: string | null, role: 'subject' | 'object' | 'participant') => {
    const to = name === null ? undefined : entityOf(name);
    if (to === undefined || roles.has(to)) return;
    roles.set(to, { kind: 'ABOUT', fromKind: 'fact', from: fact, toKind: 'entity', to, role });
  };
  add(subject, 'subject');
  add(object, 'object');
  for (const name of participants) add(name, 'participant');
  return [...roles.values()];
}

export function evidencedBy(fact: FactId, episode: string): Relationship {
  return { kind: 'EVIDENCED_BY', fromKind: 'fact', from: fact, toKind: 'episode', to: episode };
}

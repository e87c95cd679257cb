import type { DescriptionId, EntityId, FactId } from '../../model/ids.ts';
import type { FactRole, Relationship } from '../../model/relationships.ts';
import type { PossiblySame } from '../resolve/entity-resolution.ts';

/** The entities of a fact; names without an entity are omitted. */
export interface FactEnds {
  readonly subject: EntityId | undefined;
  readonly object: EntityId | undefined;
  readonly participants: readonly EntityId[];
}

/** Resolves the names in a fact to its entities. */
export function endsOf(
  named: {
    readonly subject: string | null;
    readonly object: string | null;
    readonly participants: readonly string[];
  },
  entityOf: (name: string) => EntityId | undefined,
): FactEnds {
  const idOf = (name: string | null) => (name === null ? undefined : entityOf(name));
  const participants = named.participants.map(idOf).filter((id) => id !== undefined);
  return { subject: idOf(named.subject), object: idOf(named.object), participants };
}

/** ABOUT edges: the subject and object of a relation in their roles, all others as participants; each entity once. */
export function aboutEdges(fact: FactId, { subject, object, participants }: FactEnds): Relationship[] {
  const roles = new Map<EntityId, FactRole>();
  if (subject !== undefined) roles.set(subject, 'subject');
  if (object !== undefined && !roles.has(object)) roles.set(object, 'object');
  for (const id of participants) if (!roles.has(id)) roles.set(id, 'participant');
  return Array.from(roles, ([to, role]) => ({
    kind: 'ABOUT',
    fromKind: 'fact',
    from: fact,
    toKind: 'entity',
    to,
    role,
  }));
}

export function evidencedBy(fact: FactId, episode: string): Relationship {
  return { kind: 'EVIDENCED_BY', fromKind: 'fact', from: fact, toKind: 'episode', to: episode };
}

export function descriptionEvidence(description: DescriptionId, episode: string): Relationship {
  return {
    kind: 'EVIDENCED_BY',
    fromKind: 'description',
    from: description,
    toKind: 'episode',
    to: episode,
  };
}

/** The edge that records an uncertain match. */
export function possiblySame({ from, to, confidence }: PossiblySame): Relationship {
  return { kind: 'POSSIBLY_SAME', fromKind: 'entity', from, toKind: 'entity', to, confidence };
}

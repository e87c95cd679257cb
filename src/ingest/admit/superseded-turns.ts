import type { RowUpdate } from '../../model/graph-changes.ts';
import type { EntityId, Milliseconds } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';

/** Superseded turns and what depends on them. Stale turns and facts expire: search omits them, the graph keeps them. */
export interface StaleRows {
  readonly episodes: ReadonlySet<string>;
  /** Facts that only these turns support. */
  readonly facts: ReadonlySet<string>;
  /** Entities that these turns mention or these facts are about; their profiles have to be refreshed or expired. */
  readonly entities: ReadonlySet<EntityId>;
}

export const NOTHING_STALE: StaleRows = { episodes: new Set(), facts: new Set(), entities: new Set() };

export function staleAfter(superseded: readonly Episode[], index: ScopeIndex): StaleRows {
  const ids = superseded.map((episode) => episode.id);
  const episodes = new Set<string>(ids);
  const facts = ids
    .flatMap((id) => index.factsEvidencedBy(id))
    .filter((fact) => index.evidenceOf(fact).every((episode) => episodes.has(episode)));
  const entities = [
    ...ids.flatMap((id) => index.entitiesMentionedIn(id)),
    ...facts.flatMap((fact) => index.entitiesOf(fact)),
  ];
  return { episodes, facts: new Set<string>(facts), entities: new Set(entities) };
}

export function expire({ episodes, facts }: StaleRows, now: Milliseconds): RowUpdate[] {
  return [
    ...Array.from(episodes, (id): RowUpdate => ({ kind: 'episode', id, set: { expiredAt: now } })),
    ...Array.from(facts, (id): RowUpdate => ({ kind: 'fact', id, set: { expiredAt: now } })),
  ];
}

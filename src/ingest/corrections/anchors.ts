import type { EntityId, EpisodeId, FactId } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import { statementKey } from '../../search/fact-index.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { EntityAnchor, FactAnchor } from './correction-detail.ts';

type Sources = Pick<IngestContext, 'index' | 'store' | 'scope'>;

/**
 * Sample size: an anchor keeps this many turns, the oldest and the newest. At least one of them must still exist to
 * find the target.
 */
const MOST_TURNS = 40;

export function factAnchor({ index }: Sources, { id, statement, event }: Fact): FactAnchor {
  return {
    id,
    statement,
    event: event === null ? null : { start: event.start, end: event.end },
    about: index.entitiesOf(id),
    evidence: sample(index.evidenceOf(id)),
  };
}

export function entityAnchor({ index }: Sources, id: EntityId): EntityAnchor {
  const profile = index.entities.profileOf(id);
  const names = profile === undefined ? [] : [profile.name, ...profile.aliases];
  return { id, names, episodes: sample(turnsOf(index, id)) };
}

/** Live turns that mention an entity; without any, live turns that support facts about it. */
export function turnsOf(index: IngestContext['index'], id: EntityId): readonly EpisodeId[] {
  const mentions = index.mentionsOf(id);
  if (mentions.length > 0) return mentions;
  return [...new Set(index.factsAbout(id).flatMap((fact) => index.evidenceOf(fact)))];
}

/** Finds the live fact that an anchor identifies in another graph of the same turns; null if there is none. */
export async function findFact(
  { index, store, scope }: Sources,
  { statement, event, evidence }: FactAnchor,
): Promise<FactId | null> {
  const shared = new Map<FactId, number>();
  for (const turn of evidence)
    for (const fact of index.factsEvidencedBy(turn)) shared.set(fact, (shared.get(fact) ?? 0) + 1);
  const key = statementKey(statement);
  const rows = await store.get(scope, 'fact', [...shared.keys()]);
  const same = rows.filter((row) => statementKey(row.statement) === key && isSameEvent(row.event, event));
  return best(
    same.map(({ id }) => id),
    (id) => shared.get(id)!,
  );
}

/**
 * Finds the entity that an anchor identifies. If the anchor is a sample of its turns and none of them exists, the only
 * entity with the name. Null if there is none.
 */
export function findEntity({ index }: Sources, { names, episodes }: EntityAnchor): EntityId | null {
  const keys = new Set(names.map(entityNameKey));
  const shared = new Map<EntityId, number>();
  for (const turn of episodes)
    for (const id of [
      ...index.entitiesMentionedIn(turn),
      ...index.factsEvidencedBy(turn).flatMap((fact) => index.entitiesOf(fact)),
    ])
      shared.set(id, (shared.get(id) ?? 0) + 1);
  const namesOf = (id: EntityId) => {
    const profile = index.entities.profileOf(id);
    return profile === undefined ? [] : [profile.name, ...profile.aliases].map(entityNameKey);
  };
  const own = entityNameKey(names[0] ?? '');
  const bearing = [...shared.keys()].filter((id) => namesOf(id).some((key) => keys.has(key)));
  // An entity with this name ranks before entities that have it as an alias.
  const found = best(bearing, (id) => shared.get(id)! + (namesOf(id)[0] === own ? MOST_TURNS * 2 : 0));
  // Another entity of the same name is not meant, unless turns of the target are missing in the anchor.
  if (found !== null || episodes.length < MOST_TURNS) return found;
  const bearers = index.entities.idsOfName(own);
  return bearers.length === 1 ? bearers[0]! : null;
}

export function isSameEvent(
  a: { readonly start: number; readonly end: number } | null,
  b: { readonly start: number; readonly end: number } | null,
): boolean {
  return a === null || b === null ? a === b : a.start === b.start && a.end === b.end;
}

/** The item with the highest score; the first of equals. */
function best<T>(all: readonly T[], score: (each: T) => number): T | null {
  return all.reduce<T | null>(
    (found, each) => (found === null || score(each) > score(found) ? each : found),
    null,
  );
}

function sample(turns: readonly EpisodeId[]): readonly EpisodeId[] {
  if (turns.length <= MOST_TURNS) return turns;
  return [...turns.slice(0, MOST_TURNS / 2), ...turns.slice(-MOST_TURNS / 2)];
}

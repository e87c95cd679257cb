import type { EntityId } from '../../model/ids.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import { entityNameKey } from '../../util/entity-name-key.ts';
import { type BatchEntity, needsAgreement } from './batch-roll.ts';
import { claimsOf } from './compare-people.ts';
import { areKindsApart, isPersonal, kindOfTags } from './kinds.ts';
import type { KnownEntities } from './known-entities.ts';
import { isSameName, readName } from './name-form.ts';
import { contradiction, saysNothing } from './read-claims.ts';

/** The oldest entity of the name; null for a new one. */
export function exactMatch(index: EntityIndex, { names }: BatchEntity): EntityId | null {
  const [key] = names.keys();
  return (key === undefined ? undefined : index.idOfName(key)) ?? null;
}

/** The entity that a name means whatever a judge might say; `open` where it takes one, also to say that it is new. */
export async function certainMatch(
  entity: BatchEntity,
  { index, known }: { index: EntityIndex; known: KnownEntities },
): Promise<EntityId | 'open'> {
  // Kinds are guesses: within a session the name tells more.
  const bearers = index
    .idsOfName(entity.form.key)
    .filter(
      (id) => !areKindsApart(entity.kind, kindOf(index, id)) || inSessions(entity, [id], known).length > 0,
    );
  if (bearers.length === 0) return 'open';
  if (entity.sort === 'speaker') return ofSpeaker(entity, bearers, known);
  if (entity.sort === 'named') return theOnly(bearers.filter((id) => bearsInFull(index, id, entity)));
  if (!needsAgreement(entity)) return ofThing(index, bearers);
  return ofSession(entity, bearers, { index, known });
}

/** Whoever has spoken under the name before, else whom the session has called so. */
function ofSpeaker(
  entity: BatchEntity,
  bearers: readonly EntityId[],
  known: KnownEntities,
): EntityId | 'open' {
  const speaking = bearers.find((id) => known.speaks(id));
  return speaking ?? theOnly(inSessions(entity, bearers, known));
}

/** As a name or alias: a thing called Max is not taken for a person called so, and the other way round. */
function ofThing(index: EntityIndex, bearers: readonly EntityId[]): EntityId | 'open' {
  return bearers.find((id) => !isPersonal({ kind: kindOf(index, id) })) ?? 'open';
}

/**
 * Two called Alex in one session, or one of whom things are said that contradict each other, take a judge. A nickname
 * that somebody told ("everyone calls me Liz") means its only bearer in any session.
 */
async function ofSession(
  entity: BatchEntity,
  bearers: readonly EntityId[],
  { index, known }: { index: EntityIndex; known: KnownEntities },
): Promise<EntityId | 'open'> {
  const isTold = bearers.length === 1 && isNickname(index, bearers[0]!, entity);
  const match = isTold ? bearers[0]! : theOnly(inSessions(entity, bearers, known));
  if (match === 'open' || saysNothing(entity.claims)) return match;
  await known.load([match]);
  const remembered = known.get(match);
  const agrees = remembered !== undefined && contradiction(entity.claims, claimsOf(remembered)) === null;
  return agrees ? match : 'open';
}

function inSessions(
  { sessions }: BatchEntity,
  bearers: readonly EntityId[],
  known: KnownEntities,
): EntityId[] {
  return bearers.filter((id) => [...sessions].some((session) => known.isInSession(id, session)));
}

/** Whether an alias is no word of the name: "Liz" of Elizabeth is, "Alex" of Alex Chen is not. */
function isNickname(index: EntityIndex, id: EntityId, { form }: BatchEntity): boolean {
  const name = index.profileOf(id)?.name;
  return name !== undefined && !entityNameKey(name).split(' ').includes(form.key);
}

function bearsInFull(index: EntityIndex, id: EntityId, { form }: BatchEntity): boolean {
  const profile = index.profileOf(id);
  return (
    profile !== undefined &&
    [profile.name, ...profile.aliases].some((name) => isSameName(form, readName(name)))
  );
}

function kindOf(index: EntityIndex, id: EntityId) {
  return kindOfTags(index.profileOf(id)?.tags ?? []);
}

function theOnly(ids: readonly EntityId[]): EntityId | 'open' {
  return ids.length === 1 ? ids[0]! : 'open';
}

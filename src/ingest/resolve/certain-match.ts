import type { EntityId } from '../../model/ids.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { NameSenses } from '../extract/name-senses.ts';
import { type BatchEntity, isPossession, needsAgreement, UNNAMED_USER } from './batch-entities.ts';
import type { KnownEntities } from './known-entities.ts';
import { claimsOf } from './local-resolution-judge.ts';
import { isOneOfOwner, isSameName, readName } from './name-form.ts';
import { contradiction, saysNothing } from './read-relationships.ts';
import { areKindsApart, isPersonal, kindOfTags } from './resolution-judge.ts';

/** The oldest entity with the name; null if there is none. */
export function exactMatch(index: EntityIndex, { names }: BatchEntity): EntityId | null {
  const [key] = names.keys();
  return (key === undefined ? undefined : index.idOfName(key)) ?? null;
}

/** The entity that a name certainly refers to; `open` if a judge has to decide, also whether it is new. */
export async function certainMatch(
  entity: BatchEntity,
  { index, known, senses }: { index: EntityIndex; known: KnownEntities; senses: NameSenses },
): Promise<EntityId | 'open'> {
  // Kinds are guesses; within a session an equal name is the stronger cue.
  const bearers = index
    .idsOfName(entity.form.key)
    .filter((id) => !senses.areApart(entity, { name: index.profileOf(id)!.name, kind: kindOf(index, id) }))
    .filter(
      (id) =>
        !areKindsApart(entity.kind, kindOf(index, id)) ||
        isOneOfOwner(entity.form) ||
        inSessions(entity, [id], known).length > 0,
    );
  if (bearers.length === 0) return 'open';
  if (entity.sort === 'speaker') return ofSpeaker(entity, bearers, known);
  if (entity.sort === 'named') return theOnly(bearers.filter((id) => bearsInFull(index, id, entity)));
  if (!needsAgreement(entity)) return ofThing(entity, bearers, { index, known });
  return ofSession(entity, bearers, { index, known });
}

/** The bearer that has spoken under the name before, else the only one that the session has mentioned. */
function ofSpeaker(
  entity: BatchEntity,
  bearers: readonly EntityId[],
  known: KnownEntities,
): EntityId | 'open' {
  const speaking = bearers.find((id) => known.hasSpoken(id));
  if (speaking !== undefined) return speaking;
  return theOnly(entity.form.key === UNNAMED_USER ? bearers : inSessions(entity, bearers, known));
}

/**
 * Matches names and aliases of things only: a thing called Max is not a person called Max, and vice versa. Of two cars
 * with different owners neither is the other.
 */
async function ofThing(
  entity: BatchEntity,
  bearers: readonly EntityId[],
  { index, known }: { index: EntityIndex; known: KnownEntities },
): Promise<EntityId | 'open'> {
  for (const id of bearers) {
    if (isPersonal({ kind: kindOf(index, id) })) continue;
    if (!isPossession(entity) || (await agrees(entity, id, known))) return id;
  }
  return 'open';
}

/**
 * Two bearers of "Alex" in one session, or contradicting statements about one, need a judge. A nickname that somebody
 * introduced ("everyone calls me Liz") refers to its only bearer in any session, and "Owen's family" to the oldest.
 */
async function ofSession(
  entity: BatchEntity,
  bearers: readonly EntityId[],
  { index, known }: { index: EntityIndex; known: KnownEntities },
): Promise<EntityId | 'open'> {
  const isClear =
    isOneOfOwner(entity.form) || (bearers.length === 1 && isNickname(index, bearers[0]!, entity));
  const match = isClear ? bearers[0]! : theOnly(inSessions(entity, bearers, known));
  if (match === 'open' || saysNothing(entity.claims)) return match;
  return (await agrees(entity, match, known)) ? match : 'open';
}

async function agrees(entity: BatchEntity, id: EntityId, known: KnownEntities): Promise<boolean> {
  await known.load([id]);
  const remembered = known.get(id);
  return remembered !== undefined && contradiction(entity.claims, claimsOf(remembered)) === null;
}

function inSessions(
  { sessions }: BatchEntity,
  bearers: readonly EntityId[],
  known: KnownEntities,
): EntityId[] {
  return bearers.filter((id) => [...sessions].some((session) => known.isInSession(id, session)));
}

/** Whether an alias is not a word of the name: true for "Liz" of Elizabeth, false for "Alex" of Alex Chen. */
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

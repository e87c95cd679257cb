import { InvalidInputError } from '../errors/index.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { EntityId, EpisodeId } from '../model/ids.ts';
import { entityNamed } from '../search/entity-index.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { entityNameKey } from '../util/tidy.ts';

/** Somebody whom memory knows. */
export interface KnownPerson {
  readonly id: EntityId;
  readonly name: string;
  /** Number of live facts about the person. */
  readonly facts: number;
}

/** Speakers who are no people: the default names of turns without a speaker, by their role. */
export const NO_PERSON: ReadonlySet<string> = new Set(['assistant', 'system', 'tool', 'ai']);
/** Speakers whose turns are sampled for their roles: the most talkative ones. */
const MOST_SPEAKERS = 20;
/** Turns of a speaker that are read for the role; as a rule, all of a speaker's turns have one role. */
const TURNS_SAMPLED = 5;

/** @throws InvalidInputError if no entity, or several, have this name, and none has it as its id. */
export function knownEntity(index: ScopeIndex, idOrName: string): EntityId {
  const id = entityNamed(idOrName, index.entities);
  if (index.entities.profileOf(id) === undefined)
    throw new InvalidInputError('No entity of this scope has that id or name');
  return id as EntityId;
}

/** The entity with the name, and among several the one with the most facts; null if there is none. */
export function bestKnown(index: ScopeIndex, name: string): EntityId | null {
  let best: EntityId | null = null;
  let most = -1;
  for (const id of index.entities.idsOfName(entityNameKey(name))) {
    const facts = countFacts(index, id);
    if (facts > most) [best, most] = [id, facts];
  }
  return best;
}

type ReadableScope = Pick<IndexedScope, 'index' | 'scope'> & {
  readonly store: Pick<IndexedScope['store'], 'get'>;
};

/**
 * The entity of the speaker with the most turns of the role `user`. Where no turn has that role, as in imported group
 * chats, the most talkative speaker who is no machine. Null if memory knows none of them.
 */
export async function mainSpeaker(context: ReadableScope): Promise<EntityId | null> {
  const speakers = await speakersAsUser(context);
  const ranked = speakers.toSorted((a, b) => b.asUser - a.asUser || b.turns - a.turns);
  for (const { name } of ranked) {
    const entity = bestKnown(context.index, name);
    if (entity !== null) return entity;
  }
  return null;
}

/** The name of the only speaker with turns of the role `user`; null if there are none or several. */
export async function soleUser(context: ReadableScope): Promise<string | null> {
  const users = (await speakersAsUser(context)).filter(({ asUser }) => asUser > 0);
  return users.length === 1 ? users[0]!.name : null;
}

/** The speakers who are no machines, with about how many of their turns have the role `user`. */
async function speakersAsUser({
  index,
  store,
  scope,
}: ReadableScope): Promise<readonly { name: string; turns: number; asUser: number }[]> {
  const { timeline } = index.episodes;
  const speakers = timeline
    .liveSpeakers()
    .filter((speaker) => !NO_PERSON.has(entityNameKey(timeline.speakers[speaker]!)))
    .sort((a, b) => timeline.turnsBy.at(b) - timeline.turnsBy.at(a))
    .slice(0, MOST_SPEAKERS);
  const samples = sampleTurns(index, speakers);
  const rows = await store.get(scope, 'episode', [...samples.values()].flat());
  const roles = new Map(rows.map(({ id, role }) => [id, role]));
  return speakers.map((speaker) => {
    const sample = samples.get(speaker) ?? [];
    const asUser = sample.filter((turn) => roles.get(turn) === 'user').length;
    const turns = timeline.turnsBy.at(speaker);
    return {
      name: timeline.speakers[speaker]!,
      turns,
      asUser: (turns * asUser) / Math.max(1, sample.length),
    };
  });
}

function sampleTurns(index: ScopeIndex, speakers: readonly number[]): Map<number, EpisodeId[]> {
  const { timeline, conversation, ids } = index.episodes;
  const samples = new Map(speakers.map((speaker): [number, EpisodeId[]] => [speaker, []]));
  let isMissing = speakers.length;
  for (let turn = timeline.speaker.length - 1; turn >= 0 && isMissing > 0; turn--) {
    const sample = samples.get(timeline.speaker.at(turn));
    if (sample === undefined || sample.length >= TURNS_SAMPLED || !conversation.isLive(turn)) continue;
    if (sample.push(ids.idOf(turn) as EpisodeId) === TURNS_SAMPLED) isMissing--;
  }
  return samples;
}

const STARTS_SMALL = /^\p{Ll}/u;

/** The people whom memory knows best: speakers, and entities with a proper name that ingestion took for persons. */
export function knownPeople(index: ScopeIndex, most: number): KnownPerson[] {
  const { timeline } = index.episodes;
  const speakers = new Set(timeline.liveSpeakerNames().map(entityNameKey));
  const people: KnownPerson[] = [];
  for (const { owner, name, aliases, tags } of index.entities.current()) {
    const isSpeaker = [name, ...aliases].some((each) => speakers.has(entityNameKey(each)));
    // "kids" and "art" can be read as persons, too; nobody asks for a portrait of them.
    const isNamed = isSpeaker || (tags.includes('person') && !STARTS_SMALL.test(name));
    if (!isNamed || NO_PERSON.has(entityNameKey(name))) continue;
    const facts = countFacts(index, owner);
    if (facts > 0) people.push({ id: owner as EntityId, name, facts });
  }
  return people.sort((a, b) => b.facts - a.facts || (a.name < b.name ? -1 : 1)).slice(0, most);
}

/** Ordinals of live facts about the entity. */
export function factsOf(index: ScopeIndex, entity: string): number[] {
  const ordinal = index.entities.ids.ordinalOf(entity);
  if (ordinal === undefined) return [];
  const facts = new Set(index.graphs.about.neighbours(ordinal, 'in').ordinals);
  return [...facts].filter((fact) => index.facts.lexical.has(fact));
}

function countFacts(index: ScopeIndex, entity: string): number {
  return factsOf(index, entity).length;
}

/** Who asks: the entity of that name, else the only speaker with the role of a user; null if memory knows neither. */
export async function userOf(context: ReadableScope, name: string): Promise<EntityId | null> {
  const own = name === '' ? null : bestKnown(context.index, name);
  if (own !== null) return own;
  const sole = await soleUser(context);
  return sole === null ? null : bestKnown(context.index, sole);
}

/** The name of an entity, then its other names. */
export function namesOf({ entities }: Pick<ScopeIndex, 'entities'>, entity: EntityId): readonly string[] {
  const { name, aliases } = entities.profileOf(entity)!;
  return [name, ...aliases];
}

/** The names by which statements call the one who asks; none if memory does not know who that is. */
export async function namesOfUser(context: ReadableScope, name: string): Promise<readonly string[]> {
  const user = await userOf(context, name);
  return user === null ? [] : namesOf(context.index, user);
}

import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import type { EntityId } from '../model/ids.ts';
import type { Profile } from '../model/nodes.ts';
import { entityNameKey } from '../util/tidy.ts';
import { DocumentIndex } from './document-index.ts';
import { LexicalIndex } from './lexical-index.ts';
import { OrdinalTable } from './ordinals.ts';
import { VectorIndex } from './vector-index.ts';

const NAME_WEIGHT = 2;
/** A nickname usually starts with the first letters of the name: "Mel", "Melanie". */
const LETTERS_OF_START = 3;
const NOBODY: readonly EntityId[] = [];

export type CurrentProfile = Pick<Profile, 'id' | 'owner' | 'name' | 'aliases' | 'tags' | 'createdAt'>;

/** A current profile in a snapshot. */
export const currentProfileSchema = z.object({
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  aliases: z.array(z.string()),
  tags: z.array(z.string()),
  createdAt: z.number(),
});

/**
 * The entities of a scope by name, and their current profiles as documents: a new profile replaces the former one's
 * document. Several entities can have the same name, such as two people called Alex.
 */
export class EntityIndex {
  /** Numbers of entities, for the graph views. */
  readonly ids: OrdinalTable;
  /** Documents numbered by profile id, with the vectors of the summaries. */
  readonly profiles: DocumentIndex;
  /** Vectors of the names, by the same numbers (Mnemis §2.1: resolution compares names). */
  readonly nameVectors: VectorIndex;
  /** Only names and aliases as documents, by the same numbers. Rebuilt from the profiles, not part of snapshots. */
  readonly names = new LexicalIndex();
  readonly #current = new Map<string, CurrentProfile>();
  readonly #ownerOfProfile = new Map<string, string>();
  /** By name key: the entities with the name, the oldest first. No list is empty. */
  readonly #byName = new Map<string, EntityId[]>();
  /** Likewise by the first letters of the key. */
  readonly #byStart = new Map<string, EntityId[]>();
  #revision = 0;

  constructor(parts: {
    ids: OrdinalTable;
    profiles: DocumentIndex;
    nameVectors: VectorIndex;
    current?: readonly CurrentProfile[];
  }) {
    this.ids = parts.ids;
    this.profiles = parts.profiles;
    this.nameVectors = parts.nameVectors;
    for (const profile of parts.current ?? []) this.#remember(profile);
  }

  static empty(dimension: number): EntityIndex {
    return new EntityIndex({
      ids: new OrdinalTable(),
      profiles: DocumentIndex.empty(dimension),
      nameVectors: new VectorIndex(dimension),
    });
  }

  /** Number of entities with a profile. */
  get size(): number {
    return this.#current.size;
  }

  /** Changes with every change of a profile. */
  get revision(): number {
    return this.#revision;
  }

  setProfile(profile: CurrentProfile & Pick<Profile, 'summary'>): void {
    this.removeProfileOf(profile.owner);
    this.ids.add(profile.owner);
    this.profiles.add(profile.id, [
      { text: [profile.name, ...profile.aliases].join(' \n'), weight: NAME_WEIGHT },
      { text: [profile.summary, ...profile.tags].join(' \n'), weight: 1 },
    ]);
    const { id, owner, name, aliases, tags, createdAt } = profile;
    this.#remember({ id, owner, name, aliases, tags, createdAt });
  }

  removeProfileOf(owner: string): void {
    const before = this.#current.get(owner);
    if (before === undefined) return;
    this.#revision++;
    const ordinal = this.profiles.ids.ordinalOf(before.id)!;
    this.profiles.remove(before.id);
    this.nameVectors.remove(ordinal);
    this.names.remove(ordinal);
    this.#current.delete(owner);
    this.#ownerOfProfile.delete(before.id);
    for (const key of keysOf(before)) {
      removeBearer(this.#byName, key, owner as EntityId);
      removeBearer(this.#byStart, startOf(key), owner as EntityId);
    }
  }

  /** The oldest entity with the name. @param key See `entityNameKey`. */
  idOfName(key: string): EntityId | undefined {
    return this.#byName.get(key)?.[0];
  }

  /** All entities with the key as a name or alias, the oldest first. */
  idsOfName(key: string): readonly EntityId[] {
    return this.#byName.get(key) ?? NOBODY;
  }

  /** Every key of a name or alias, with the entities that bear it, the oldest first. */
  namesByKey(): Iterable<readonly [key: string, entities: readonly EntityId[]]> {
    return this.#byName;
  }

  /** Entities with a name or alias that starts with the same three letters as the key, the oldest first. */
  idsOfStart(key: string): readonly EntityId[] {
    return this.#byStart.get(startOf(key)) ?? NOBODY;
  }

  profileOf(owner: string): CurrentProfile | undefined {
    return this.#current.get(owner);
  }

  /** The entity or category that a document of `profiles` is about. */
  ownerOf(profileOrdinal: number): string {
    return this.#ownerOfProfile.get(this.profiles.ids.idOf(profileOrdinal))!;
  }

  /** The owner of a current profile; undefined if a newer profile replaced it. */
  ownerOfProfile(id: string): string | undefined {
    return this.#ownerOfProfile.get(id);
  }

  current(): readonly CurrentProfile[] {
    return [...this.#current.values()];
  }

  #remember(profile: CurrentProfile): void {
    this.#revision++;
    this.#current.set(profile.owner, profile);
    this.#ownerOfProfile.set(profile.id, profile.owner);
    const text = [profile.name, ...profile.aliases].join(' \n');
    this.names.add(this.profiles.ids.ordinalOf(profile.id)!, [{ text, weight: 1 }]);
    for (const key of keysOf(profile)) {
      this.#join(this.#byName, key, profile.owner as EntityId);
      this.#join(this.#byStart, startOf(key), profile.owner as EntityId);
    }
  }

  /** Sorts by age, whatever the order of additions or of a snapshot. */
  #join(bearers: Map<string, EntityId[]>, key: string, owner: EntityId): void {
    const ids = bearers.get(key);
    if (ids === undefined) bearers.set(key, [owner]);
    else if (!ids.includes(owner)) {
      const age = this.ids.ordinalOf(owner) ?? this.ids.length;
      const place = ids.findLastIndex((id) => (this.ids.ordinalOf(id) ?? this.ids.length) < age);
      ids.splice(place + 1, 0, owner);
    }
  }
}

function keysOf({ name, aliases }: Pick<CurrentProfile, 'name' | 'aliases'>): ReadonlySet<string> {
  return new Set([name, ...aliases].map(entityNameKey));
}

function startOf(key: string): string {
  return key.slice(0, LETTERS_OF_START);
}

function removeBearer(bearers: Map<string, EntityId[]>, key: string, owner: EntityId): void {
  const ids = bearers.get(key);
  const place = ids?.indexOf(owner) ?? -1;
  if (ids === undefined || place < 0) return;
  ids.splice(place, 1);
  if (ids.length === 0) bearers.delete(key);
}

/**
 * The id of an entity given by id or by a current name.
 * @throws InvalidInputError when several entities have the name.
 */
export function entityNamed(idOrName: string, entities: EntityIndex): string {
  if (entities.ids.ordinalOf(idOrName) !== undefined) return idOrName;
  const ids = entities.idsOfName(entityNameKey(idOrName));
  if (ids.length > 1)
    throw new InvalidInputError(`Several entities have this name; give the id of one: ${ids.join(', ')}`);
  return ids[0] ?? idOrName;
}

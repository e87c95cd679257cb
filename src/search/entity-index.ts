import type { EntityId } from '../model/ids.ts';
import type { Profile } from '../model/nodes.ts';
import { entityNameKey } from '../util/entity-name-key.ts';
import { DocumentIndex } from './document-index.ts';
import { OrdinalTable } from './ordinal-table.ts';
import { VectorIndex } from './vector-index.ts';

const NAME_WEIGHT = 2;

export type CurrentProfile = Pick<Profile, 'id' | 'owner' | 'name' | 'aliases' | 'tags'>;

/**
 * The entities of a scope by name, and their current profiles as documents: a new profile is a new document in
 * the place of the old one.
 */
export class EntityIndex {
  /** Entities by number, for the graph views. */
  readonly ids: OrdinalTable;
  /** Documents numbered by profile id; their vectors are the summaries'. */
  readonly profiles: DocumentIndex;
  /** The names' vectors, by the same numbers (Mnemis §2.1: resolution compares names). */
  readonly nameVectors: VectorIndex;
  readonly #current = new Map<string, CurrentProfile>();
  readonly #ownerOfProfile = new Map<string, string>();
  readonly #byName = new Map<string, EntityId>();

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

  setProfile(profile: CurrentProfile & Pick<Profile, 'summary'>): void {
    this.removeProfileOf(profile.owner);
    this.ids.add(profile.owner);
    this.profiles.add(profile.id, [
      { text: [profile.name, ...profile.aliases].join(' \n'), weight: NAME_WEIGHT },
      { text: [profile.summary, ...profile.tags].join(' \n'), weight: 1 },
    ]);
    const { id, owner, name, aliases, tags } = profile;
    this.#remember({ id, owner, name, aliases, tags });
  }

  removeProfileOf(owner: string): void {
    const before = this.#current.get(owner);
    if (before === undefined) return;
    this.profiles.remove(before.id);
    this.nameVectors.remove(this.profiles.ids.ordinalOf(before.id)!);
    this.#current.delete(owner);
    this.#ownerOfProfile.delete(before.id);
    for (const key of [before.name, ...before.aliases].map(entityNameKey))
      if (this.#byName.get(key) === owner) this.#byName.delete(key);
  }

  idOfName(key: string): EntityId | undefined {
    return this.#byName.get(key);
  }

  profileOf(owner: string): CurrentProfile | undefined {
    return this.#current.get(owner);
  }

  /** The entity or category that a document of `profiles` is about. */
  ownerOf(profileOrdinal: number): string {
    return this.#ownerOfProfile.get(this.profiles.ids.idOf(profileOrdinal))!;
  }

  /** Whose current profile it is; undefined once a newer one took its place. */
  ownerOfProfile(id: string): string | undefined {
    return this.#ownerOfProfile.get(id);
  }

  current(): readonly CurrentProfile[] {
    return [...this.#current.values()];
  }

  #remember(profile: CurrentProfile): void {
    this.#current.set(profile.owner, profile);
    this.#ownerOfProfile.set(profile.id, profile.owner);
    for (const name of [profile.name, ...profile.aliases]) {
      const key = entityNameKey(name);
      if (!this.#byName.has(key)) this.#byName.set(key, profile.owner as EntityId);
    }
  }
}

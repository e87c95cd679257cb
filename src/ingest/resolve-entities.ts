import type { EntityId, Milliseconds } from '../model/ids.ts';
import type { Entity } from '../model/nodes.ts';
import type { EntityIndex } from '../search/entity-index.ts';
import { entityNameKey } from '../util/entity-name-key.ts';
import type { EntityKind, ExtractedEntity } from './extractor.ts';

/** An entity of a unit after resolution: known to memory or new, and what the unit calls it. */
export interface ResolvedEntity {
  readonly id: EntityId;
  readonly isNew: boolean;
  readonly name: string;
  readonly kind: EntityKind;
  readonly aliases: ReadonlySet<string>;
}

/**
 * Gives every name of a call one entity: the one that memory knows by that name or alias, else a new one.
 * Exact up to case and accents; candidates by similarity come with the ingestion state machine.
 */
export class EntityResolver {
  readonly #known: EntityIndex;
  readonly #newId: () => string;
  readonly #byName = new Map<string, EntityId>();
  readonly #resolved = new Map<EntityId, { entity: ResolvedEntity; aliases: Set<string> }>();

  constructor(known: EntityIndex, newId: () => string) {
    this.#known = known;
    this.#newId = newId;
  }

  /** @param extracted Names and kind as the extractor gave them. */
  resolve(extracted: Pick<ExtractedEntity, 'name' | 'kind' | 'aliases'>): EntityId {
    const id = this.#find(extracted.name) ?? (this.#newId() as EntityId);
    const entry = this.#resolved.get(id) ?? this.#register(id, extracted);
    this.#byName.set(entityNameKey(extracted.name), id);
    for (const alias of extracted.aliases) {
      // An alias that already names somebody else stays theirs.
      if ((this.#find(alias) ?? id) !== id) continue;
      this.#byName.set(entityNameKey(alias), id);
      entry.aliases.add(alias);
    }
    return id;
  }

  /** The entity of a name that `resolve` has seen or memory knows. */
  find(name: string): EntityId | undefined {
    return this.#find(name);
  }

  entities(): readonly ResolvedEntity[] {
    return [...this.#resolved.values()].map(({ entity }) => entity);
  }

  newRows(now: Milliseconds): Entity[] {
    return this.entities()
      .filter((entity) => entity.isNew)
      .map(({ id }) => ({ id, createdAt: now }));
  }

  #find(name: string): EntityId | undefined {
    const key = entityNameKey(name);
    return this.#byName.get(key) ?? this.#known.idOfName(key);
  }

  #register(id: EntityId, { name, kind }: Pick<ExtractedEntity, 'name' | 'kind'>) {
    const known = this.#known.profileOf(id);
    const aliases = new Set(known?.aliases);
    const entity = { id, isNew: known === undefined, name: known?.name ?? name, kind, aliases };
    const entry = { entity, aliases };
    this.#resolved.set(id, entry);
    return entry;
  }
}

import type { EntityId } from '../../model/ids.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import { cached } from '../../util/collections.ts';
import type { EffectiveCorrections } from '../corrections/effective-corrections.ts';
import type { EntityKind } from '../extract/extractor.ts';
import type { BatchEntity } from './batch-entities.ts';
import { areRivalNames, type NameForm, readName } from './name-form.ts';
import type { Resolution } from './resolution-judge.ts';

/** A new entity and an existing one that may be the same. */
export interface PossiblySame {
  readonly from: EntityId;
  readonly to: EntityId;
  /** Greater than 0, at most 1. */
  readonly confidence: number;
}

/** The state of entities and corrections that names were resolved against; both may have changed since. */
export interface ResolutionBasis {
  readonly entities: EntityIndex;
  readonly revision: number;
  readonly corrections: number;
}

/** What names of a unit were resolved to before it was read. */
export interface ResolvedNames {
  /** By the key of the name. */
  readonly ids: ReadonlyMap<string, EntityId>;
  readonly possiblySame: readonly PossiblySame[];
  readonly basis: ResolutionBasis;
}

/** Maximum number of aliases per entity. */
const MOST_ALIASES = 20;

/** Records how the entities of a batch are resolved. */
export class ResolvedEntities {
  readonly #index: EntityIndex;
  readonly #newId: () => string;
  readonly #book: EffectiveCorrections;
  readonly #ids = new Map<BatchEntity, EntityId>();
  readonly #settled = new Set<BatchEntity>();
  /** Uncertain matches of entities that became new. */
  readonly #doubts = new Map<BatchEntity, { to: EntityId; confidence: number }[]>();
  /** Merged entities by id, with the id of the remaining one. */
  readonly #merged = new Map<EntityId, EntityId>();
  readonly #names = new Map<EntityId, NameForm[]>();

  constructor(index: EntityIndex, { newId, book }: { newId: () => string; book: EffectiveCorrections }) {
    this.#index = index;
    this.#newId = newId;
    this.#book = book;
  }

  /** The id that an unresolved entity gets if it becomes new. */
  idOf(entity: BatchEntity): EntityId {
    const known = this.#ids.get(entity);
    if (known !== undefined) return this.#final(known);
    const id = this.#newId() as EntityId;
    this.#ids.set(entity, id);
    return id;
  }

  isSettled(entity: BatchEntity): boolean {
    return this.#settled.has(entity);
  }

  /** @param match Null for a new one. */
  settle(entity: BatchEntity, match: EntityId | null): void {
    const id = match === null ? this.idOf(entity) : this.#final(match);
    const before = this.#ids.get(entity);
    if (before !== undefined && before !== id) this.#merged.set(before, id);
    this.#ids.set(entity, id);
    this.#settled.add(entity);
    this.#namesOf(id).push(...formsOf(entity));
  }

  /**
   * Applies a judge's decision, except a merge of two different full names. Returns false if the match is none of the
   * candidates.
   */
  accept(entity: BatchEntity, { match, judgements }: Resolution): boolean {
    const isRefused =
      match !== null &&
      (areRivalNames(formsOf(entity), this.#namesOf(this.#final(match))) || this.#areApart(entity, match));
    if (match !== null && !isRefused) {
      this.settle(entity, match);
      return true;
    }
    const doubts = this.#doubts.get(entity) ?? [];
    for (const { id, verdict, confidence } of judgements)
      if (verdict === 'uncertain' && confidence > 0 && !this.#areApart(entity, id))
        doubts.push({ to: id, confidence });
    this.#doubts.set(entity, doubts);
    return false;
  }

  possiblySame(): PossiblySame[] {
    const pairs = new Map<string, PossiblySame>();
    for (const [entity, doubts] of this.#doubts) {
      const from = this.idOf(entity);
      // Memory's own entities were compared when they were added.
      if (this.#index.ids.ordinalOf(from) !== undefined) continue;
      for (const { to: asked, confidence } of doubts) {
        const to = this.#final(asked);
        const key = [from, to].sort().join(' ');
        const before = pairs.get(key);
        if (
          to !== from &&
          !this.#book.isKeptApart(from, to) &&
          (before === undefined || before.confidence < confidence)
        )
          pairs.set(key, { from, to, confidence });
      }
    }
    return [...pairs.values()];
  }

  /** @param batch In the order of the batch. */
  entities(batch: readonly BatchEntity[]): ResolvedEntity[] {
    const members = new Map<EntityId, BatchEntity[]>();
    for (const entity of batch) {
      const id = this.idOf(entity);
      members.set(id, [...(members.get(id) ?? []), entity]);
    }
    // Names take precedence over aliases.
    const taken = new Map([...members].reverse().map(([id, [first]]) => [first!.form.key, id]));
    return Array.from(members, ([id, entities]) => this.#resolved(id, entities, taken));
  }

  #resolved(id: EntityId, entities: readonly BatchEntity[], taken: Map<string, EntityId>): ResolvedEntity {
    const profile = this.#index.profileOf(id);
    const name = this.#book.nameOf(id) ?? profile?.name ?? entities[0]!.name;
    const aliases = new Map(profile?.aliases.map((alias) => [readName(alias).key, alias]));
    const own = readName(name).key;
    const withheld = this.#book.removedNames(id);
    for (const [key, alias] of entities.flatMap(({ names }) => [...names])) {
      // An alias that already names another entity stays with that entity.
      const isTheirs =
        (taken.get(key) ?? id) !== id || this.#index.idsOfName(key).some((other) => other !== id);
      if (key === own || isTheirs || withheld.has(key) || aliases.size >= MOST_ALIASES) continue;
      if (!aliases.has(key)) aliases.set(key, alias);
      taken.set(key, id);
    }
    const kind = entities.find((each) => each.kind !== 'thing')?.kind ?? 'thing';
    return {
      id,
      isNew: this.#index.ids.ordinalOf(id) === undefined,
      name,
      kind,
      aliases: new Set(aliases.values()),
    };
  }

  #areApart(entity: BatchEntity, other: EntityId): boolean {
    const id = this.#final(other);
    return this.#book.areApart(entity.names.keys(), { id, names: this.#namesOf(id).map(({ key }) => key) });
  }

  #final(id: EntityId): EntityId {
    const next = this.#merged.get(id);
    return next === undefined ? id : this.#final(next);
  }

  #namesOf(id: EntityId): NameForm[] {
    return cached(this.#names, id, () => {
      const profile = this.#index.profileOf(id);
      return profile === undefined ? [] : [profile.name, ...profile.aliases].map(readName);
    });
  }
}

function formsOf({ names }: BatchEntity): NameForm[] {
  return [...names.values()].map(readName);
}

/** An entity of a batch after resolution, known or new, with its names. */
export interface ResolvedEntity {
  readonly id: EntityId;
  readonly isNew: boolean;
  readonly name: string;
  readonly kind: EntityKind;
  readonly aliases: ReadonlySet<string>;
}

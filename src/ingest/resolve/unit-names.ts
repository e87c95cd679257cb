import type { EntityId } from '../../model/ids.ts';
import type { ConsolidationContext, PlannedUnit } from '../consolidation-context.ts';
import type { DescribedEntity } from '../extract/segment-reader.ts';
import { resolveBatch } from './entity-resolution.ts';
import { readName } from './name-form.ts';
import type { PossiblySame, ResolvedNames } from './resolved-entities.ts';

/** The names of a unit, resolved against memory while the unit is read (Mnemis §2.1). */
export class UnitNames {
  readonly #context: ConsolidationContext;
  readonly #unit: PlannedUnit;
  #basis: ResolvedNames['basis'] | undefined;
  /** By the key of a name that was said: the name of its entity. */
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, EntityId>();
  readonly #possiblySame: PossiblySame[] = [];

  constructor(context: ConsolidationContext, unit: PlannedUnit) {
    this.#context = context;
    this.#unit = unit;
  }

  /** Undefined if no name was. */
  get resolved(): ResolvedNames | undefined {
    return this.#basis && { ids: this.#ids, possiblySame: this.#possiblySame, basis: this.#basis };
  }

  /** See `ReadOptions.resolve`. A name is resolved once, however often a part of the unit is read. */
  readonly resolve = async (named: readonly DescribedEntity[]): Promise<readonly string[]> => {
    const entities = named.filter(({ name }) => !this.#names.has(readName(name).key));
    if (entities.length > 0) await this.#resolve(entities);
    return named.map(({ name }) => this.#names.get(readName(name).key) ?? name);
  };

  /** Rules decide where the model's reply is unusable; what stops the work stops the reading. */
  async #resolve(entities: readonly DescribedEntity[]): Promise<void> {
    const reading = { extraction: { entities, facts: [] } };
    const { entityOf, fallback, ...found } = await resolveBatch(this.#context, [{ ...this.#unit, reading }]);
    if (fallback.stoppedBy !== null) throw fallback.stoppedBy;
    this.#basis ??= found.basis;
    const stored = new Map(found.entities.map(({ id, name }) => [id, name]));
    const known = entities.flatMap(({ name }) => {
      const id = entityOf(0, name);
      return id === undefined ? [] : [{ said: name, id }];
    });
    const isTaken = (name: string, id: EntityId) =>
      (this.#ids.get(readName(name).key) ?? id) !== id ||
      known.some(({ said, id: other }) => other !== id && readName(said).key === readName(name).key);
    for (const { said, id } of known) {
      const name = stored.get(id) ?? said;
      // Two entities of one name: a reader tells them apart by what was said.
      const own = isTaken(name, id) ? said : name;
      this.#names.set(readName(said).key, own);
      for (const each of [said, own]) this.#ids.set(readName(each).key, id);
    }
    this.#possiblySame.push(...found.possiblySame);
  }
}

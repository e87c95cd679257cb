import type { EntityId, FactId } from '../../model/ids.ts';
import { analyze } from '../../search/analyzer.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { entityNameKey } from '../../util/entity-name-key.ts';

/** PersonalAI's search has depth 1 (PAPERS §4.2); of what it finds, so many are judged with each new fact. */
export const MOST_CANDIDATES = 40;
/** A fact that shares all entities is worth so many good words. */
const SHARED_WEIGHT = 4;
/** Words of the family beside those of the statement itself. */
const CUE_WEIGHT = 0.5;

export interface FactToPlace {
  readonly statement: string;
  /** The entities that it is about, with all their names. */
  readonly names: ReadonlyMap<EntityId, readonly string[]>;
  /** Words by which facts of the same family of relations are known. */
  readonly cues: string;
}

/**
 * Live facts of memory that share an entity with a new one: breadth-first search to depth 1 in the projection of facts
 * and entities, the best 40. One that shares a rare entity, words, or the family's words comes first; of equals, the
 * newer one.
 */
export class CandidateFinder {
  readonly #index: ScopeIndex;
  readonly #leaving: ReadonlySet<string>;
  readonly #about = new Map<EntityId, readonly FactId[]>();

  /** @param leaving Facts that go in the same commit. */
  constructor(index: ScopeIndex, leaving: ReadonlySet<string>) {
    this.#index = index;
    this.#leaving = leaving;
  }

  find({ statement, names, cues }: FactToPlace): FactId[] {
    const shared = new Map<FactId, number>();
    for (const entity of this.#alike(names)) {
      const found = this.#factsAbout(entity);
      const weight = SHARED_WEIGHT / Math.log2(1 + Math.max(1, found.length));
      for (const id of found) shared.set(id, (shared.get(id) ?? 0) + weight);
    }
    if (shared.size <= MOST_CANDIDATES) return [...shared.keys()];
    const { facts } = this.#index;
    const words = facts.lexicalScores(analyze(statement));
    const ofFamily = facts.lexicalScores(analyze(cues));
    const ranked = Array.from(shared, ([id, weight]) => {
      const ordinal = facts.ids.ordinalOf(id)!;
      return { id, ordinal, score: weight + words[ordinal]! + CUE_WEIGHT * ofFamily[ordinal]! };
    });
    ranked.sort((a, b) => b.score - a.score || b.ordinal - a.ordinal);
    return ranked.slice(0, MOST_CANDIDATES).map(({ id }) => id);
  }

  /** The entities and those of the same names: a name may have been left unresolved. */
  #alike(names: FactToPlace['names']): ReadonlySet<EntityId> {
    const { entities } = this.#index;
    const all = [...new Set([...names.values()].flat())];
    return new Set([...names.keys(), ...all.flatMap((name) => entities.idsOfName(entityNameKey(name)))]);
  }

  #factsAbout(entity: EntityId): readonly FactId[] {
    const known = this.#about.get(entity);
    if (known !== undefined) return known;
    const found = this.#index.factsAbout(entity).filter((id) => !this.#leaving.has(id));
    this.#about.set(entity, found);
    return found;
  }
}

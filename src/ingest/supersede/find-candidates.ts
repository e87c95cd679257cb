import type { EntityId, FactId } from '../../model/ids.ts';
import { analyze } from '../../search/analyzer.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { TopHits } from '../../search/top-k.ts';
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
  /** By ordinals: a speaker has tens of thousands of facts. */
  readonly #about = new Map<EntityId, Uint32Array>();

  /** @param leaving Facts that go in the same commit. */
  constructor(index: ScopeIndex, leaving: ReadonlySet<string>) {
    this.#index = index;
    this.#leaving = leaving;
  }

  find({ statement, names, cues }: FactToPlace): FactId[] {
    const { facts } = this.#index;
    const shared = new Float32Array(facts.length);
    const reached: number[] = [];
    for (const entity of this.#alike(names)) {
      const found = this.#factsAbout(entity);
      const weight = SHARED_WEIGHT / Math.log2(1 + Math.max(1, found.length));
      for (const ordinal of found) {
        if (shared[ordinal] === 0) reached.push(ordinal);
        shared[ordinal]! += weight;
      }
    }
    const idsOf = (ordinals: readonly number[]) =>
      ordinals.map((ordinal) => facts.ids.idOf(ordinal) as FactId);
    if (reached.length <= MOST_CANDIDATES) return idsOf(reached);
    const said = analyze(statement).map((term) => ({ term, weight: 1 }));
    const words = new Float32Array(facts.length);
    facts.lexical.score([...said, ...analyze(cues).map((term) => ({ term, weight: CUE_WEIGHT }))], words);
    const best = new TopHits(MOST_CANDIDATES, (first, second) => second - first);
    // The newest first: of equals the others are then never kept.
    for (const ordinal of reached.reverse()) best.offer(ordinal, shared[ordinal]! + words[ordinal]!);
    return idsOf(best.hits().map(({ ordinal }) => ordinal));
  }

  /** The entities and those of the same names: a name may have been left unresolved. */
  #alike(names: FactToPlace['names']): ReadonlySet<EntityId> {
    const { entities } = this.#index;
    const all = [...new Set([...names.values()].flat())];
    return new Set([...names.keys(), ...all.flatMap((name) => entities.idsOfName(entityNameKey(name)))]);
  }

  #factsAbout(entity: EntityId): Uint32Array {
    const known = this.#about.get(entity);
    if (known !== undefined) return known;
    const ids = this.#index.factsAbout(entity).filter((id) => !this.#leaving.has(id));
    const found = Uint32Array.from(ids, (id) => this.#index.facts.ids.ordinalOf(id)!);
    this.#about.set(entity, found);
    return found;
  }
}

import type { Milliseconds, Scope } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';

type Superseding = Pick<Fact, 'validAt' | 'createdAt'>;
type Ending = Pick<Fact, 'id' | 'validAt' | 'invalidAt'>;

/**
 * When facts ended as memory saw it at a system time. A row holds one `invalidAt`; the facts that supersede it
 * (SUPERSEDES) tell whether that was set already: one that came later had not ended anything yet.
 */
export class EndsThen {
  readonly #knownAt: Milliseconds;
  readonly #supersededBy: ReadonlyMap<string, readonly Superseding[]>;

  constructor(knownAt: Milliseconds, supersededBy: ReadonlyMap<string, readonly Superseding[]>) {
    this.#knownAt = knownAt;
    this.#supersededBy = supersededBy;
  }

  static async read(
    { store, scope }: { readonly store: Pick<GraphStore, 'get' | 'relationships'>; readonly scope: Scope },
    knownAt: Milliseconds,
  ): Promise<EndsThen> {
    const edges: { readonly by: string; readonly old: string }[] = [];
    for await (const batch of store.relationships(scope, 'SUPERSEDES'))
      for (const { from, to } of batch) edges.push({ by: from, old: to });
    const newer = await store.get(scope, 'fact', [...new Set(edges.map(({ by }) => by))]);
    const facts = new Map<string, Superseding>(newer.map((fact) => [fact.id, fact]));
    const supersededBy = new Map<string, Superseding[]>();
    for (const { by, old } of edges) {
      const fact = facts.get(by);
      if (fact !== undefined) supersededBy.set(old, [...(supersededBy.get(old) ?? []), fact]);
    }
    return new EndsThen(knownAt, supersededBy);
  }

  /**
   * What `invalidAt` was. An end that a fact came with and that a later one has moved forward is not on record: then
   * the fact counts as open.
   */
  of(fact: Ending): Milliseconds | null {
    const { invalidAt } = fact;
    if (invalidAt === null) return null;
    const superseding = this.#supersededBy.get(fact.id) ?? [];
    const known = superseding.filter((each) => each.createdAt <= this.#knownAt);
    const later = superseding.filter((each) => each.createdAt > this.#knownAt);
    const ends = known.map((each) => endBy(fact, each));
    // A correction puts the end at the beginning. One that was known has expired the fact: here it is a later one's.
    const isSetLater = later.some((each) => invalidAt === endBy(fact, each) || invalidAt === fact.validAt);
    // Else it came with the fact; or it was there already.
    if (!isSetLater || ends.includes(invalidAt)) return invalidAt;
    return ends.length === 0 ? null : Math.min(...ends);
  }
}

/** Where a fact that replaces another puts its end: at its own beginning, and never before that of the old one. */
function endBy(old: Omit<Ending, 'id'>, by: Superseding): Milliseconds {
  return Math.max(old.validAt, by.validAt);
}

import type { NodeCounts } from '../../model/graph-changes.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import { type Fact, NODE_KINDS, type NodeKind, type NodeRows } from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import type { LookBack } from '../../search/look-back.ts';
import type { ScopeSource } from '../../search/scope-index.ts';
import type { GraphStore, RelationshipFilter } from '../../store/graph-store.ts';
import { endBy, holdsAt } from '../../util/validity.ts';

type Superseding = Pick<Fact, 'validAt' | 'createdAt'>;
type Ending = Pick<Fact, 'id' | 'validAt' | 'invalidAt'>;

/**
 * The ends of facts as known at a system time. A row stores one `invalidAt`; the facts that supersede it (SUPERSEDES)
 * show whether it was set by then: a fact that was stored later had not ended anything yet.
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
   * The value of `invalidAt` at that time. If a later fact moved an original end, that end is not recorded, and the
   * fact counts as open.
   */
  of(fact: Ending): Milliseconds | null {
    const { invalidAt } = fact;
    if (invalidAt === null) return null;
    const superseding = this.#supersededBy.get(fact.id) ?? [];
    const known = superseding.filter((each) => each.createdAt <= this.#knownAt);
    const later = superseding.filter((each) => each.createdAt > this.#knownAt);
    const ends = known.map((each) => endBy(fact, each));
    // A correction sets the end to the beginning. A correction known by then has expired the fact: this one is later.
    const isSetLater = later.some((each) => invalidAt === endBy(fact, each) || invalidAt === fact.validAt);
    // Otherwise the end was written with the fact, or set by then.
    if (!isSetLater || ends.includes(invalidAt)) return invalidAt;
    return ends.length === 0 ? null : Math.min(...ends);
  }
}

export type GraphReader = Pick<GraphStore, 'get' | 'relationships'>;

type Times = Partial<Pick<Fact, 'id' | 'createdAt' | 'expiredAt' | 'validAt' | 'invalidAt'>> & {
  readonly owner?: string;
};

/**
 * A scope as of a system time. Rows that were created later are missing, and rows that expired or ended later are
 * shown as they were before. Relationships have no times: one between two rows of that time counts, except mentions
 * of a turn that was extracted later.
 */
export class KnownThen implements GraphReader {
  readonly #store: GraphStore;
  readonly #scope: Scope;
  readonly #at: Milliseconds;
  readonly #ends: EndsThen;
  readonly #readLater: ReadonlySet<string>;
  readonly #categories: ReadonlySet<string>;

  private constructor(
    { store, scope }: { store: GraphStore; scope: Scope },
    at: Milliseconds,
    parts: { ends: EndsThen; readLater: ReadonlySet<string>; categories: ReadonlySet<string> },
  ) {
    this.#store = store;
    this.#scope = scope;
    this.#at = at;
    this.#ends = parts.ends;
    this.#readLater = parts.readLater;
    this.#categories = parts.categories;
  }

  static async read(graph: { store: GraphStore; scope: Scope }, at: Milliseconds): Promise<KnownThen> {
    const categories = new Set<string>();
    for await (const batch of graph.store.scan(graph.scope, 'category', ['id']))
      for (const { id } of batch) categories.add(id);
    const [ends, readLater] = [await EndsThen.read(graph, at), await turnsReadAfter(graph, at)];
    const parts = { ends, readLater, categories };
    return new KnownThen(graph, at, parts);
  }

  /** Rows that were created by then; those that had expired by then are marked so, as in the store. */
  async get<K extends NodeKind>(scope: Scope, kind: K, ids: readonly string[]): Promise<NodeRows[K][]> {
    return this.#asKnown(kind, await this.#store.get(scope, kind, ids));
  }

  async *scan<K extends NodeKind, F extends keyof NodeRows[K]>(
    kind: K,
    fields: readonly F[],
  ): AsyncGenerator<Pick<NodeRows[K], F>[]> {
    for await (const batch of this.#store.scan(this.#scope, kind, fields)) yield this.#asKnown(kind, batch);
  }

  async *relationships(
    scope: Scope,
    kind: RelationshipKind,
    filter: RelationshipFilter = {},
  ): AsyncGenerator<readonly Relationship[]> {
    for await (const batch of this.#store.relationships(scope, kind, filter))
      yield kind === 'MENTIONS' ? batch.filter(({ from }) => !this.#readLater.has(from)) : batch;
  }

  /** The source of an index as of that time. @param now The source of the present, for its vectors. */
  source(now: ScopeSource): ScopeSource {
    return {
      rows: (kind, fields) => this.scan(kind, fields),
      embeddings: (fields) => now.embeddings(fields),
      relationships: (kind) => this.relationships(this.#scope, kind),
    };
  }

  /**
   * The hierarchy has no history: searches use the current categories without their summaries, which are rebuilt from
   * what was known then about their members.
   */
  #asWalked<R extends object>(kind: NodeKind, row: R): R {
    if (kind === 'category') return { ...row, staleSince: this.#at };
    return kind === 'profile' && 'summary' in row ? { ...row, summary: '' } : row;
  }

  #asKnown<R extends object>(kind: NodeKind, rows: readonly R[]): R[] {
    return rows.flatMap((row) => {
      const { id, createdAt, expiredAt, validAt, invalidAt, owner = '' } = row as Times;
      if (kind === 'category' || kind === 'hierarchy' || this.#categories.has(owner))
        return [this.#asWalked(kind, row)];
      if (createdAt !== undefined && createdAt > this.#at) return [];
      const isBack = expiredAt != null && expiredAt > this.#at;
      const isEnding = kind === 'fact' && id !== undefined && validAt !== undefined && invalidAt != null;
      return {
        ...row,
        ...(isBack ? { expiredAt: null } : {}),
        ...(isEnding ? { invalidAt: this.#ends.of({ id, validAt, invalidAt }) } : {}),
      };
    });
  }
}

/** Turns that were extracted later, by their segments. */
async function turnsReadAfter(
  { store, scope }: { store: GraphStore; scope: Scope },
  at: Milliseconds,
): Promise<ReadonlySet<string>> {
  const later = new Set<string>();
  for await (const batch of store.scan(scope, 'segment', ['id', 'createdAt']))
    for (const { id, createdAt } of batch) if (createdAt > at) later.add(id);
  if (later.size === 0) return later;
  const [readLater, readBefore] = [new Set<string>(), new Set<string>()];
  for await (const batch of store.relationships(scope, 'IN_SEGMENT'))
    for (const { from, to } of batch) (later.has(to) ? readLater : readBefore).add(from);
  for (const turn of readBefore) readLater.delete(turn);
  return readLater;
}

interface Then {
  readonly asOf: Milliseconds | null;
  readonly rows: <K extends NodeKind, F extends keyof NodeRows[K]>(
    kind: K,
    fields: readonly F[],
  ) => AsyncIterable<readonly Pick<NodeRows[K], F>[]>;
  readonly relationships: (kind: RelationshipKind) => AsyncIterable<readonly Relationship[]>;
}

/** A row that had not expired at the system time. */
interface Held {
  readonly expiredAt?: Milliseconds | null;
}

/**
 * Counts the rows of each kind that were live at a system time (default: now). As of a valid time, counts only rows
 * that `search` would return: turns said and segments begun by then, facts that held, entities mentioned by then, and
 * the profiles, descriptions and vectors of these.
 */
export async function countThen(
  { store, scope }: { readonly store: GraphStore; readonly scope: Scope },
  { asOf, knownAt }: LookBack,
): Promise<NodeCounts> {
  const known = knownAt === null ? null : await KnownThen.read({ store, scope }, knownAt);
  const then: Then = {
    asOf,
    rows: (kind, fields) => known?.scan(kind, fields) ?? store.scan(scope, kind, fields),
    relationships: (kind) => (known ?? store).relationships(scope, kind),
  };
  const live = await liveIds(then);
  const counts: Partial<Record<NodeKind, number>> = {};
  for (const kind of NODE_KINDS) if (kind !== 'embedding') counts[kind] = live[kind].size;
  const owners = [live.episode, live.segment, live.profile, live.description, live.fact];
  counts.embedding = await countOf(then.rows('embedding', ['owner']), ({ owner }) =>
    owners.some((ids) => ids.has(owner)),
  );
  return counts as NodeCounts;
}

type Ids = ReadonlySet<string>;

async function liveIds(then: Then): Promise<Record<Exclude<NodeKind, 'embedding'>, Ids>> {
  const { asOf, rows } = then;
  const until = (at: Milliseconds) => asOf === null || at <= asOf;
  const episode = await idsOf(rows('episode', ['id', 'validAt', 'createdAt', 'expiredAt']), (row) =>
    until(row.validAt),
  );
  const segment = await idsOf(rows('segment', ['id', 'startAt', 'createdAt', 'expiredAt']), (row) =>
    until(row.startAt),
  );
  const fact = await idsOf(
    rows('fact', ['id', 'validAt', 'invalidAt', 'createdAt', 'expiredAt']),
    (row) => asOf === null || holdsAt(row, asOf),
  );
  const all = await idsOf(rows('entity', ['id', 'createdAt']));
  const entity = asOf === null ? all : await spokenOf(then, { all, episode, fact });
  const category = await idsOf(rows('category', ['id', 'createdAt', 'expiredAt']));
  const profile = await idsOf(
    rows('profile', ['id', 'owner', 'createdAt', 'expiredAt']),
    ({ owner }) => entity.has(owner) || category.has(owner),
  );
  const description = await idsOf(
    rows('description', ['id', 'entity', 'segment', 'createdAt']),
    (row) => entity.has(row.entity) && segment.has(row.segment),
  );
  const hierarchy = await idsOf(rows('hierarchy', ['id', 'createdAt']));
  const failure = await idsOf(rows('failure', ['id', 'createdAt', 'expiredAt']));
  const correction = await idsOf(rows('correction', ['id', 'createdAt']));
  const tombstone = await idsOf(rows('tombstone', ['id', 'createdAt']));
  const item = await idsOf(rows('item', ['id', 'createdAt', 'expiredAt']));
  return {
    episode,
    segment,
    fact,
    entity,
    category,
    hierarchy,
    profile,
    description,
    failure,
    correction,
    tombstone,
    item,
  };
}

async function spokenOf(
  then: Then,
  { all, episode, fact }: { readonly all: Ids; readonly episode: Ids; readonly fact: Ids },
): Promise<Ids> {
  const found = new Set<string>();
  for (const [kind, ends] of [
    ['MENTIONS', episode],
    ['ABOUT', fact],
  ] as const)
    for await (const batch of then.relationships(kind))
      for (const { from, to } of batch) if (ends.has(from) && all.has(to)) found.add(to);
  return found;
}

async function idsOf<Row extends Held & { readonly id: string }>(
  batches: AsyncIterable<readonly Row[]>,
  counts: (row: Row) => boolean = () => true,
): Promise<Ids> {
  const ids = new Set<string>();
  for await (const batch of batches)
    for (const row of batch) if ((row.expiredAt ?? null) === null && counts(row)) ids.add(row.id);
  return ids;
}

async function countOf<Row>(
  batches: AsyncIterable<readonly Row[]>,
  counts: (row: Row) => boolean,
): Promise<number> {
  let count = 0;
  for await (const batch of batches) for (const row of batch) if (counts(row)) count++;
  return count;
}

import type { NodeCounts } from '../../model/graph-changes.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import { NODE_KINDS, type NodeKind, type NodeRows } from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import type { LookBack } from '../../search/look-back.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { KnownThen } from './known-then.ts';

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
 * Counts the rows of each kind that were live at a system time (by default now), and, as of a time, only those that
 * `search` would offer: turns said and segments begun until then, facts that held, entities mentioned until then, and the
 * profiles, descriptions and vectors of these.
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
    ({ validAt, invalidAt }) => until(validAt) && (asOf === null || invalidAt === null || invalidAt > asOf),
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

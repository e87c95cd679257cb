import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { collect, groupBy } from '../../util/collections.ts';
import { cascade, type DeletionOptions } from './cascade.ts';
import type { Deletion } from './deletion-set.ts';
import { expire, losingFacts } from './facts.ts';
import { healNext, touchedSegments } from './segments.ts';
import { TurnList } from './turn-list.ts';

interface TurnRemovalOptions extends DeletionOptions {
  /** All turns of the forgetting that this step belongs to. Default: those of the step. */
  readonly all?: readonly string[];
  /** When the forgetting started: versions of its turns stored later stay. */
  readonly until?: number;
}

/**
 * Plans the removal of turns (docs/design.md, "Forgetting"): the turns in all their versions, rows that depend on them
 * alone, and everything read together with them, since it may repeat their text. The remaining turns of the affected
 * segments wait to be read again. Writes nothing. Skips ids that the scope lacks.
 */
export async function planDeletion(
  context: IngestContext,
  episodes: readonly string[],
  { all = episodes, until, ...options }: TurnRemovalOptions = {},
): Promise<Deletion> {
  const { store, scope } = context;
  const list = await TurnList.read(store, scope);
  const turns = list.withVersions(episodes, until);
  const ids = turns.map(({ id }) => id as string);
  const allTurns = list.withVersions(all, until);
  const removed = new Set<string>([...ids, ...allTurns.map(({ id }) => id)]);
  const sources = { store, scope, list, removed, textless: context.index.corrections.turnsWithoutText };
  const { rows, unread, former } = await touchedSegments(sources, ids);
  const facts = await losingFacts(context, { list, removed, step: new Set(ids), unread });
  const mentions = await mentionsOf(context, [...ids, ...unread]);
  const failures = await affectedFailures(context, { list, removed, turns: ids });
  const segments = new Set<string>(rows.map(({ id }) => id));
  const allDescriptions = await collect(store.scan(scope, 'description', ['id', 'entity', 'segment']));
  const descriptions = allDescriptions.filter(({ segment }) => segments.has(segment));
  const reread = [...unread].filter((id) => list.get(id)?.expiredAt === null);
  const about =
    facts.removed.size === 0
      ? []
      : await collect(store.relationships(scope, 'ABOUT', { from: [...facts.removed] }));
  const completed = await cascade(
    context,
    {
      turns: new Set(ids),
      allTurns: removed,
      since: turns.length === 0 ? null : Math.min(...allTurns.map(({ createdAt }) => createdAt)),
      facts: facts.removed,
      alsoSupported: facts.alsoSupported,
      segments: rows,
      descriptions,
      allDescriptions,
      entities: new Set(),
      failures: failures.removed,
      touched: new Set([
        ...mentions.map(({ to }) => to),
        ...about.map(({ to }) => to),
        ...descriptions.map(({ entity }) => entity),
      ]),
      unlinks: [...facts.unlinks, ...mentions.filter(({ from }) => unread.has(from)).map(unlink)],
      updates: [...reread.map(waits), ...failures.updates, ...expire(facts.expiring, context.clock())],
      relationships: await healNext(sources, turns),
    },
    options,
  );
  return { ...completed, reread: [...reread, ...failures.waiting], former };
}

async function mentionsOf(
  { store, scope }: IngestContext,
  turns: readonly string[],
): Promise<Relationship[]> {
  return turns.length === 0 ? [] : collect(store.relationships(scope, 'MENTIONS', { from: turns }));
}

function unlink({ kind, fromKind, from, toKind, to }: Relationship): Unlink {
  return { kind, fromKind, from, toKind, to };
}

function waits(id: string): RowUpdate {
  return { kind: 'episode', id, set: { status: 'stored', gate: 'unjudged', verified: false } };
}

interface AffectedFailures {
  /** Failure records without remaining turns. */
  readonly removed: ReadonlySet<string>;
  /** Turns set aside together with removed ones: without those, reading may succeed. */
  readonly waiting: readonly string[];
  readonly updates: readonly RowUpdate[];
}

async function affectedFailures(
  { store, scope, clock }: Pick<IngestContext, 'store' | 'scope' | 'clock'>,
  {
    list,
    removed,
    turns,
  }: { readonly list: TurnList; readonly removed: ReadonlySet<string>; readonly turns: readonly string[] },
): Promise<AffectedFailures> {
  const affected = { removed: new Set<string>(), waiting: new Set<string>(), updates: [] as RowUpdate[] };
  const edges =
    turns.length === 0 ? [] : await collect(store.relationships(scope, 'FAILED_IN', { from: turns }));
  const ids = [...new Set(edges.map(({ to }) => to))];
  if (ids.length === 0) return { ...affected, waiting: [] };
  const members = groupBy(
    await collect(store.relationships(scope, 'FAILED_IN', { to: ids })),
    ({ to }) => to,
  );
  for (const { id, expiredAt } of await store.get(scope, 'failure', ids)) {
    const left = (members.get(id) ?? []).map(({ from }) => from).filter((turn) => !removed.has(turn));
    if (left.length === 0) affected.removed.add(id);
    else if (expiredAt === null) {
      affected.updates.push({ kind: 'failure', id, set: { expiredAt: clock() } });
      for (const turn of left) if (isSetAside(list, turn)) affected.waiting.add(turn);
    }
  }
  const waiting = [...affected.waiting];
  const waits = waiting.map((id): RowUpdate => ({ kind: 'episode', id, set: { status: 'stored' } }));
  return { removed: affected.removed, waiting, updates: [...affected.updates, ...waits] };
}

function isSetAside(list: TurnList, id: string): boolean {
  const turn = list.get(id);
  return turn?.expiredAt === null && turn.status === 'set-aside';
}

/**
 * Plans the removal of an entity whose turns stay: the entity, its profiles, the facts it participates in, its
 * descriptions and its mentions. Writes nothing.
 */
export async function planEntityDeletion(
  context: IngestContext,
  entity: string,
  options: DeletionOptions = {},
): Promise<Deletion> {
  const { store, scope } = context;
  const [row] = await store.get(scope, 'entity', [entity]);
  const allDescriptions = await collect(store.scan(scope, 'description', ['id', 'entity', 'segment']));
  const facts = await collect(store.relationships(scope, 'ABOUT', { to: [entity] }));
  const removed = new Set(facts.map(({ from }) => from));
  const about =
    removed.size === 0 ? [] : await collect(store.relationships(scope, 'ABOUT', { from: [...removed] }));
  const owners = row === undefined ? [] : [entity];
  const completed = await cascade(
    context,
    {
      turns: new Set(),
      allTurns: new Set(),
      since: null,
      alsoSupported: new Set(),
      facts: removed,
      segments: [],
      descriptions: allDescriptions.filter((each) => each.entity === entity),
      allDescriptions,
      entities: new Set(owners),
      failures: new Set(),
      touched: new Set([...owners, ...about.map(({ to }) => to)]),
      unlinks: [],
      updates: [],
      relationships: [],
    },
    options,
  );
  return { ...completed, reread: [], former: [] };
}

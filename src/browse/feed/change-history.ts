import type { StoredScope } from '../../ingest/ingest-context.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Fact, NodeKind, NodeRows, Profile } from '../../model/nodes.ts';
import type { ScopeState } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';
import type { ChangeEvent } from './change-event.ts';
import {
  type ChangeDraft,
  correctedDraft,
  type DescribedScope,
  describeChanges,
  entityDrafts,
  inOrder,
  isWithdrawn,
  storedDraft,
} from './describe-changes.ts';

/**
 * What memory learned and withdrew from a system time on, as far as the graph shows it: times of rows, SUPERSEDES
 * edges and corrections. No commit may happen during the reading.
 */
export async function changeHistory(graph: StoredScope, since: Milliseconds): Promise<ChangeDraft[]> {
  const turns = await rowsOf(graph, 'episode', ['id', 'createdAt']);
  const corrections = await rowsOf(graph, 'correction', ['id', 'finishedAt']);
  const drafts = [
    ...turns.map(storedDraft),
    ...(await newEntities(graph, since)),
    ...(await factChanges(graph)),
    ...corrections.flatMap(correctedDraft),
  ];
  return inOrder(drafts.filter(({ at }) => at >= since));
}

async function newEntities(graph: StoredScope, since: Milliseconds): Promise<ChangeDraft[]> {
  const rows = await rowsOf(graph, 'entity', ['id', 'createdAt']);
  const entities = rows.filter(({ createdAt }) => createdAt >= since);
  if (entities.length === 0) return [];
  const profiles: Pick<Profile, 'id' | 'owner' | 'createdAt'>[] = await rowsOf(graph, 'profile', [
    'id',
    'owner',
    'createdAt',
  ]);
  return entityDrafts(entities, profiles);
}

async function factChanges(graph: StoredScope): Promise<ChangeDraft[]> {
  const rows = await rowsOf(graph, 'fact', ['id', 'validAt', 'invalidAt', 'createdAt', 'expiredAt']);
  const facts = new Map<string, Pick<Fact, 'createdAt'>>(rows.map((row) => [row.id, row]));
  const superseded = new Set<string>();
  const drafts: ChangeDraft[] = [];
  for await (const batch of graph.store.relationships(graph.scope, 'SUPERSEDES'))
    for (const { from: id, to: old } of batch) {
      superseded.add(old);
      const at = Math.max(facts.get(id)!.createdAt, facts.get(old)!.createdAt);
      drafts.push({ type: 'superseded', at, id, old });
    }
  for (const { id, createdAt, ...times } of rows) {
    drafts.push({ type: 'fact', at: createdAt, id });
    if (isWithdrawn(times, superseded.has(id))) drafts.push({ type: 'withdrawn', at: times.expiredAt!, id });
  }
  return drafts;
}

async function rowsOf<K extends NodeKind, F extends keyof NodeRows[K]>(
  { store, scope }: StoredScope,
  kind: K,
  fields: readonly F[],
): Promise<Pick<NodeRows[K], F>[]> {
  const rows: Pick<NodeRows[K], F>[] = [];
  const breather = new Breather();
  for await (const batch of store.scan(scope, kind, fields)) {
    for (const row of batch) rows.push(row);
    await breather.breathe();
  }
  return rows;
}

/** A page of a scope's changes, backwards in time. */
export interface ChangesPage {
  /** The newest first. */
  readonly changes: readonly ChangeEvent[];
  /** Pass it as `before` for the next page; null on the last one. */
  readonly next: Milliseconds | null;
}

/** The changes of a scope without text, kept until the next commit: several pages are read of one history. */
export interface KeptHistory {
  readonly state: ScopeState;
  /** The oldest first. */
  readonly drafts: readonly ChangeDraft[];
}

/** One page of a history. Changes whose rows are gone since are left out; a page may then be shorter. */
export async function recentChanges(
  context: DescribedScope,
  { drafts }: KeptHistory,
  { before = Number.POSITIVE_INFINITY, limit }: { before?: Milliseconds | undefined; limit: number },
): Promise<ChangesPage> {
  const end = firstFrom(drafts, before);
  const last = drafts[Math.max(0, end - limit)];
  const start = last === undefined ? 0 : firstFrom(drafts, last.at);
  const page = drafts.slice(start, end);
  const events = await describeChanges(context, page);
  const next = start === 0 ? null : page[0]!.at;
  return { changes: events.flatMap((event) => event ?? []).reverse(), next };
}

/** The position of the first change at the time or later. */
function firstFrom(drafts: readonly ChangeDraft[], at: Milliseconds): number {
  let [low, high] = [0, drafts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (drafts[middle]!.at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

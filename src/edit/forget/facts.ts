import type { IngestContext } from '../../ingest/ingest-context.ts';
import { LocalFallback } from '../../ingest/local-fallback.ts';
import { supersedeFacts } from '../../ingest/supersede/supersede-facts.ts';
import { namesOfEntities } from '../../ingest/supersede/view-facts.ts';
import type { GraphChanges, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Fact } from '../../model/nodes.ts';
import { collect, groupBy } from '../../util/collections.ts';
import type { TurnList } from './turn-list.ts';

type Sources = Pick<IngestContext, 'store' | 'scope' | 'index'>;

interface LosingFacts {
  readonly gone: ReadonlySet<string>;
  /** Of those, the ones that turns which stay have said too: reading these again may give them again. */
  readonly saidAgain: ReadonlySet<string>;
  /** Facts that stay, but rest on no turn of now any more: they expire. */
  readonly expiring: ReadonlySet<string>;
  readonly unlinks: readonly Unlink[];
}

interface TurnsGoing {
  readonly list: TurnList;
  /** Turns of the whole forgetting. */
  readonly gone: ReadonlySet<string>;
  /** Those of this step. */
  readonly step: ReadonlySet<string>;
  /** See `TouchedSegments`. */
  readonly unread: ReadonlySet<string>;
}

/** Facts somebody wrote, changed, pinned or rejected: nobody will read them again as they are. */
const HELD_BY = ['edit-fact', 'reject-fact', 'pin-fact'];

/**
 * Facts of any age that rest on turns that go, or that were read beside them. One that was read goes unless a turn
 * bears it out that stays as it was read; one that was given goes with the last turn that it rests on.
 */
export async function losingFacts(context: Sources, turns: TurnsGoing): Promise<LosingFacts> {
  const { store, scope } = context;
  const { gone, step, unread, list } = turns;
  const ids = await factsOn(context, [...step, ...unread]);
  const rows = await store.get(scope, 'fact', ids);
  const evidence = groupBy(
    ids.length === 0 ? [] : await collect(store.relationships(scope, 'EVIDENCED_BY', { from: ids })),
    ({ from }) => from,
  );
  const held = heldFacts(context);
  const losing = {
    gone: new Set<string>(),
    saidAgain: new Set<string>(),
    expiring: new Set<string>(),
    unlinks: [] as Unlink[],
  };
  for (const fact of rows) {
    const stays = fact.origin === 'given' || held.has(fact.id);
    const on = (evidence.get(fact.id) ?? []).map(({ to }) => to).filter((turn) => !gone.has(turn));
    const left = stays ? on : on.filter((turn) => !unread.has(turn));
    if (left.length === 0) {
      losing.gone.add(fact.id);
      if (on.length > 0) losing.saidAgain.add(fact.id);
      continue;
    }
    if (fact.expiredAt === null && !left.some((turn) => list.get(turn)?.expiredAt === null))
      losing.expiring.add(fact.id);
    if (!stays)
      losing.unlinks.push(...on.filter((turn) => unread.has(turn)).map((turn) => unlink(fact, turn)));
  }
  return losing;
}

export function expire(facts: Iterable<string>, now: number): RowUpdate[] {
  return Array.from(facts, (id) => ({ kind: 'fact', id, set: { expiredAt: now } }));
}

async function factsOn({ store, scope }: Sources, turns: readonly string[]): Promise<string[]> {
  if (turns.length === 0) return [];
  const edges = await collect(store.relationships(scope, 'EVIDENCED_BY', { to: turns }));
  return [...new Set(edges.flatMap(({ fromKind, from }) => (fromKind === 'fact' ? [from] : [])))];
}

function heldFacts({ index: { corrections } }: Sources): ReadonlySet<string> {
  const held = corrections.all.filter(({ kind, undoneAt }) => undoneAt === null && HELD_BY.includes(kind));
  return new Set(held.flatMap(({ targets }) => targets));
}

function unlink({ id }: Fact, turn: string): Unlink {
  return { kind: 'EVIDENCED_BY', fromKind: 'fact', from: id, toKind: 'episode', to: turn };
}

interface FactsGoing {
  readonly leaving: ReadonlySet<string>;
  /** Turns that go in the same forgetting. */
  readonly turns: ReadonlySet<string>;
}

/**
 * What leaving facts had ended holds again, unless something else ends it; what they had corrected is believed again.
 */
export async function reopenedFacts(
  context: IngestContext,
  { leaving, turns }: FactsGoing,
): Promise<Required<Pick<GraphChanges, 'relationships' | 'updates'>>> {
  if (leaving.size === 0) return { relationships: [], updates: [] };
  const nothingNew = { facts: [], relationships: [], episodes: [] };
  const given = { ...nothingNew, namesOf: namesOfEntities(context.index), expiring: leaving };
  const ends = await supersedeFacts(context, given, { superseder: null, fallback: new LocalFallback() });
  return {
    relationships: ends.relationships,
    updates: [...ends.updates, ...(await revived(context, { leaving, turns }))],
  };
}

/** A corrected fact expired at the moment at which its correction was first believed. */
async function revived(context: IngestContext, { leaving, turns }: FactsGoing): Promise<RowUpdate[]> {
  const { store, scope } = context;
  const ended = await collect(store.relationships(scope, 'SUPERSEDES', { from: [...leaving] }));
  const olds = [...new Set(ended.map(({ to }) => to))].filter((id) => !leaving.has(id));
  if (olds.length === 0) return [];
  const by = groupBy(await collect(store.relationships(scope, 'SUPERSEDES', { to: olds })), ({ to }) => to);
  const newer = await store.get(scope, 'fact', [...new Set([...by.values()].flat().map(({ from }) => from))]);
  const rows = new Map<string, Fact>(newer.map((fact) => [fact.id, fact]));
  const rejected = rejectedFacts(context);
  const found: RowUpdate[] = [];
  for (const old of await store.get(scope, 'fact', olds)) {
    if (old.expiredAt === null || rejected.has(old.id)) continue;
    if (!(await restsOnLiveTurns(context, old, turns))) continue;
    const enders = (by.get(old.id) ?? []).flatMap(({ from }) => rows.get(from) ?? []);
    const correctors = enders.filter(({ createdAt }) => createdAt === old.expiredAt);
    if (correctors.length === 0 || !correctors.every(({ id }) => leaving.has(id))) continue;
    const ends = enders.filter(({ id, expiredAt }) => !leaving.has(id) && expiredAt === null);
    const times = ends.map((fact) => Math.max(old.validAt, fact.validAt));
    if (old.statedEnd !== null) times.push(old.statedEnd);
    const invalidAt = times.length === 0 ? null : Math.min(...times);
    found.push({ kind: 'fact', id: old.id, set: { expiredAt: null, invalidAt } });
  }
  return found;
}

async function restsOnLiveTurns(
  { store, scope }: IngestContext,
  { id }: Fact,
  gone: ReadonlySet<string>,
): Promise<boolean> {
  const evidence = await collect(store.relationships(scope, 'EVIDENCED_BY', { from: [id] }));
  const left = evidence.map(({ to }) => to).filter((turn) => !gone.has(turn));
  return (await store.get(scope, 'episode', left)).some(({ expiredAt }) => expiredAt === null);
}

function rejectedFacts({ index: { corrections } }: IngestContext): ReadonlySet<string> {
  const open = corrections.all.filter(({ undoneAt }) => undoneAt === null);
  return new Set(
    open.flatMap(({ kind, targets }) => (kind === 'reject-fact' || kind === 'edit-fact' ? targets : [])),
  );
}

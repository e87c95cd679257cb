import type { IndexedScope, IngestContext } from '../../ingest/ingest-context.ts';
import { LocalFallback } from '../../ingest/local-fallback.ts';
import { supersedeFacts } from '../../ingest/supersede/supersede-facts.ts';
import { namesOfEntities } from '../../ingest/supersede/view-facts.ts';
import type { GraphChanges, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { CorrectionKind, Fact } from '../../model/nodes.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { groupBy } from '../../util/collections.ts';
import { endBy } from '../../util/validity.ts';
import type { TurnList } from './turns.ts';

interface LosingFacts {
  readonly removed: ReadonlySet<string>;
  /** Of those, the facts that remaining turns support too: reading these turns again may recreate them. */
  readonly alsoSupported: ReadonlySet<string>;
  /** Facts that stay but have no live turn as evidence any more: they expire. */
  readonly expiring: ReadonlySet<string>;
  readonly unlinks: readonly Unlink[];
}

interface RemovedTurns {
  readonly list: TurnList;
  /** All turns of the forgetting. */
  readonly removed: ReadonlySet<string>;
  /** Turns of this step. */
  readonly step: ReadonlySet<string>;
  /** See `TouchedSegments`. */
  readonly unread: ReadonlySet<string>;
}

/** Corrections that protect a fact: reading the turns again would not produce it as it is. */
const PROTECTED_BY: readonly CorrectionKind[] = ['edit-fact', 'reject-fact', 'pin-fact'];

/**
 * Facts of any age with removed or unread turns as evidence. An extracted fact is removed unless a
 * remaining turn that is not read again supports it. A fact from `addFacts` is removed with its last evidence turn.
 */
export async function losingFacts(context: IndexedScope, turns: RemovedTurns): Promise<LosingFacts> {
  const { store, scope } = context;
  const { removed, step, unread, list } = turns;
  const edges = await edgesOf(context, 'EVIDENCED_BY', { to: [...step, ...unread] });
  const ids = [...new Set(edges.flatMap(({ fromKind, from }) => (fromKind === 'fact' ? [from] : [])))];
  const rows = await store.get(scope, 'fact', ids);
  const evidence = groupBy(await edgesOf(context, 'EVIDENCED_BY', { from: ids }), ({ from }) => from);
  const protectedIds = targetsOf(context, PROTECTED_BY);
  const losing = {
    removed: new Set<string>(),
    alsoSupported: new Set<string>(),
    expiring: new Set<string>(),
    unlinks: [] as Unlink[],
  };
  for (const fact of rows) {
    const stays = fact.origin === 'given' || protectedIds.has(fact.id);
    const on = (evidence.get(fact.id) ?? []).map(({ to }) => to).filter((turn) => !removed.has(turn));
    const left = stays ? on : on.filter((turn) => !unread.has(turn));
    if (left.length === 0) {
      losing.removed.add(fact.id);
      if (on.length > 0) losing.alsoSupported.add(fact.id);
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

/** The targets of corrections of these kinds that are in force. */
function targetsOf(
  { index: { corrections } }: IndexedScope,
  kinds: readonly CorrectionKind[],
): ReadonlySet<string> {
  const open = corrections.all.filter(({ kind, undoneAt }) => undoneAt === null && kinds.includes(kind));
  return new Set(open.flatMap(({ targets }) => targets));
}

function unlink({ id }: Fact, turn: string): Unlink {
  return { kind: 'EVIDENCED_BY', fromKind: 'fact', from: id, toKind: 'episode', to: turn };
}

interface RemovedFacts {
  readonly removedFacts: ReadonlySet<string>;
  /** Turns removed by the same forgetting. */
  readonly turns: ReadonlySet<string>;
}

/** Reopens facts that removed facts ended, unless something else ends them, and revives facts that they corrected. */
export async function reopenedFacts(
  context: IngestContext,
  { removedFacts, turns }: RemovedFacts,
): Promise<Required<Pick<GraphChanges, 'relationships' | 'updates'>>> {
  if (removedFacts.size === 0) return { relationships: [], updates: [] };
  const nothingNew = { facts: [], relationships: [], episodes: [] };
  const given = { ...nothingNew, namesOf: namesOfEntities(context.index), expiring: removedFacts };
  const ends = await supersedeFacts(context, given, { superseder: null, fallback: new LocalFallback() });
  return {
    relationships: ends.relationships,
    updates: [...ends.updates, ...(await revived(context, { removedFacts, turns }))],
  };
}

/** A corrected fact expired at the moment its correction was first believed. */
async function revived(context: IngestContext, { removedFacts, turns }: RemovedFacts): Promise<RowUpdate[]> {
  const { store, scope } = context;
  const ended = await edgesOf(context, 'SUPERSEDES', { from: [...removedFacts] });
  const olds = [...new Set(ended.map(({ to }) => to))].filter((id) => !removedFacts.has(id));
  if (olds.length === 0) return [];
  const by = groupBy(await edgesOf(context, 'SUPERSEDES', { to: olds }), ({ to }) => to);
  const newer = await store.get(scope, 'fact', [...new Set([...by.values()].flat().map(({ from }) => from))]);
  const rows = new Map<string, Fact>(newer.map((fact) => [fact.id, fact]));
  const rejected = targetsOf(context, ['reject-fact', 'edit-fact']);
  const found: RowUpdate[] = [];
  for (const old of await store.get(scope, 'fact', olds)) {
    if (old.expiredAt === null || rejected.has(old.id)) continue;
    if (!(await hasLiveEvidence(context, old, turns))) continue;
    const enders = (by.get(old.id) ?? []).flatMap(({ from }) => rows.get(from) ?? []);
    const correctors = enders.filter(({ createdAt }) => createdAt === old.expiredAt);
    if (correctors.length === 0 || !correctors.every(({ id }) => removedFacts.has(id))) continue;
    const ends = enders.filter(({ id, expiredAt }) => !removedFacts.has(id) && expiredAt === null);
    const times = ends.map((fact) => endBy(old, fact));
    if (old.statedEnd !== null) times.push(old.statedEnd);
    const invalidAt = times.length === 0 ? null : Math.min(...times);
    found.push({ kind: 'fact', id: old.id, set: { expiredAt: null, invalidAt } });
  }
  return found;
}

async function hasLiveEvidence(
  context: IngestContext,
  { id }: Fact,
  removed: ReadonlySet<string>,
): Promise<boolean> {
  const evidence = await edgesOf(context, 'EVIDENCED_BY', { from: [id] });
  const left = evidence.map(({ to }) => to).filter((turn) => !removed.has(turn));
  return (await context.store.get(context.scope, 'episode', left)).some(
    ({ expiredAt }) => expiredAt === null,
  );
}

import type { GraphChanges, RowUpdate } from '../../model/graph-changes.ts';
import type { Fact } from '../../model/nodes.ts';
import { groupBy } from '../../util/collections.ts';
import type { IngestContext } from '../ingest-context.ts';
import { supersedeFacts } from '../supersede/supersede-facts.ts';
import { namesOfEntities } from '../supersede/view-facts.ts';
import { LocalFallback } from '../write/local-fallback.ts';
import { collect } from './collect.ts';

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
  const given = { ...nothingNew, namesOf: namesOfEntities(context.index), leaving };
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

function rejectedFacts({ index: { rulings } }: IngestContext): ReadonlySet<string> {
  const rulingsNow = rulings.corrections.filter(({ undoneAt }) => undoneAt === null);
  return new Set(
    rulingsNow.flatMap(({ kind, targets }) =>
      kind === 'reject-fact' || kind === 'edit-fact' ? targets : [],
    ),
  );
}

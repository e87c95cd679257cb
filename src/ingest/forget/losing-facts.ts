import type { RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Fact } from '../../model/nodes.ts';
import { groupBy } from '../../util/collections.ts';
import type { IngestContext } from '../ingest-context.ts';
import { collect } from './collect.ts';
import type { TurnList } from './turn-list.ts';

type Sources = Pick<IngestContext, 'store' | 'scope' | 'index'>;

export interface LosingFacts {
  readonly gone: ReadonlySet<string>;
  /** Of those, the ones that turns which stay have said too: reading these again may give them again. */
  readonly saidAgain: ReadonlySet<string>;
  /** Facts that stay, but rest on no turn of now any more: they expire. */
  readonly expiring: ReadonlySet<string>;
  readonly unlinks: readonly Unlink[];
}

export interface TurnsGoing {
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

function heldFacts({ index: { rulings } }: Sources): ReadonlySet<string> {
  const held = rulings.corrections.filter(
    ({ kind, undoneAt }) => undoneAt === null && HELD_BY.includes(kind),
  );
  return new Set(held.flatMap(({ targets }) => targets));
}

function unlink({ id }: Fact, turn: string): Unlink {
  return { kind: 'EVIDENCED_BY', fromKind: 'fact', from: id, toKind: 'episode', to: turn };
}

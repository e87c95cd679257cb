import type { RowUpdate } from '../../model/graph-changes.ts';
import { groupBy } from '../../util/collections.ts';
import type { IngestContext } from '../ingest-context.ts';
import { collect } from './collect.ts';
import type { TurnList } from './turn-list.ts';

export interface FailuresGoing {
  /** Records of failures of which no turn is left. */
  readonly gone: ReadonlySet<string>;
  /** Turns that were set aside together with some that go: without those they may be read after all. */
  readonly waiting: readonly string[];
  readonly updates: readonly RowUpdate[];
}

export async function failuresGoing(
  { store, scope, clock }: Pick<IngestContext, 'store' | 'scope' | 'clock'>,
  {
    list,
    gone,
    turns,
  }: { readonly list: TurnList; readonly gone: ReadonlySet<string>; readonly turns: readonly string[] },
): Promise<FailuresGoing> {
  const going = { gone: new Set<string>(), waiting: new Set<string>(), updates: [] as RowUpdate[] };
  const edges =
    turns.length === 0 ? [] : await collect(store.relationships(scope, 'FAILED_IN', { from: turns }));
  const ids = [...new Set(edges.map(({ to }) => to))];
  if (ids.length === 0) return { ...going, waiting: [] };
  const members = groupBy(
    await collect(store.relationships(scope, 'FAILED_IN', { to: ids })),
    ({ to }) => to,
  );
  for (const { id, expiredAt } of await store.get(scope, 'failure', ids)) {
    const left = (members.get(id) ?? []).map(({ from }) => from).filter((turn) => !gone.has(turn));
    if (left.length === 0) going.gone.add(id);
    else if (expiredAt === null) {
      going.updates.push({ kind: 'failure', id, set: { expiredAt: clock() } });
      for (const turn of left) if (isSetAside(list, turn)) going.waiting.add(turn);
    }
  }
  const waiting = [...going.waiting];
  const waits = waiting.map((id): RowUpdate => ({ kind: 'episode', id, set: { status: 'stored' } }));
  return { gone: going.gone, waiting, updates: [...going.updates, ...waits] };
}

function isSetAside(list: TurnList, id: string): boolean {
  const turn = list.get(id);
  return turn?.expiredAt === null && turn.status === 'set-aside';
}

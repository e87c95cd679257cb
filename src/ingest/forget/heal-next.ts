import type { Scope } from '../../model/ids.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { groupBy } from '../../util/collections.ts';
import { collect } from './collect.ts';
import type { ListedTurn, TurnList } from './turn-list.ts';

interface Going {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly list: TurnList;
  /** Turns that go, now or later. */
  readonly gone: ReadonlySet<string>;
}

/**
 * NEXT edges between turns that stay where those between them go: the edges that `nextEdges` would have made, had the
 * others never come. Two turns are joined when none between them was there by the time the later of them came.
 */
export async function healNext(
  { store, scope, list, gone }: Going,
  turns: readonly ListedTurn[],
): Promise<Relationship[]> {
  const removed = turns.map(({ id }) => id);
  if (removed.length === 0) return [];
  const [before, after] = await edgesAround({ store, scope, gone }, removed);
  const wanted = new Map<string, Relationship>();
  for (const turn of turns)
    for (const from of before.get(turn.id) ?? [])
      for (const to of reached(turn.id, after, gone))
        if (!gone.has(from) && isNext({ list, gone }, from, to)) wanted.set(`${from} ${to}`, next(from, to));
  const starts = [...new Set([...wanted.values()].map(({ from }) => from))];
  if (starts.length === 0) return [];
  for (const { from, to } of await collect(store.relationships(scope, 'NEXT', { from: starts })))
    wanted.delete(`${from} ${to}`);
  return [...wanted.values()];
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

/** Edges from and to the turns, and on to whatever else goes: a run of turns may be longer than one step. */
async function edgesAround(
  { store, scope, gone }: Omit<Going, 'list'>,
  removed: readonly string[],
): Promise<[Neighbours, Neighbours]> {
  const before = await collect(store.relationships(scope, 'NEXT', { to: removed }));
  const after = await collect(store.relationships(scope, 'NEXT', { from: [...gone] }));
  return [others(before, 'to', 'from'), others(after, 'from', 'to')];
}

function others(edges: readonly Relationship[], by: 'from' | 'to', other: 'from' | 'to'): Neighbours {
  const groups = groupBy(edges, (edge) => edge[by]);
  return new Map(Array.from(groups, ([id, group]) => [id, group.map((edge) => edge[other])]));
}

/** Turns that stay, at the end of ways over turns that go. */
function reached(start: string, after: Neighbours, gone: ReadonlySet<string>): ReadonlySet<string> {
  const [found, seen, open] = [new Set<string>(), new Set([start]), [start]];
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const next of after.get(id) ?? [])
      if (!gone.has(next)) found.add(next);
      else if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
  return found;
}

function isNext({ list, gone }: Pick<Going, 'list' | 'gone'>, from: string, to: string): boolean {
  const [a, b] = [list.get(from), list.get(to)];
  if (a === undefined || b === undefined || a.session !== b.session) return false;
  const joined = Math.max(a.createdAt, b.createdAt);
  return !list
    .inSession(a.session)
    .some(
      (turn) =>
        turn.index > a.index &&
        turn.index < b.index &&
        !gone.has(turn.id) &&
        turn.createdAt <= joined &&
        (turn.expiredAt === null || turn.expiredAt > joined),
    );
}

function next(from: string, to: string): Relationship {
  return { kind: 'NEXT', fromKind: 'episode', from, toKind: 'episode', to };
}

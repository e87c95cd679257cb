import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Scope } from '../../model/ids.ts';
import type { Failure } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';

/** Turns that could not be consolidated, and why. */
export interface SetAsideUnit
  extends Pick<Failure, 'session' | 'code' | 'reason' | 'attempts' | 'createdAt'> {
  readonly turns: number;
}

/** The consolidation state of a scope, as in `stats`. Live turns are those without a newer version. */
export interface EnrichmentState {
  /** Live turns that wait to be consolidated. */
  readonly pending: number;
  /** Live turns that were set aside. */
  readonly setAside: number;
  /** The reasons, oldest first. `resume({ retry: true })` retries these turns. */
  readonly failures: readonly SetAsideUnit[];
}

/** Reads the graph, so that no index is loaded. */
export async function enrichmentState(store: GraphStore, scope: Scope): Promise<EnrichmentState> {
  const setAside = new Set<string>();
  let pending = 0;
  for await (const rows of store.scan(scope, 'episode', ['id', 'status', 'expiredAt']))
    for (const { id, status, expiredAt } of rows) {
      if (expiredAt !== null) continue;
      if (status === 'stored') pending++;
      if (status === 'set-aside') setAside.add(id);
    }
  const failures = setAside.size === 0 ? [] : await openFailures(store, scope, setAside);
  return { pending, setAside: setAside.size, failures };
}

async function openFailures(
  store: GraphStore,
  scope: Scope,
  setAside: ReadonlySet<string>,
): Promise<SetAsideUnit[]> {
  const turns = new Map<string, number>();
  for await (const edges of store.relationships(scope, 'FAILED_IN'))
    for (const { from, to } of edges) if (setAside.has(from)) turns.set(to, (turns.get(to) ?? 0) + 1);
  const open: SetAsideUnit[] = [];
  for await (const rows of store.scan(scope, 'failure'))
    for (const { id, session, code, reason, attempts, createdAt, expiredAt } of rows)
      if (expiredAt === null && turns.has(id))
        open.push({ session, code, reason, attempts, createdAt, turns: turns.get(id)! });
  return open.sort((a, b) => a.createdAt - b.createdAt);
}

/** Makes turns that were set aside wait again. */
export async function retryChanges(
  store: GraphStore,
  scope: Scope,
  { setAside, now }: { setAside: ReadonlySet<string>; now: number },
): Promise<GraphChanges> {
  const failures: string[] = [];
  for await (const rows of store.scan(scope, 'failure', ['id', 'expiredAt']))
    for (const { id, expiredAt } of rows) if (expiredAt === null) failures.push(id);
  return {
    updates: [
      ...Array.from(setAside, (id) => ({ kind: 'episode' as const, id, set: { status: 'stored' as const } })),
      ...failures.map((id) => ({ kind: 'failure' as const, id, set: { expiredAt: now } })),
    ],
  };
}

import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { groupBy } from '../../util/collections.ts';
import { cascade } from './cascade.ts';
import { type Deletion, waits } from './deletion.ts';
import { expire, losingFacts } from './facts.ts';
import { firstOf, healNext, TurnList, touchedSegments } from './turns.ts';

/**
 * Plans the removal of turns (docs/design.md, "Forgetting"): the turns in all their versions, rows that depend on them
 * alone, and everything read together with them, since it may repeat their text. The remaining turns of the affected
 * segments wait to be read again. Writes nothing. Skips ids that the scope lacks.
 *
 * @param all All turns of the forgetting that this step belongs to. Default: those of the step.
 * @param until When the forgetting started: versions of its turns stored later stay.
 */
export async function planDeletion(
  context: IngestContext,
  episodes: readonly string[],
  { all = episodes, until }: { readonly all?: readonly string[]; readonly until?: number } = {},
): Promise<Deletion> {
  const { store, scope, clock, index } = context;
  const list = await TurnList.read(store, scope);
  const turns = list.withVersions(episodes, until);
  const ids = turns.map(({ id }) => id as string);
  const allTurns = list.withVersions(all, until);
  const removed = new Set<string>([...ids, ...allTurns.map(({ id }) => id)]);
  const sources = { store, scope, list, removed, textless: index.corrections.turnsWithoutText };
  const { rows, unread } = await touchedSegments(sources, ids);
  const facts = await losingFacts(context, { list, removed, step: new Set(ids), unread });
  const mentions = await edgesOf(context, 'MENTIONS', { from: [...ids, ...unread] });
  const failures = await affectedFailures(context, { list, removed, turns: ids });
  const reread = [...unread].filter((id) => list.get(id)?.expiredAt === null);
  const deletion = await cascade(context, {
    turns: new Set(ids),
    allTurns: removed,
    since: turns.length === 0 ? null : firstOf(allTurns),
    facts: facts.removed,
    alsoSupported: facts.alsoSupported,
    segments: rows,
    entities: new Set(),
    failures: failures.removed,
    touched: new Set(mentions.map(({ to }) => to)),
    unlinks: [...facts.unlinks, ...mentions.filter(({ from }) => unread.has(from)).map(unlink)],
    updates: [...reread.map(waits), ...failures.updates, ...expire(facts.expiring, clock())],
    relationships: await healNext(sources, turns),
  });
  return { ...deletion, reread: [...reread, ...failures.waiting] };
}

/**
 * Plans the removal of an entity whose turns stay: the entity, its profiles, the facts it participates in, its
 * descriptions and its mentions. Writes nothing.
 */
export async function planEntityDeletion(context: IngestContext, entity: string): Promise<Deletion> {
  const entities = new Set<string>(
    (await context.store.get(context.scope, 'entity', [entity])).map(({ id }) => id),
  );
  const about = await edgesOf(context, 'ABOUT', { to: [entity] });
  return cascade(context, {
    turns: new Set(),
    allTurns: new Set(),
    since: null,
    facts: new Set(about.map(({ from }) => from)),
    alsoSupported: new Set(),
    segments: [],
    entities,
    failures: new Set(),
    touched: entities,
    unlinks: [],
    updates: [],
    relationships: [],
  });
}

function unlink({ kind, fromKind, from, toKind, to }: Relationship): Unlink {
  return { kind, fromKind, from, toKind, to };
}

interface AffectedFailures {
  /** Failure records without remaining turns. */
  readonly removed: ReadonlySet<string>;
  /** Turns set aside together with removed ones: without those, reading may succeed. */
  readonly waiting: readonly string[];
  readonly updates: readonly RowUpdate[];
}

async function affectedFailures(
  context: IngestContext,
  {
    list,
    removed,
    turns,
  }: { readonly list: TurnList; readonly removed: ReadonlySet<string>; readonly turns: readonly string[] },
): Promise<AffectedFailures> {
  const edges = await edgesOf(context, 'FAILED_IN', { from: turns });
  const ids = [...new Set(edges.map(({ to }) => to))];
  const members = groupBy(await edgesOf(context, 'FAILED_IN', { to: ids }), ({ to }) => to);
  const [gone, waiting, updates] = [new Set<string>(), new Set<string>(), [] as RowUpdate[]];
  for (const { id, expiredAt } of await context.store.get(context.scope, 'failure', ids)) {
    const left = (members.get(id) ?? []).map(({ from }) => from).filter((turn) => !removed.has(turn));
    if (left.length === 0) gone.add(id);
    else if (expiredAt === null) {
      updates.push({ kind: 'failure', id, set: { expiredAt: context.clock() } });
      for (const turn of left) if (isSetAside(list, turn)) waiting.add(turn);
    }
  }
  for (const id of waiting) updates.push({ kind: 'episode', id, set: { status: 'stored' } });
  return { removed: gone, waiting: [...waiting], updates };
}

function isSetAside(list: TurnList, id: string): boolean {
  const turn = list.get(id);
  return turn?.expiredAt === null && turn.status === 'set-aside';
}

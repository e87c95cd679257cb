import type { RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { IngestContext } from '../ingest-context.ts';
import { collect } from './collect.ts';
import { completeRemoval, type RemovalOptions } from './complete-removal.ts';
import { failuresGoing } from './failures-going.ts';
import { healNext } from './heal-next.ts';
import { expire, losingFacts } from './losing-facts.ts';
import type { Removal } from './removal.ts';
import { touchedSegments } from './touched-segments.ts';
import { TurnList } from './turn-list.ts';

export interface TurnRemovalOptions extends RemovalOptions {
  /** Every turn of the forgetting that this step belongs to. Default: those of the step. */
  readonly all?: readonly string[];
  /** When the forgetting was begun: versions of its turns that came later stay. */
  readonly until?: number;
}

/**
 * Everything that goes with turns (DESIGN §8.1): the turns in all their versions, what rests on nothing else, and all
 * that was read beside them, since it may speak of them; the turns of those segments that stay wait to be read again.
 * Nothing is written. Ids that the scope lacks are left out.
 */
export async function removalOf(
  context: IngestContext,
  episodes: readonly string[],
  { all = episodes, until, ...options }: TurnRemovalOptions = {},
): Promise<Removal> {
  const { store, scope } = context;
  const list = await TurnList.read(store, scope);
  const turns = list.withVersions(episodes, until);
  const ids = turns.map(({ id }) => id as string);
  const allTurns = list.withVersions(all, until);
  const gone = new Set<string>([...ids, ...allTurns.map(({ id }) => id)]);
  const sources = { store, scope, list, gone, textless: context.index.rulings.turnsWithoutText };
  const { rows, unread, former } = await touchedSegments(sources, ids);
  const facts = await losingFacts(context, { list, gone, step: new Set(ids), unread });
  const mentions = await mentionsOf(context, [...ids, ...unread]);
  const failures = await failuresGoing(context, { list, gone, turns: ids });
  const segments = new Set<string>(rows.map(({ id }) => id));
  const allDescriptions = await collect(store.scan(scope, 'description', ['id', 'entity', 'segment']));
  const descriptions = allDescriptions.filter(({ segment }) => segments.has(segment));
  const reread = [...unread].filter((id) => list.get(id)?.expiredAt === null);
  const about =
    facts.gone.size === 0
      ? []
      : await collect(store.relationships(scope, 'ABOUT', { from: [...facts.gone] }));
  const completed = await completeRemoval(
    context,
    {
      turns: new Set(ids),
      allTurns: gone,
      since: turns.length === 0 ? null : Math.min(...allTurns.map(({ createdAt }) => createdAt)),
      facts: facts.gone,
      saidAgain: facts.saidAgain,
      segments: rows,
      descriptions,
      allDescriptions,
      entities: new Set(),
      failures: failures.gone,
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

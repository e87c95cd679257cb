import type { Scope } from '../../model/ids.ts';
import type { Segment } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { groupBy } from '../../util/collections.ts';
import { collect } from './collect.ts';
import type { TurnList } from './turn-list.ts';

/** Of a segment that goes: when it was made, and those of its turns that stay. */
export interface FormerSegment {
  readonly at: number;
  readonly session: string;
  readonly expired: boolean;
  readonly episodes: readonly string[];
}

export interface TouchedSegments {
  /** Segments, live or expired, that hold a turn that goes. */
  readonly rows: readonly Segment[];
  /** Turns that stay and lose what was read from them, superseded versions among them. */
  readonly unread: ReadonlySet<string>;
  readonly former: readonly FormerSegment[];
}

interface Going {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly list: TurnList;
  /** Turns that go, now or later. */
  readonly gone: ReadonlySet<string>;
  /** Turns that cannot be read again: a retention rule took their text. */
  readonly textless: ReadonlySet<string>;
}

/**
 * What was read together with turns that go, and so may speak of them. A turn that has been consolidated anew since,
 * in a segment without any of them, keeps what was read from it there.
 */
export async function touchedSegments(
  { store, scope, list, gone, textless }: Going,
  turns: readonly string[],
): Promise<TouchedSegments> {
  const edges =
    turns.length === 0 ? [] : await collect(store.relationships(scope, 'IN_SEGMENT', { from: turns }));
  const ids = [...new Set(edges.map(({ to }) => to))];
  if (ids.length === 0) return { rows: [], unread: new Set(), former: [] };
  const rows = await store.get(scope, 'segment', ids);
  const members = groupBy(
    await collect(store.relationships(scope, 'IN_SEGMENT', { to: ids })),
    ({ to }) => to,
  );
  const staying = (segment: string) =>
    (members.get(segment) ?? []).map(({ from }) => from).filter((id) => !gone.has(id));
  const live = new Set(rows.flatMap(({ id, expiredAt }) => (expiredAt === null ? staying(id) : [])));
  const others = [...new Set(ids.flatMap(staying))].filter((id) => !live.has(id));
  const isReadable = (id: string) => !textless.has(id);
  const readElsewhere = await inOtherLiveSegments({ store, scope }, others, new Set(ids));
  return {
    rows,
    unread: new Set([...live, ...others.filter((id) => !readElsewhere.has(id))].filter(isReadable)),
    former: rows.map(({ id, createdAt, session, expiredAt }) => ({
      at: createdAt,
      session,
      expired: expiredAt !== null,
      episodes: staying(id).sort((a, b) => (list.get(a)?.index ?? 0) - (list.get(b)?.index ?? 0)),
    })),
  };
}

async function inOtherLiveSegments(
  { store, scope }: Pick<Going, 'store' | 'scope'>,
  turns: readonly string[],
  touched: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (turns.length === 0) return new Set();
  const edges = await collect(store.relationships(scope, 'IN_SEGMENT', { from: turns }));
  const others = [...new Set(edges.map(({ to }) => to))].filter((id) => !touched.has(id));
  const rows = others.length === 0 ? [] : await store.get(scope, 'segment', others);
  const live = new Set<string>(rows.flatMap(({ id, expiredAt }) => (expiredAt === null ? [id] : [])));
  return new Set(edges.flatMap(({ from, to }) => (live.has(to) ? [from] : [])));
}

import type { Scope } from '../../model/ids.ts';
import type { Episode, Segment } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { edgesOf, type GraphStore } from '../../store/graph-store.ts';
import { collect, groupBy } from '../../util/collections.ts';
import { digestOf } from '../../util/digest-of.ts';

/** A removed segment: its creation time, and those of its turns that remain. */
export interface FormerSegment {
  readonly at: number;
  /** A digest of the name of its session, which may be forgotten, too. */
  readonly session: string;
  readonly expired: boolean;
  readonly episodes: readonly string[];
}

interface TouchedSegments {
  /** Segments, live or expired, that contain a removed turn. */
  readonly rows: readonly Segment[];
  /** Remaining turns that lose what was read from them, including superseded versions. */
  readonly unread: ReadonlySet<string>;
  readonly former: readonly FormerSegment[];
}

interface SegmentSources {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly list: TurnList;
  /** Turns that this or a later step removes. */
  readonly removed: ReadonlySet<string>;
  /** Turns that cannot be read again, because a retention rule removed their text. */
  readonly textless: ReadonlySet<string>;
}

/**
 * Finds what was read together with removed turns and so may repeat their text. A turn that was consolidated again
 * since, in a segment without removed turns, keeps what was read from it there.
 */
export async function touchedSegments(
  sources: SegmentSources,
  turns: readonly string[],
): Promise<TouchedSegments> {
  const { store, scope, list, removed, textless } = sources;
  const edges = await edgesOf(sources, 'IN_SEGMENT', { from: turns });
  const ids = [...new Set(edges.map(({ to }) => to))];
  const rows = await store.get(scope, 'segment', ids);
  const members = groupBy(await edgesOf(sources, 'IN_SEGMENT', { to: ids }), ({ to }) => to);
  const remaining = (segment: string) =>
    (members.get(segment) ?? []).map(({ from }) => from).filter((id) => !removed.has(id));
  const live = new Set(rows.flatMap(({ id, expiredAt }) => (expiredAt === null ? remaining(id) : [])));
  const others = [...new Set(ids.flatMap(remaining))].filter((id) => !live.has(id));
  const isReadable = (id: string) => !textless.has(id);
  const readElsewhere = await inOtherLiveSegments(sources, others, new Set(ids));
  return {
    rows,
    unread: new Set([...live, ...others.filter((id) => !readElsewhere.has(id))].filter(isReadable)),
    former: rows.map(({ id, createdAt, session, expiredAt }) => ({
      at: createdAt,
      session: digestOf(session),
      expired: expiredAt !== null,
      episodes: remaining(id).sort((a, b) => (list.get(a)?.index ?? 0) - (list.get(b)?.index ?? 0)),
    })),
  };
}

async function inOtherLiveSegments(
  sources: Pick<SegmentSources, 'store' | 'scope'>,
  turns: readonly string[],
  touched: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const edges = await edgesOf(sources, 'IN_SEGMENT', { from: turns });
  const others = [...new Set(edges.map(({ to }) => to))].filter((id) => !touched.has(id));
  const rows = await sources.store.get(sources.scope, 'segment', others);
  const live = new Set<string>(rows.flatMap(({ id, expiredAt }) => (expiredAt === null ? [id] : [])));
  return new Set(edges.flatMap(({ from, to }) => (live.has(to) ? [from] : [])));
}

type HealSources = Omit<SegmentSources, 'textless'>;

/**
 * NEXT edges that connect remaining turns across removed ones, as `nextEdges` would have created them without the
 * removed turns: two turns are joined if no turn between them was stored when the later of them was.
 */
export async function healNext(sources: HealSources, turns: readonly ListedTurn[]): Promise<Relationship[]> {
  if (turns.length === 0) return [];
  const { list, removed } = sources;
  const [before, after] = await edgesAround(
    sources,
    turns.map(({ id }) => id),
  );
  const wanted = new Map<string, Relationship>();
  for (const turn of turns)
    for (const from of before.get(turn.id) ?? [])
      for (const to of reached(turn.id, after, removed))
        if (!removed.has(from) && isNext({ list, removed }, from, to))
          wanted.set(`${from} ${to}`, next(from, to));
  const starts = [...new Set([...wanted.values()].map(({ from }) => from))];
  for (const { from, to } of await edgesOf(sources, 'NEXT', { from: starts })) wanted.delete(`${from} ${to}`);
  return [...wanted.values()];
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

/** Edges from and to the turns, extended across other removed turns: a run of turns may be longer than one step. */
async function edgesAround(
  sources: Omit<HealSources, 'list'>,
  ids: readonly string[],
): Promise<[Neighbours, Neighbours]> {
  const before = await edgesOf(sources, 'NEXT', { to: ids });
  const after = await edgesOf(sources, 'NEXT', { from: [...sources.removed] });
  return [others(before, 'to', 'from'), others(after, 'from', 'to')];
}

function others(edges: readonly Relationship[], by: 'from' | 'to', other: 'from' | 'to'): Neighbours {
  const groups = groupBy(edges, (edge) => edge[by]);
  return new Map(Array.from(groups, ([id, group]) => [id, group.map((edge) => edge[other])]));
}

/** Remaining turns at the end of paths over removed turns. */
function reached(start: string, after: Neighbours, removed: ReadonlySet<string>): ReadonlySet<string> {
  const [found, seen, open] = [new Set<string>(), new Set([start]), [start]];
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const next of after.get(id) ?? [])
      if (!removed.has(next)) found.add(next);
      else if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
  return found;
}

function isNext({ list, removed }: Pick<HealSources, 'list' | 'removed'>, from: string, to: string): boolean {
  const [a, b] = [list.get(from), list.get(to)];
  if (a === undefined || b === undefined || a.session !== b.session) return false;
  const joined = Math.max(a.createdAt, b.createdAt);
  return !list
    .inSession(a.session)
    .some(
      (turn) =>
        turn.index > a.index &&
        turn.index < b.index &&
        !removed.has(turn.id) &&
        turn.createdAt <= joined &&
        (turn.expiredAt === null || turn.expiredAt > joined),
    );
}

function next(from: string, to: string): Relationship {
  return { kind: 'NEXT', fromKind: 'episode', from, toKind: 'episode', to };
}

const FIELDS = [
  'id',
  'key',
  'session',
  'source',
  'sourceId',
  'index',
  'validAt',
  'createdAt',
  'expiredAt',
  'contentHash',
  'status',
] as const;
export type ListedTurn = Pick<Episode, (typeof FIELDS)[number]>;

/** All turns of a scope in all versions, without their text. */
export class TurnList {
  readonly #turns: ReadonlyMap<string, ListedTurn>;
  readonly #byKey: ReadonlyMap<string, readonly ListedTurn[]>;
  #bySession: ReadonlyMap<string, readonly ListedTurn[]> | null = null;

  constructor(turns: readonly ListedTurn[]) {
    this.#turns = new Map(turns.map((turn) => [turn.id, turn]));
    this.#byKey = groupBy(turns, ({ key }) => key);
  }

  static async read(store: GraphStore, scope: Scope): Promise<TurnList> {
    return new TurnList(await collect(store.scan(scope, 'episode', FIELDS)));
  }

  get(id: string): ListedTurn | undefined {
    return this.#turns.get(id);
  }

  all(): Iterable<ListedTurn> {
    return this.#turns.values();
  }

  /** The names of all sessions, the latest first. */
  sessions(): string[] {
    const latest = [...this.#turns.values()].sort((a, b) => b.validAt - a.validAt);
    return [...new Set(latest.map(({ session }) => session))];
  }

  /** The turns of a session, in the order of speech. */
  inSession(session: string): readonly ListedTurn[] {
    this.#bySession ??= groupBy(
      [...this.#turns.values()].sort((a, b) => a.index - b.index || a.createdAt - b.createdAt),
      (turn) => turn.session,
    );
    return this.#bySession.get(session) ?? [];
  }

  /**
   * The turns with all their versions, session by session in order. Skips ids that the scope lacks.
   *
   * @param until Versions stored later than this are left out.
   */
  withVersions(ids: Iterable<string>, until: number = Infinity): ListedTurn[] {
    const keys = new Set<string>();
    const named = new Set(ids);
    for (const id of named) {
      const turn = this.#turns.get(id);
      if (turn !== undefined) keys.add(turn.key);
    }
    const turns = [...keys]
      .flatMap((key) => this.#byKey.get(key) ?? [])
      .filter(({ id, createdAt }) => createdAt <= until || named.has(id));
    return turns.sort(
      (a, b) => compare(a.session, b.session) || a.index - b.index || a.createdAt - b.createdAt,
    );
  }
}

/** When the first of the turns was stored; null if there are none. */
export function firstOf(turns: readonly Pick<Episode, 'createdAt'>[]): number | null {
  return turns.reduce<number | null>((first, { createdAt }) => Math.min(first ?? createdAt, createdAt), null);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import type { Scope } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { collect, groupBy } from '../../util/collections.ts';

const FIELDS = [
  'id',
  'key',
  'session',
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

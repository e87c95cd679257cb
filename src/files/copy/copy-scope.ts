import {
  CopyStoppedError,
  InvalidChangeError,
  type MnemisError,
  ScopeViolationError,
} from '../../errors/index.ts';
import type { GraphChanges, RowRemoval, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import { NODE_KINDS, type NodeKind, type NodeRows } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS, type Relationship, type RelationshipKind } from '../../model/relationships.ts';
import { columnsByName } from '../../model/rows.ts';
import { unlinkKey } from '../../store/change-check.ts';
import { collect, inBatches } from '../../util/collections.ts';
import { canonical, edgeDifferences, mayHaveEdges, rowDifferences, type ScopePair } from './differences.ts';

/** What a copy has written so far. */
export interface CopyCounts {
  /** Rows and relationships that the target lacked. */
  copied: number;
  /** Rows whose changeable columns, and relationships whose columns, the source had changed. */
  updated: number;
  /** Rows and relationships that the source no longer had. */
  removed: number;
}

const ROWS_PER_READ = 500;
const RESUME = 'Run the same copy again to continue';

/**
 * Makes one scope of the target equal to that of the source, by one reading of both: adds what is missing, updates
 * changeable columns, and removes what the source has removed since an earlier reading. Yields, as it goes on, how many
 * more rows and relationships are now stored in the target.
 *
 * @throws CopyStoppedError if rows differ in columns that never change, or if the target does not accept a row.
 */
export async function* copyScope(pair: ScopePair, counts: CopyCounts): AsyncGenerator<number> {
  yield* new ScopeCopying(pair, counts).run();
}

class ScopeCopying {
  readonly #pair: ScopePair;
  readonly #counts: CopyCounts;
  readonly #buffer = new ChangeBuffer();
  #seen = 0;
  #told = 0;

  constructor(pair: ScopePair, counts: CopyCounts) {
    this.#pair = pair;
    this.#counts = counts;
  }

  async *run(): AsyncGenerator<number> {
    const { from, to, scope } = this.#pair;
    const [wanted, there] = [await from.count(scope), await to.count(scope)];
    for (const kind of NODE_KINDS)
      if (wanted[kind] + there[kind] > 0) yield* this.#copyRows(kind, there[kind] > 0);
    const isNew = NODE_KINDS.every((kind) => there[kind] === 0);
    if (!isNew) await this.#flush(); // removed rows take their relationships with them
    for (const kind of RELATIONSHIP_KINDS)
      if (mayHaveEdges(kind, wanted) || mayHaveEdges(kind, there)) yield* this.#copyEdges(kind, !isNew);
    await this.#flush();
    yield* this.#tell(0);
  }

  /** What waits in the buffer is not stored yet. */
  *#tell(seen: number): Generator<number> {
    this.#seen += seen;
    const news = this.#seen - this.#buffer.size - this.#told;
    if (news <= 0) return;
    this.#told += news;
    yield news;
  }

  async *#copyRows<K extends NodeKind>(kind: K, isThere: boolean): AsyncGenerator<number> {
    let conflicts = 0;
    for await (const found of rowDifferences(this.#pair, kind, isThere)) {
      for (const row of found.missing) {
        this.#buffer.addRow(kind, row);
        this.#counts.copied += 1;
        await this.#flushIfFull();
      }
      for (const rows of inBatches(found.different, ROWS_PER_READ)) {
        const updates = await this.#updatesOf(kind, rows);
        conflicts += rows.length - updates.length;
        for (const update of updates) this.#buffer.update(update);
        this.#counts.updated += updates.length;
        await this.#flushIfFull();
      }
      for (const id of found.extra) {
        this.#buffer.remove({ kind, id });
        this.#counts.removed += 1;
        await this.#flushIfFull();
      }
      yield* this.#tell(found.seen);
    }
    if (conflicts > 0)
      throw new CopyStoppedError(
        `in scope ${JSON.stringify(this.#pair.scope)} of the target, ${conflicts} rows of kind ${kind} differ from the source in columns that never change`,
        'Something else wrote to the target: delete it, and copy to a new one',
      );
  }

  /** An update for each row whose counterpart differs in changeable columns alone; none for the others. */
  async #updatesOf<K extends NodeKind>(kind: K, rows: readonly NodeRows[K][]): Promise<RowUpdate[]> {
    const { to, scope } = this.#pair;
    const ids = rows.map(({ id }) => id);
    const there = new Map((await to.get(scope, kind, ids)).map((row) => [row.id as string, row]));
    const columns = columnsByName(kind);
    const names = Object.keys(columns) as (keyof NodeRows[K] & string)[];
    return rows.flatMap((row) => {
      const found = there.get(row.id);
      if (found === undefined) return [];
      const changed = names.filter((name) => canonical(row[name]) !== canonical(found[name]));
      if (!changed.every((name) => columns[name]?.isMutable)) return [];
      const set = Object.fromEntries(changed.map((name) => [name, row[name]]));
      return [{ kind, id: row.id, set } as unknown as RowUpdate];
    });
  }

  async *#copyEdges(kind: RelationshipKind, isThere: boolean): AsyncGenerator<number> {
    for await (const { seen, missing, different, extra } of edgeDifferences(this.#pair, kind, isThere)) {
      for (const edge of missing) {
        this.#buffer.addEdge(edge);
        this.#counts.copied += 1;
        await this.#flushIfFull();
      }
      await this.#rewrite(kind, [...different, ...extra]);
      this.#counts.updated += different.length;
      this.#counts.removed += extra.length;
      yield* this.#tell(seen);
    }
  }

  /** Replaces all relationships of a kind between some pairs of nodes: an unlink removes them in every role. */
  async #rewrite(kind: RelationshipKind, edges: readonly Relationship[]): Promise<void> {
    if (edges.length === 0) return;
    await this.#flush(); // a role that was just added is among those to replace
    const { from, scope } = this.#pair;
    for (const some of inBatches(edges, ROWS_PER_READ)) {
      const unlinks = new Map<string, Unlink>(some.map((edge) => [unlinkKey(edge), edge]));
      const ends = (end: 'from' | 'to') => [...new Set(some.map((edge) => edge[end]))];
      const current = await collect(from.relationships(scope, kind, { from: ends('from'), to: ends('to') }));
      const relationships = current.filter((edge) => unlinks.has(unlinkKey(edge)));
      await this.#commit({ unlinks: [...unlinks.values()], relationships });
    }
  }

  async #flushIfFull(): Promise<void> {
    if (this.#buffer.isFull) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (!this.#buffer.isEmpty) await this.#commit(this.#buffer.take());
  }

  async #commit(changes: GraphChanges): Promise<void> {
    const { to, scope } = this.#pair;
    try {
      await to.commit(scope, changes);
    } catch (error) {
      if (InvalidChangeError.isInstance(error) || ScopeViolationError.isInstance(error))
        throw refused(scope, error);
      throw error;
    }
  }
}

/** A store checks what it is given; so the source has rows that violate the schema, or changed while it was read. */
function refused(scope: string, error: MnemisError): CopyStoppedError {
  return new CopyStoppedError(
    `the target does not accept rows of scope ${JSON.stringify(scope)} (${error.message.replace(/[.;] [Nn]othing was written\.$/, '')})`,
    `Check the source with "mnemis verify"; if it is sound, two of its scopes share an id, which this kind of target does not hold. ${RESUME}`,
    error,
  );
}

/** Limits how long a commit holds the thread, how much memory it takes and how much a crash loses. */
const MOST_ROWS = 1_000;
const MOST_BYTES = 4 * 2 ** 20;
/** A relationship takes about a quarter of the time of a row. */
const EDGE_WEIGHT = 1 / 4;

/** Collects the changes of one commit. */
class ChangeBuffer {
  #nodes: { [K in NodeKind]?: NodeRows[K][] } = {};
  #relationships: Relationship[] = [];
  #updates: RowUpdate[] = [];
  #removals: RowRemoval[] = [];
  #weight = 0;
  #bytes = 0;
  #size = 0;

  /** Number of the source's rows and relationships among the changes. */
  get size(): number {
    return this.#size;
  }

  get isEmpty(): boolean {
    return this.#weight === 0;
  }

  get isFull(): boolean {
    return this.#weight >= MOST_ROWS || this.#bytes >= MOST_BYTES;
  }

  addRow<K extends NodeKind>(kind: K, row: NodeRows[K]): void {
    const nodes = this.#nodes as Partial<Record<NodeKind, unknown[]>>;
    nodes[kind] ??= [];
    nodes[kind].push(row);
    this.#weight += 1;
    this.#size += 1;
    for (const value of Object.values<unknown>({ ...row })) this.#bytes += bytesOf(value);
  }

  addEdge(edge: Relationship): void {
    this.#relationships.push(edge);
    this.#weight += EDGE_WEIGHT;
    this.#size += 1;
  }

  update(update: RowUpdate): void {
    this.#updates.push(update);
    this.#weight += 1;
    this.#size += 1;
  }

  remove(removal: RowRemoval): void {
    this.#removals.push(removal);
    this.#weight += 1;
  }

  /** The changes so far; the buffer is empty then. */
  take(): GraphChanges {
    const changes: GraphChanges = {
      nodes: this.#nodes,
      relationships: this.#relationships,
      updates: this.#updates,
      removals: this.#removals,
    };
    this.#nodes = {};
    this.#relationships = [];
    this.#updates = [];
    this.#removals = [];
    this.#weight = 0;
    this.#bytes = 0;
    this.#size = 0;
    return changes;
  }
}

/** Roughly what a value takes in memory. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length * 2;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length * 2 : 8;
}

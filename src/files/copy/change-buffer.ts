import type { GraphChanges, RowRemoval, RowUpdate } from '../../model/graph-changes.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';

/** Limits how long a commit holds the thread, how much memory it takes and how much a crash loses. */
const MOST_ROWS = 1_000;
const MOST_BYTES = 4 * 2 ** 20;
/** A relationship takes about a quarter of the time of a row. */
const EDGE_WEIGHT = 1 / 4;

/** Collects the changes of one commit. */
export class ChangeBuffer {
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

import { createHash } from 'node:crypto';
import type { CopyDifference } from '../../errors/index.ts';
import type { NodeCounts } from '../../model/graph-changes.ts';
import type { Scope } from '../../model/ids.ts';
import { NODE_KINDS, type NodeKind, type NodeRows } from '../../model/nodes.ts';
import {
  RELATIONSHIP_KINDS,
  RELATIONSHIPS,
  type Relationship,
  type RelationshipKind,
} from '../../model/relationships.ts';
import { columnsByName } from '../../model/rows.ts';
import { relationshipKey } from '../../store/change-check.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';

/** One scope of a memory and of its copy. */
export interface ScopePair {
  readonly from: GraphStore;
  readonly to: GraphStore;
  readonly scope: Scope;
}

/** Differences found in one batch. The final batch lists rows that exist only in the copy. */
export interface Differences<Row, Extra> {
  /** Number of compared rows of the source. */
  readonly seen: number;
  /** Rows that the copy lacks. */
  readonly missing: readonly Row[];
  /** The source's rows whose counterpart in the copy has other values. */
  readonly different: readonly Row[];
  readonly extra: readonly Extra[];
}

/**
 * Compares all rows of a kind, in batches of the source. Of the copy it holds an id and a digest for each row, about
 * 150 bytes; so it reads both sides once, however many rows the copy has.
 *
 * @param isThere Whether the copy has rows of the kind; without, they are not read.
 */
export async function* rowDifferences<K extends NodeKind>(
  { from, to, scope }: ScopePair,
  kind: K,
  isThere: boolean,
): AsyncGenerator<Differences<NodeRows[K], string>> {
  const digestOf = (row: NodeRows[K]) => digestOfRow(kind, row);
  const keyOf = ({ id }: NodeRows[K]): string => id;
  const held = isThere
    ? await digestsOf(scanAll(to, scope, kind), { keyOf, digestOf })
    : new Map<string, string>();
  yield* compare(scanAll(from, scope, kind), held, { keyOf, digestOf });
  yield { seen: 0, missing: [], different: [], extra: [...held.keys()] };
}

/** Compares all relationships of a kind, as `rowDifferences`. */
export async function* edgeDifferences(
  { from, to, scope }: ScopePair,
  kind: RelationshipKind,
  isThere: boolean,
): AsyncGenerator<Differences<Relationship, Relationship>> {
  const [keyOf, digestOf] = [keyOfEdge, columnsOfEdge];
  const read = (store: GraphStore) => store.relationships(scope, kind);
  const held = isThere ? await digestsOf(read(to), { keyOf, digestOf }) : new Map<string, string>();
  yield* compare(read(from), held, { keyOf, digestOf });
  const extra: Relationship[] = [];
  if (held.size > 0)
    for await (const edges of read(to)) extra.push(...edges.filter((edge) => held.has(keyOf(edge))));
  yield { seen: 0, missing: [], different: [], extra };
}

/** Whether the nodes of a scope can have relationships of a kind; the others need not be read. */
export function mayHaveEdges(kind: RelationshipKind, counts: NodeCounts): boolean {
  return RELATIONSHIPS[kind].pairs.some(([from, to]) => counts[from] > 0 && counts[to] > 0);
}

/** Rows of all columns: the port's type of a scan without a list of fields. */
function scanAll<K extends NodeKind>(
  store: GraphStore,
  scope: Scope,
  kind: K,
): AsyncIterable<readonly NodeRows[K][]> {
  return store.scan(scope, kind) as AsyncIterable<readonly NodeRows[K][]>;
}

interface Reading<Row> {
  readonly keyOf: (row: Row) => string;
  readonly digestOf: (row: Row) => string;
}

async function digestsOf<Row>(
  batches: AsyncIterable<readonly Row[]>,
  { keyOf, digestOf }: Reading<Row>,
): Promise<Map<string, string>> {
  const held = new Map<string, string>();
  const breather = new Breather();
  for await (const rows of batches) {
    for (const row of rows) held.set(keyOf(row), digestOf(row));
    await breather.breathe();
  }
  return held;
}

/** Takes out of `held` what the source has. */
async function* compare<Row>(
  batches: AsyncIterable<readonly Row[]>,
  held: Map<string, string>,
  { keyOf, digestOf }: Reading<Row>,
): AsyncGenerator<Differences<Row, never>> {
  const breather = new Breather();
  for await (const rows of batches) {
    const [missing, different]: [Row[], Row[]] = [[], []];
    for (const row of rows) {
      const key = held.size === 0 ? '' : keyOf(row);
      const found = held.get(key);
      if (found === undefined) missing.push(row);
      else if (found !== digestOf(row)) different.push(row);
      held.delete(key);
    }
    yield { seen: rows.length, missing, different, extra: [] };
    await breather.breathe();
  }
}

/** Equal exactly for equal values: `-0` is not 0, vectors bit by bit, objects with their keys in any order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, exact);
}

function exact(_key: string, value: unknown): unknown {
  if (Object.is(value, -0)) return { negative: 0 };
  if (value instanceof Float32Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** 128 bits of SHA-256 in 16 characters, to hold many of them. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest().toString('latin1', 0, 16);
}

/** Of all columns of a row. */
function digestOfRow<K extends NodeKind>(kind: K, row: NodeRows[K]): string {
  const columns = Object.keys(columnsByName(kind)) as (keyof NodeRows[K])[];
  return digest(canonical(columns.map((name) => row[name])));
}

/** Identifies a relationship within its scope. */
const keyOfEdge = (edge: Relationship): string => digest(relationshipKey(edge));

/** The columns of a relationship that its key does not contain. */
function columnsOfEdge({ relation, confidence }: Relationship): string {
  return relation === undefined && confidence === undefined ? '' : canonical([relation, confidence]);
}

/** What one scope of the source holds and in what its copy differs. */
export interface ScopeComparison {
  rows: number;
  relationships: number;
  readonly differences: CopyDifference[];
}

/**
 * Reads one scope of both memories and compares every column of every row and relationship, in both directions. Yields
 * the number of compared rows after each batch; adds what it finds to `found`.
 */
export async function* compareScope(pair: ScopePair, found: ScopeComparison): AsyncGenerator<number> {
  const { from, to, scope } = pair;
  const [wanted, there] = [await from.count(scope), await to.count(scope)];
  for (const kind of NODE_KINDS) {
    if (wanted[kind] + there[kind] === 0) continue;
    const tally = new Tally(kind);
    for await (const each of rowDifferences(pair, kind, there[kind] > 0)) {
      tally.add(each);
      found.rows += each.seen;
      if (each.seen > 0) yield each.seen;
    }
    found.differences.push(...tally.differences(scope));
  }
  for (const kind of RELATIONSHIP_KINDS) {
    if (!mayHaveEdges(kind, wanted) && !mayHaveEdges(kind, there)) continue;
    const tally = new Tally(kind);
    for await (const each of edgeDifferences(pair, kind, true)) {
      tally.add(each);
      found.relationships += each.seen;
      if (each.seen > 0) yield each.seen;
    }
    found.differences.push(...tally.differences(scope));
  }
}

class Tally {
  readonly #kind: string;
  readonly #counts = { missing: 0, extra: 0, different: 0 };

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(found: Differences<unknown, unknown>): void {
    for (const what of ['missing', 'extra', 'different'] as const) this.#counts[what] += found[what].length;
  }

  differences(scope: string): CopyDifference[] {
    const isEqual = Object.values(this.#counts).every((count) => count === 0);
    return isEqual ? [] : [{ scope, kind: this.#kind, ...this.#counts }];
  }
}

import { isHandKind, readDetail, renameTargets } from '../../ingest/corrections/correction-detail.ts';
import type { GraphChanges, RowRemoval, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import { type CorrectionId, renewedId } from '../../model/ids.ts';
import type { Correction, Embedding, Episode, Fact, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { groupBy } from '../../util/collections.ts';
import type { SameAs } from './match-rows.ts';
import { BASE_EDGES, DERIVED_FROM_TURNS, type DerivedKind, type ScopeRows } from './scope-rows.ts';

interface DifferenceOptions {
  /** Ids of the old graph by ids of the new one. */
  readonly same: SameAs;
  /** Vectors of the new graph. */
  readonly vectors: readonly Embedding[];
  /** Id and owner of every vector of the old graph. */
  readonly owners: readonly { readonly id: string; readonly owner: string }[];
}

/** The changes that turn the old graph into the new one. Rows and edges in both are kept. */
export function graphDifference(fresh: ScopeRows, old: ScopeRows, options: DifferenceOptions): GraphChanges {
  const idOf = (id: string) => options.same.get(id) ?? id;
  const kept = new Set(options.same.values());
  const gone = new Set<string>();
  const removals: RowRemoval[] = [];
  for (const kind of DERIVED_FROM_TURNS)
    for (const id of old.nodes[kind].keys())
      if (!kept.has(id)) {
        gone.add(id);
        removals.push({ kind, id });
      }
  for (const { id, owner } of options.owners) if (gone.has(owner)) removals.push({ kind: 'embedding', id });
  const corrections = renewedCorrections(fresh.nodes.correction, old.nodes.correction, { ...options, idOf });
  const isNew = (id: string) => !options.same.has(id);
  return {
    ...edgeDifference(fresh, old, { idOf, gone }),
    nodes: {
      ...newRows(fresh, { idOf, isNew }),
      correction: corrections.nodes,
      embedding: options.vectors.filter(
        ({ owner }) => fresh.nodes.episode.get(owner) === undefined && isNew(owner),
      ),
    },
    updates: updatesOf(fresh, old, idOf),
    removals: [...removals, ...corrections.removals],
  };
}

/** Whether the changes are empty. */
export function isEmpty({
  unlinks = [],
  nodes = {},
  relationships = [],
  updates = [],
  removals = [],
}: GraphChanges) {
  const lists: readonly (readonly unknown[])[] = [
    unlinks,
    relationships,
    updates,
    removals,
    ...Object.values(nodes),
  ];
  return lists.every((list) => list.length === 0);
}

function newRows(
  { nodes }: ScopeRows,
  { idOf, isNew }: { idOf: (id: string) => string; isNew: (id: string) => boolean },
): { [K in DerivedKind]: NodeRows[K][] } {
  const fresh = <K extends DerivedKind>(kind: K) =>
    [...(nodes[kind] as ReadonlyMap<string, NodeRows[K]>).values()].filter(({ id }) => isNew(id));
  return {
    segment: fresh('segment'),
    entity: fresh('entity'),
    fact: fresh('fact'),
    profile: fresh('profile').map((row) => ({ ...row, owner: idOf(row.owner) as typeof row.owner })),
    description: fresh('description').map((row) => ({
      ...row,
      entity: idOf(row.entity) as typeof row.entity,
      segment: idOf(row.segment) as typeof row.segment,
    })),
  };
}

/** When a row expired matters to the next re-derivation: the graph as it was at a time follows from these times. */
function updatesOf(fresh: ScopeRows, old: ScopeRows, idOf: (id: string) => string): RowUpdate[] {
  const updates: RowUpdate[] = [];
  for (const row of fresh.nodes.episode.values()) {
    const before = old.nodes.episode.get(row.id);
    const set = before === undefined ? null : readingOf(row, before);
    if (set !== null) updates.push({ kind: 'episode', id: row.id, set });
  }
  for (const kind of ['segment', 'profile'] as const)
    for (const row of fresh.nodes[kind].values()) {
      const before = old.nodes[kind].get(idOf(row.id));
      if (before !== undefined && before.expiredAt !== row.expiredAt)
        updates.push({ kind, id: before.id, set: { expiredAt: row.expiredAt } });
    }
  for (const row of fresh.nodes.fact.values()) {
    const before = old.nodes.fact.get(idOf(row.id));
    const set = before === undefined ? null : endsOf(row, before);
    if (set !== null) updates.push({ kind: 'fact', id: before!.id, set });
  }
  return updates;
}

function readingOf(row: Episode, before: Episode) {
  const { gate, verified, status } = row;
  // A turn that was set aside is not read again here; keep its status and the record of the failure.
  if (before.status === 'set-aside' && status === 'stored') return null;
  return before.gate === gate && before.verified === verified && before.status === status
    ? null
    : { gate, verified, status };
}

function endsOf(row: Fact, before: Fact) {
  const { invalidAt, expiredAt } = row;
  const closes = before.expiredAt !== expiredAt;
  if (!closes && before.invalidAt === invalidAt) return null;
  return { invalidAt, ...(closes ? { expiredAt } : {}) };
}

function edgeDifference(
  fresh: ScopeRows,
  old: ScopeRows,
  { idOf, gone }: { idOf: (id: string) => string; gone: ReadonlySet<string> },
): { unlinks: Unlink[]; relationships: Relationship[] } {
  const unlinks: Unlink[] = [];
  const relationships: Relationship[] = [];
  for (const kind of BASE_EDGES) {
    const renamed = fresh.edges[kind].map((edge) => ({ ...edge, from: idOf(edge.from), to: idOf(edge.to) }));
    const staying = old.edges[kind].filter(({ from, to }) => !gone.has(from) && !gone.has(to));
    const pairs = unequalPairs(renamed, staying);
    const unequal = (edges: readonly Relationship[]) =>
      groupBy(
        edges.filter((edge) => pairs.has(pairOf(edge))),
        pairOf,
      );
    const [wanted, there] = [unequal(renamed), unequal(staying)];
    for (const [pair, edges] of there)
      if (carried(edges) !== carried(wanted.get(pair) ?? [])) {
        const { fromKind, from, toKind, to } = edges[0]!;
        unlinks.push({ kind, fromKind, from, toKind, to });
      }
    for (const [pair, edges] of wanted)
      if (carried(edges) !== carried(there.get(pair) ?? [])) relationships.push(...edges);
  }
  return { unlinks, relationships };
}

/** The pairs with an edge that is in one list only. */
function unequalPairs(one: readonly Relationship[], other: readonly Relationship[]): ReadonlySet<string> {
  const open = new Map<string, Relationship>();
  for (const edge of one) open.set(`${pairOf(edge)} ${valuesOf(edge)}`, edge);
  const pairs = new Set<string>();
  for (const edge of other) if (!open.delete(`${pairOf(edge)} ${valuesOf(edge)}`)) pairs.add(pairOf(edge));
  for (const edge of open.values()) pairs.add(pairOf(edge));
  return pairs;
}

function pairOf({ fromKind, from, to }: Relationship): string {
  return `${fromKind} ${from} ${to}`;
}

function carried(edges: readonly Relationship[]): string {
  const [edge] = edges;
  if (edges.length === 1) return valuesOf(edge!);
  return JSON.stringify(edges.map(valuesOf).sort());
}

function valuesOf({ role, relation, confidence }: Relationship): string {
  return `${role ?? ''} ${relation ?? ''} ${confidence ?? ''}`;
}

interface RenewalOptions {
  /** Ids of the old graph by ids of the new one. */
  readonly idOf: (id: string) => string;
}

/**
 * The journal of a correction lists the rows that it changed, for undo. If the replayed correction changed other rows,
 * it is written again under a new id; if the replay found nothing to correct, it is removed.
 */
function renewedCorrections(
  fresh: ReadonlyMap<string, Correction>,
  old: ReadonlyMap<string, Correction>,
  { idOf }: RenewalOptions,
): { nodes: Correction[]; removals: RowRemoval[] } {
  const renewed = new Map<string, string>();
  const rename = (id: string) => renewed.get(id) ?? idOf(id);
  const nodes: Correction[] = [];
  const removals: RowRemoval[] = [];
  for (const before of old.values()) {
    if (!isHandKind(before.kind)) continue;
    const again = fresh.get(before.id);
    const now = again && { ...again, ...renameTargets(again, rename) };
    const isOver = before.kind === 'undo' || before.undoneAt !== null; // the graph holds nothing of it
    if (now !== undefined && (isOver || contentOf(now) === contentOf(before))) continue;
    removals.push({ kind: 'correction', id: before.id });
    if (now === undefined) continue;
    const id = renewedId(before.id) as CorrectionId;
    renewed.set(before.id, id);
    nodes.push({ ...now, id });
  }
  return { nodes, removals };
}

/** The correction's content, independent of the order of rows and edges. */
function contentOf(correction: Correction): string {
  const detail = readDetail(correction);
  return JSON.stringify(sorted(detail ?? correction.detail));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

interface AgedRow {
  readonly id: string;
  readonly createdAt: number;
  readonly expiredAt?: number | null;
}

/**
 * Whether the live new rows of each kind are younger than the live rows that stay, and no row is live again. Then an
 * index that applies the changes numbers its rows as one built from the graph does.
 *
 * @param old The graph before the changes.
 */
export function areAppended(changes: GraphChanges, { nodes }: ScopeRows): boolean {
  const { updates = [], removals = [] } = changes;
  const isReopened = updates.some(({ set }) => 'expiredAt' in set && set.expiredAt === null);
  if (isReopened || (changes.nodes?.correction ?? []).length > 0) return false;
  const gone = new Set(removals.map(({ kind, id }) => `${kind} ${id}`));
  if (removals.some(({ kind }) => kind === 'correction')) return false;
  for (const { kind, id, set } of updates)
    if ('expiredAt' in set && set.expiredAt !== null) gone.add(`${kind} ${id}`);
  return DERIVED_FROM_TURNS.every((kind) => {
    const added = ((changes.nodes?.[kind] ?? []) as readonly AgedRow[]).filter(isLive);
    if (added.length === 0) return true;
    const first = added.reduce((one, other) => (isOlder(other, one) ? other : one));
    const staying = [...(nodes[kind] as ReadonlyMap<string, AgedRow>).values()];
    return staying.every((row) => !isLive(row) || gone.has(`${kind} ${row.id}`) || isOlder(row, first));
  });
}

function isLive({ expiredAt }: AgedRow): boolean {
  return (expiredAt ?? null) === null;
}

function isOlder(one: AgedRow, other: AgedRow): boolean {
  return one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id);
}

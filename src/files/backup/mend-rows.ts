import { NOT_TRIED } from '../../hierarchy/maintain/close-layer.ts';
import type { GraphChanges, RowRemoval, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { HierarchyId, Milliseconds, Scope } from '../../model/ids.ts';
import {
  type Embedding,
  type Hierarchy,
  NODE_KINDS,
  type NodeKind,
  type NodeRows,
} from '../../model/nodes.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import { collect, inBatches } from '../../util/collections.ts';
import type { FindingCode } from './check-report.ts';
import { CORRECTION_RULES, HIERARCHY_RULES, type Mending } from './graph-rules.ts';
import { emptyScopeRows, keepRow, READ_ORDER, REFERENCES } from './scope-rows.ts';

const RULES = [...HIERARCHY_RULES, ...CORRECTION_RULES];

/** Findings that are repaired by changing rows. */
export const MENDED_ROWS: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'missing-row',
  'bad-vector',
  ...RULES.filter(({ mend }) => mend !== null).map(({ code }) => code),
]);

interface MendedScope {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly clock: () => Milliseconds;
  readonly newId: () => string;
}

/** Removals per commit. Rows that refer to other rows are removed first, so that an interruption adds no findings. */
const ROWS_AT_ONCE = 2000;
/** Of the other kinds, the ids suffice. */
const COLUMNS: Readonly<Partial<Record<NodeKind, readonly string[] | 'all'>>> = {
  profile: ['id', 'owner', 'name', 'createdAt', 'expiredAt'],
  category: 'all',
  hierarchy: 'all',
  correction: 'all',
  tombstone: 'all',
};
const FIRST_GO: readonly NodeKind[] = ['embedding', 'description', 'profile'];

/** Changes that repair the findings of one scope, one item per commit. */
export async function* mendRows(
  context: MendedScope,
  codes: ReadonlySet<FindingCode>,
): AsyncGenerator<GraphChanges> {
  if (![...codes].some((code) => MENDED_ROWS.has(code))) return;
  const mend = new Mend(context);
  await mend.read();
  for (const { code, mend: change } of RULES) if (codes.has(code)) change?.(mend.rows, mend);
  if (codes.has('bad-vector')) await mend.vectors();
  await mend.references();
  mend.record();
  yield* mend.changes();
}

class Mend implements Mending {
  readonly rows = emptyScopeRows();
  readonly #context: MendedScope;
  readonly #gone = new Map<NodeKind, Set<string>>(NODE_KINDS.map((kind) => [kind, new Set()]));
  readonly #unlinks: Unlink[] = [];
  readonly #stale = new Set<string>();
  #newRecord: Hierarchy | null = null;

  constructor(context: MendedScope) {
    this.#context = context;
  }

  async read(): Promise<void> {
    const { store, scope } = this.#context;
    for (const kind of READ_ORDER) {
      const columns = COLUMNS[kind] ?? ['id'];
      for await (const batch of store.scan(scope, kind, (columns === 'all' ? undefined : columns) as never))
        for (const row of batch) keepRow(this.rows, kind, row as NodeRows[typeof kind]);
    }
    this.rows.edges.push(...(await collect(store.relationships(scope, 'CATEGORIZES'))));
  }

  remove(kind: NodeKind, id: string): void {
    this.#gone.get(kind)!.add(id);
  }

  removeCategory(id: string): void {
    this.remove('category', id);
    for (const { from, to } of this.rows.edges) if (to === id) this.#stale.add(from);
  }

  markStale(category: string): void {
    this.#stale.add(category);
  }

  unlink(edge: Unlink): void {
    this.#unlinks.push(edge);
  }

  /** Removes vectors that the current embedder cannot have computed; they are computed again. */
  async vectors(): Promise<void> {
    const { store, scope } = this.#context;
    const { fingerprint } = store.describe();
    if (fingerprint === null) return;
    const isGood = ({ vector }: Pick<Embedding, 'vector'>) =>
      vector.length === fingerprint.dimension && vector.every(Number.isFinite);
    for await (const batch of store.embeddings(scope, embeddingModel(fingerprint), ['id', 'vector']))
      for (const row of batch) if (!isGood(row)) this.remove('embedding', row.id);
  }

  /**
   * Removes rows that refer to missing or removed rows. Vectors come last, because they refer to profiles and
   * descriptions.
   */
  async references(): Promise<void> {
    const { store, scope } = this.#context;
    for (const kind of ['profile', 'description', 'embedding'] as const) {
      const names = REFERENCES[kind] ?? [];
      const fields = ['id', ...names.map(([field]) => field)];
      for await (const batch of store.scan(scope, kind, fields as never))
        for (const row of batch as readonly Readonly<Record<string, string>>[])
          if (names.some(([field, kinds]) => !kinds.some((each) => this.#has(each, row[field] ?? ''))))
            this.remove(kind, row.id ?? '');
    }
  }

  /** Keeps the newest record and sets its layers to the remaining ones. */
  record(): void {
    const { records, categories } = this.rows;
    const [newest] = records.toSorted((a, b) => b.createdAt - a.createdAt);
    if (newest === undefined) return;
    const left = [...categories.values()].filter(({ id }) => this.#has('category', id));
    const layers = left.reduce((most, { layer }) => Math.max(most, layer), 0);
    if (records.length === 1 && newest.layers === layers) return;
    for (const { id } of records) this.remove('hierarchy', id);
    const id = this.#context.newId() as HierarchyId;
    this.#newRecord = { ...newest, id, layers, topNodes: NOT_TRIED, createdAt: this.#context.clock() };
  }

  *changes(): Generator<GraphChanges> {
    const removals = (kinds: readonly NodeKind[]) =>
      kinds.flatMap((kind) => [...this.#gone.get(kind)!].map((id): RowRemoval => ({ kind, id })));
    for (const some of inBatches(removals(FIRST_GO), ROWS_AT_ONCE)) yield { removals: some };
    const staleSince = this.#context.clock();
    const updates = [...this.#stale]
      .filter((id) => this.#has('category', id))
      .map((id): RowUpdate => ({ kind: 'category', id, set: { staleSince } }));
    const unlinks = this.#unlinks.filter(
      ({ from, to, toKind }) => this.#has('category', from) && this.#has(toKind, to),
    );
    const rest = removals(NODE_KINDS.filter((kind) => !FIRST_GO.includes(kind)));
    if (rest.length + updates.length + unlinks.length === 0 && this.#newRecord === null) return;
    const nodes = this.#newRecord === null ? {} : { hierarchy: [this.#newRecord] };
    yield { unlinks, nodes, updates, removals: rest };
  }

  #has(kind: NodeKind, id: string): boolean {
    return this.rows.ids.get(kind)!.has(id) && !this.#gone.get(kind)!.has(id);
  }
}

import { categoryKey } from '../../hierarchy/category-name.ts';
import { NOT_TRIED } from '../../hierarchy/maintain/close-layer.ts';
import type { GraphChanges, RowRemoval, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { HierarchyId, Milliseconds, Scope } from '../../model/ids.ts';
import {
  type Category,
  type Correction,
  type Embedding,
  type Hierarchy,
  NODE_KINDS,
  type NodeKind,
  type Profile,
  type Tombstone,
} from '../../model/nodes.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import { collect, groupBy } from '../../util/collections.ts';
import { isReadableDetail, isTombstoneDigest, REFERENCES } from './check-graph.ts';
import type { FindingCode } from './check-report.ts';

/** Findings that are repaired by changing rows. */
export const MENDED_ROWS: ReadonlySet<FindingCode> = new Set([
  'hierarchy-depth',
  'hierarchy-records',
  'hierarchy-edges',
  'hierarchy-expired',
  'hierarchy-profiles',
  'hierarchy-nameless',
  'hierarchy-empty',
  'hierarchy-names',
  'missing-row',
  'bad-vector',
  'correction-detail',
  'correction-target',
  'tombstone-content',
  'tombstone-repeated',
]);

interface MendContext {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly clock: () => Milliseconds;
  readonly newId: () => string;
}

/** Removals per commit. Rows that refer to other rows are removed first, so that an interruption adds no findings. */
const ROWS_AT_ONCE = 2000;
const FIRST_GO: readonly NodeKind[] = ['embedding', 'description', 'profile'];

/** Changes that repair the findings of one scope, one item per commit. */
export async function* mendRows(
  context: MendContext,
  codes: ReadonlySet<FindingCode>,
): AsyncGenerator<GraphChanges> {
  if (![...codes].some((code) => MENDED_ROWS.has(code))) return;
  const rows = await readRows(context);
  const mend = new Mend(context, rows);
  mend.hierarchy(codes);
  if (codes.has('correction-detail') || codes.has('correction-target')) mend.corrections();
  if (codes.has('tombstone-content') || codes.has('tombstone-repeated')) mend.tombstones();
  if (codes.has('bad-vector')) await mend.vectors();
  await mend.references();
  mend.record();
  yield* mend.changes();
}

interface Rows {
  readonly ids: ReadonlyMap<NodeKind, Set<string>>;
  readonly categories: readonly Category[];
  readonly profiles: readonly Pick<Profile, 'id' | 'owner' | 'name' | 'createdAt' | 'expiredAt'>[];
  readonly edges: readonly Unlink[];
  readonly records: readonly Hierarchy[];
  readonly corrections: readonly Correction[];
  readonly tombstones: readonly Tombstone[];
}

async function readRows({ store, scope }: MendContext): Promise<Rows> {
  const ids = new Map<NodeKind, Set<string>>();
  for (const kind of NODE_KINDS) {
    const found = new Set<string>();
    for await (const batch of store.scan(scope, kind, ['id'])) for (const { id } of batch) found.add(id);
    ids.set(kind, found);
  }
  return {
    ids,
    categories: await collect(store.scan(scope, 'category')),
    profiles: await collect(
      store.scan(scope, 'profile', ['id', 'owner', 'name', 'createdAt', 'expiredAt'] as const),
    ),
    edges: await collect(store.relationships(scope, 'CATEGORIZES')),
    records: await collect(store.scan(scope, 'hierarchy')),
    corrections: await collect(store.scan(scope, 'correction')),
    tombstones: await collect(store.scan(scope, 'tombstone')),
  };
}

class Mend {
  readonly #context: MendContext;
  readonly #rows: Rows;
  readonly #gone = new Map<NodeKind, Set<string>>(NODE_KINDS.map((kind) => [kind, new Set()]));
  readonly #unlinks: Unlink[] = [];
  /** Categories to mark as stale. */
  readonly #stale = new Set<string>();
  #newRecord: Hierarchy | null = null;

  constructor(context: MendContext, rows: Rows) {
    this.#context = context;
    this.#rows = rows;
  }

  hierarchy(codes: ReadonlySet<FindingCode>): void {
    if (codes.has('hierarchy-expired')) this.#removeExpired();
    if (codes.has('hierarchy-names')) this.#removeNamesakes();
    if (codes.has('hierarchy-profiles')) this.#removeProfiles();
    if (codes.has('hierarchy-edges')) this.#removeEdges();
    if (codes.has('hierarchy-nameless') || codes.has('hierarchy-empty')) this.#markEmpty();
  }

  /** Never removes an unfinished forgetting, because it states what remains to be removed. */
  corrections(): void {
    const exists = (id: string) => NODE_KINDS.some((kind) => this.#has(kind, id));
    for (const { id, kind, targets, detail, finishedAt } of this.#rows.corrections) {
      if (kind === 'forget' && finishedAt === null) continue;
      const outlives = kind === 'forget' || kind === 'retain';
      const isKnown = kind === 'undo' ? (each: string) => this.#has('correction', each) : exists;
      if (!isReadableDetail(detail) || (!outlives && !targets.some(isKnown))) this.#remove('correction', id);
    }
  }

  tombstones(): void {
    const seen = new Set<string>();
    for (const row of this.#rows.tombstones) {
      if (!isTombstoneDigest(row) || seen.has(row.digest)) this.#remove('tombstone', row.id);
      seen.add(row.digest);
    }
  }

  /** Removes vectors that the current embedder cannot have computed; they are computed again. */
  async vectors(): Promise<void> {
    const { store, scope } = this.#context;
    const { fingerprint } = store.describe();
    if (fingerprint === null) return;
    const isGood = ({ vector }: Pick<Embedding, 'vector'>) =>
      vector.length === fingerprint.dimension && vector.every(Number.isFinite);
    for await (const batch of store.embeddings(scope, embeddingModel(fingerprint), ['id', 'vector']))
      for (const row of batch) if (!isGood(row)) this.#remove('embedding', row.id);
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
            this.#remove(kind, row.id ?? '');
    }
  }

  /** Keeps the newest record and sets its layers to the remaining ones. */
  record(): void {
    const [newest] = this.#rows.records.toSorted((a, b) => b.createdAt - a.createdAt);
    if (newest === undefined) return;
    const left = this.#rows.categories.filter(({ id }) => this.#has('category', id));
    const layers = left.reduce((most, { layer }) => Math.max(most, layer), 0);
    if (this.#rows.records.length === 1 && newest.layers === layers) return;
    for (const { id } of this.#rows.records) this.#remove('hierarchy', id);
    const id = this.#context.newId() as HierarchyId;
    this.#newRecord = { ...newest, id, layers, topNodes: NOT_TRIED, createdAt: this.#context.clock() };
  }

  *changes(): Generator<GraphChanges> {
    const removals = (kinds: readonly NodeKind[]) =>
      kinds.flatMap((kind) => [...this.#gone.get(kind)!].map((id): RowRemoval => ({ kind, id })));
    const first = removals(FIRST_GO);
    for (let start = 0; start < first.length; start += ROWS_AT_ONCE)
      yield { removals: first.slice(start, start + ROWS_AT_ONCE) };
    const now = this.#context.clock();
    const updates = [...this.#stale]
      .filter((id) => this.#has('category', id))
      .map((id): RowUpdate => ({ kind: 'category', id, set: { staleSince: now } }));
    const unlinks = this.#unlinks.filter(({ from, to, toKind }) => {
      return this.#has('category', from) && this.#has(toKind, to);
    });
    const rest = removals(NODE_KINDS.filter((kind) => !FIRST_GO.includes(kind)));
    if (rest.length + updates.length + unlinks.length === 0 && this.#newRecord === null) return;
    const nodes = this.#newRecord === null ? {} : { hierarchy: [this.#newRecord] };
    yield { unlinks, nodes, updates, removals: rest };
  }

  #has(kind: NodeKind, id: string): boolean {
    return this.#rows.ids.get(kind)!.has(id) && !this.#gone.get(kind)!.has(id);
  }

  #remove(kind: NodeKind, id: string): void {
    this.#gone.get(kind)!.add(id);
  }

  /** Its parents become stale, and the next update places its children. */
  #removeCategory(id: string): void {
    this.#remove('category', id);
    for (const edge of this.#rows.edges) if (edge.to === id) this.#stale.add(edge.from);
  }

  #removeExpired(): void {
    for (const { id, expiredAt } of this.#rows.categories) if (expiredAt !== null) this.#removeCategory(id);
    const categories = this.#rows.ids.get('category')!;
    for (const { id, owner, expiredAt } of this.#rows.profiles)
      if (expiredAt !== null && categories.has(owner)) this.#remove('profile', id);
  }

  /** Keeps the oldest category of a name that has more than one child. */
  #removeNamesakes(): void {
    const children = groupBy(this.#rows.edges, ({ from }) => from);
    const categories = new Map<string, Category>(this.#rows.categories.map((row) => [row.id, row]));
    const named = this.#rows.profiles.flatMap(({ owner, name, expiredAt }) => {
      const category = categories.get(owner);
      const isGroup = (children.get(owner)?.length ?? 0) > 1;
      return category === undefined || expiredAt !== null || !isGroup ? [] : [{ category, name }];
    });
    const groups = groupBy(named, ({ category, name }) => `${category.layer} ${categoryKey(name)}`);
    for (const group of groups.values()) {
      const sorted = group.toSorted((a, b) => a.category.createdAt - b.category.createdAt);
      for (const { category } of sorted.slice(1))
        if (category.id !== sorted[0]!.category.id) this.#removeCategory(category.id);
    }
  }

  #removeProfiles(): void {
    const categories = this.#rows.ids.get('category')!;
    const current = this.#rows.profiles.filter(
      ({ owner, expiredAt }) => expiredAt === null && categories.has(owner),
    );
    for (const group of groupBy(current, ({ owner }) => owner).values()) {
      const [, ...older] = group.toSorted((a, b) => b.createdAt - a.createdAt);
      for (const { id, owner } of older) {
        this.#remove('profile', id);
        this.#stale.add(owner);
      }
    }
  }

  #removeEdges(): void {
    const layers = new Map<string, number>(this.#rows.categories.map(({ id, layer }) => [id, layer]));
    for (const edge of this.#rows.edges) {
      const above = layers.get(edge.from);
      const below = edge.toKind === 'entity' ? 0 : layers.get(edge.to);
      if (above === undefined || below === undefined || below === above - 1) continue;
      this.#unlinks.push(edge);
      this.#stale.add(edge.from);
    }
  }

  #markEmpty(): void {
    const full = new Set(this.#rows.edges.map(({ from }) => from));
    const named = new Set<string>(
      this.#rows.profiles.flatMap(({ owner, expiredAt }) => (expiredAt === null ? [owner] : [])),
    );
    for (const { id } of this.#rows.categories) if (!full.has(id) || !named.has(id)) this.#stale.add(id);
  }
}

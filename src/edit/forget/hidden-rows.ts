import { StoreReadError } from '../../errors/index.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges, NodeCounts } from '../../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../../model/ids.ts';
import type { Correction, Embedding, Episode, NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import { ForwardingStore } from '../../store/forwarding-store.ts';
import type {
  EpisodeReference,
  GraphStore,
  RelationshipFilter,
  ScopeState,
} from '../../store/graph-store.ts';
import type { Deletion } from './deletion.ts';
import { planDeletion, planEntityDeletion } from './plan-deletion.ts';
import { forgetDetail } from './records.ts';
import { planCoarseDeletion, removalsOfAll } from './remove-everything.ts';

interface HiddenRow {
  readonly kind: NodeKind;
  readonly id: string;
}

/** Rows of one scope that a forgetting has yet to remove. */
export class HiddenRows {
  #kinds: ReadonlyMap<string, NodeKind> = new Map();

  get isEmpty(): boolean {
    return this.#kinds.size === 0;
  }

  hide(rows: Iterable<HiddenRow>): void {
    this.#kinds = new Map(Array.from(rows, ({ kind, id }) => [id, kind]));
  }

  clear(): void {
    this.#kinds = new Map();
  }

  has(id: string): boolean {
    return this.#kinds.has(id);
  }

  /** Counts without the hidden rows. */
  subtractFrom(counts: NodeCounts): NodeCounts {
    const left: Record<string, number> = { ...counts };
    for (const kind of this.#kinds.values()) left[kind] = (left[kind] ?? 0) - 1;
    return left as unknown as NodeCounts;
  }
}

/**
 * The rows that an unfinished forgetting has yet to remove: by its plan, or everything derived if planning fails.
 * Includes corrections to remove, but not the records of unfinished forgettings.
 */
export async function rowsToHide(
  context: IngestContext,
  correction: Correction,
): Promise<readonly HiddenRow[]> {
  const detail = forgetDetail(correction);
  if (detail === null) return [];
  if (detail.target === 'all') {
    const steps: Deletion[] = [];
    const every = { keep: correction.id, until: detail.until ?? Infinity, rows: Infinity };
    for await (const step of removalsOfAll(context, every)) steps.push(step);
    return removalsIn(steps);
  }
  const { turns, entities } = detail;
  const until = correction.createdAt;
  const coarse = () => planCoarseDeletion(context, turns, { rowsPerStep: Infinity, until });
  try {
    if (detail.coarse === true) return removalsIn(await coarse());
    return removalsIn([
      ...(turns.length === 0 ? [] : [await planDeletion(context, turns, { until })]),
      ...(await Promise.all(entities.map((each) => planEntityDeletion(context, each)))),
    ]);
  } catch (error) {
    if (StoreReadError.isInstance(error)) throw error;
    return removalsIn(await coarse());
  }
}

function removalsIn(steps: readonly Deletion[]): readonly HiddenRow[] {
  return steps.flatMap(({ changes }) => changes.removals ?? []);
}

/** A view of a store without the hidden rows of one scope and their relationships. */
export class HidingStore extends ForwardingStore {
  readonly #scope: Scope;
  readonly #hidden: HiddenRows;
  /** Counts the commits of the scope that did more than add turns or items. */
  otherCommits = 0;

  constructor(store: GraphStore, scope: Scope, hidden: HiddenRows) {
    super(store);
    this.#scope = scope;
    this.#hidden = hidden;
  }

  override commit(scope: Scope, changes: GraphChanges): Promise<number> {
    if (scope === this.#scope) this.note(changes);
    return super.commit(scope, changes);
  }

  /** Called with commits that others made, too. */
  note(changes: GraphChanges): void {
    if (!addsTurns(changes)) this.otherCommits += 1;
  }

  override view<T>(scope: Scope, job: (store: GraphStore, state: ScopeState) => Promise<T>): Promise<T> {
    return super.view(scope, (store, state) => job(new HidingStore(store, this.#scope, this.#hidden), state));
  }

  override get<K extends NodeKind>(scope: Scope, kind: K, ids: readonly string[]): Promise<NodeRows[K][]> {
    return super.get(scope, kind, this.#hides(scope) ? ids.filter((id) => !this.#hidden.has(id)) : ids);
  }

  override scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
    scope: Scope,
    kind: K,
    fields?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]> {
    if (!this.#hides(scope)) return super.scan(scope, kind, fields);
    const withId = fields && ([...new Set([...fields, 'id'])] as readonly F[]);
    return filtered(
      super.scan(scope, kind, withId),
      (row) => !this.#hidden.has(String((row as Pick<NodeRows[K], never> & { id?: unknown }).id)),
    );
  }

  override relationships(
    scope: Scope,
    kind: RelationshipKind,
    filter?: RelationshipFilter,
  ): AsyncIterable<readonly Relationship[]> {
    const found = super.relationships(scope, kind, filter);
    if (!this.#hides(scope)) return found;
    return filtered(found, ({ from, to }) => !this.#hidden.has(from) && !this.#hidden.has(to));
  }

  override embeddings<F extends keyof Embedding>(
    scope: Scope,
    model: string,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<Embedding, F>[]> {
    if (!this.#hides(scope)) return super.embeddings(scope, model, fields);
    const withOwner = [...new Set<keyof Embedding>([...fields, 'owner'])];
    return filtered(super.embeddings(scope, model, withOwner), ({ owner }) => !this.#hidden.has(owner));
  }

  override async countEmbeddings(scope: Scope): Promise<ReadonlyMap<string, number>> {
    const counts = await super.countEmbeddings(scope);
    if (!this.#hides(scope)) return counts;
    const shown = new Map([...counts.keys()].map((model) => [model, 0]));
    for (const model of counts.keys())
      for await (const rows of super.embeddings(scope, model, ['owner']))
        for (const { owner } of rows) if (!this.#hidden.has(owner)) shown.set(model, shown.get(model)! + 1);
    return shown;
  }

  override async episodesByKey(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>> {
    const found = await super.episodesByKey(scope, keys);
    return this.#hides(scope) ? new Map([...found].filter(([, { id }]) => !this.#hidden.has(id))) : found;
  }

  override async findEpisodes(
    scope: Scope,
    references: readonly EpisodeReference[],
  ): Promise<readonly (EpisodeId | null)[]> {
    const found = await super.findEpisodes(scope, references);
    return this.#hides(scope) ? found.map((id) => (id !== null && this.#hidden.has(id) ? null : id)) : found;
  }

  override async count(scope: Scope): Promise<NodeCounts> {
    const counts = await super.count(scope);
    return this.#hides(scope) ? this.#hidden.subtractFrom(counts) : counts;
  }

  #hides(scope: Scope): boolean {
    return scope === this.#scope && !this.#hidden.isEmpty;
  }
}

const OF_TURNS: ReadonlySet<string> = new Set(['episode', 'embedding', 'item']);

/** Whether changes only add turns, or items: what was read of other turns does not depend on them. */
function addsTurns({
  nodes = {},
  relationships = [],
  unlinks = [],
  updates = [],
  removals = [],
}: GraphChanges) {
  if (unlinks.length + updates.length + removals.length > 0) return false;
  const kinds = Object.entries(nodes).flatMap(([kind, rows]) => (rows.length > 0 ? [kind] : []));
  return kinds.every((kind) => OF_TURNS.has(kind)) && relationships.every(({ kind }) => kind === 'NEXT');
}

async function* filtered<Row>(
  batches: AsyncIterable<readonly Row[]>,
  isShown: (row: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield batch.filter(isShown);
}

import { StoreReadError } from '../../errors/index.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges, NodeCounts } from '../../model/graph-changes.ts';
import type { Scope } from '../../model/ids.ts';
import type { Correction, Embedding, NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import type { EpisodeReference, GraphStore, RelationshipFilter } from '../../store/graph-store.ts';
import { forgetDetail } from './forgetting.ts';
import { planDeletion, planEntityDeletion } from './plan-deletion.ts';
import { planCoarseDeletion, removalsOfAll } from './remove-everything.ts';

interface HiddenRow {
  readonly kind: NodeKind;
  readonly id: string;
}

/** Rows of one scope that a forgetting is to remove and could not remove yet. */
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
 * The rows that an unfinished forgetting is still to remove: by its own plan, or everything derived where that fails.
 * Corrections that go are among them, records of unfinished forgettings are not.
 */
export async function rowsToHide(
  context: IngestContext,
  correction: Correction,
): Promise<readonly HiddenRow[]> {
  const detail = forgetDetail(correction);
  if (detail === null) return [];
  if (detail.target === 'all')
    return everyRow(context, { keep: correction.id, until: detail.until ?? Infinity });
  const { turns, entities } = detail;
  const until = correction.createdAt;
  const coarse = async () =>
    (await planCoarseDeletion(context, turns, { rowsPerStep: Infinity, until })).steps;
  try {
    if (detail.coarse === true) return removalsIn(await coarse());
    return removalsIn([
      ...(turns.length === 0 ? [] : [await planDeletion(context, turns, { preview: true, until })]),
      ...(await Promise.all(entities.map((each) => planEntityDeletion(context, each, { preview: true })))),
    ]);
  } catch (error) {
    if (StoreReadError.isInstance(error)) throw error;
    return removalsIn(await coarse());
  }
}

async function everyRow(
  context: IngestContext,
  options: { readonly keep: string; readonly until: number },
): Promise<readonly HiddenRow[]> {
  const steps = [];
  for await (const step of removalsOfAll(context, { ...options, rows: Infinity })) steps.push(step);
  return removalsIn(steps);
}

function removalsIn(steps: readonly { readonly changes: GraphChanges }[]): readonly HiddenRow[] {
  return steps.flatMap(({ changes }) => changes.removals ?? []);
}

/** A view of a store in which the hidden rows of one scope, and relationships with them, do not exist. */
export function hidingStore(store: GraphStore, scope: Scope, hidden: HiddenRows): GraphStore {
  const hides = (asked: Scope) => asked === scope && !hidden.isEmpty;
  const view: Partial<GraphStore> = {
    async get<K extends NodeKind>(asked: Scope, kind: K, ids: readonly string[]) {
      return store.get(asked, kind, hides(asked) ? ids.filter((id) => !hidden.has(id)) : ids);
    },
    scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
      asked: Scope,
      kind: K,
      fields?: readonly F[],
    ) {
      if (!hides(asked)) return store.scan(asked, kind, fields);
      const withId = fields && ([...new Set([...fields, 'id'])] as readonly F[]);
      return filtered(
        store.scan(asked, kind, withId),
        (row) => !hidden.has(String((row as Pick<NodeRows[K], never> & { id?: unknown }).id)),
      );
    },
    relationships(asked: Scope, kind: RelationshipKind, filter?: RelationshipFilter) {
      const found = store.relationships(asked, kind, filter);
      if (!hides(asked)) return found;
      return filtered<Relationship>(found, ({ from, to }) => !hidden.has(from) && !hidden.has(to));
    },
    embeddings<F extends keyof Embedding>(asked: Scope, model: string, fields: readonly F[]) {
      if (!hides(asked)) return store.embeddings(asked, model, fields);
      const withOwner = [...new Set<keyof Embedding>([...fields, 'owner'])];
      return filtered(store.embeddings(asked, model, withOwner), ({ owner }) => !hidden.has(owner));
    },
    async countEmbeddings(asked: Scope) {
      const counts = await store.countEmbeddings(asked);
      if (!hides(asked)) return counts;
      const shown = new Map([...counts.keys()].map((model) => [model, 0]));
      for (const model of counts.keys())
        for await (const rows of store.embeddings(asked, model, ['owner']))
          for (const { owner } of rows) if (!hidden.has(owner)) shown.set(model, shown.get(model)! + 1);
      return shown;
    },
    async episodesByKey(asked: Scope, keys: readonly string[]) {
      const found = await store.episodesByKey(asked, keys);
      return hides(asked) ? new Map([...found].filter(([, { id }]) => !hidden.has(id))) : found;
    },
    async findEpisodes(asked: Scope, references: readonly EpisodeReference[]) {
      const found = await store.findEpisodes(asked, references);
      return hides(asked) ? found.map((id) => (id !== null && hidden.has(id) ? null : id)) : found;
    },
    async count(asked: Scope) {
      const counts = await store.count(asked);
      return hides(asked) ? hidden.subtractFrom(counts) : counts;
    },
  };
  return new Proxy(store, {
    get(target, name) {
      if (name in view) return view[name as keyof GraphStore];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

async function* filtered<Row>(
  batches: AsyncIterable<readonly Row[]>,
  isShown: (row: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield batch.filter(isShown);
}

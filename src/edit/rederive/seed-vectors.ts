import type { Scope } from '../../model/ids.ts';
import type { EmbeddedField, Embedding, EmbeddingFingerprint } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import type { ScopeRows } from './scope-rows.ts';

interface SeedVectorsOptions {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly embedder: { readonly fingerprint: EmbeddingFingerprint };
  readonly newId: () => string;
  /** The index of the scope, which holds most of the vectors. Default: all are read from the store. */
  readonly index?: ScopeIndex | undefined;
}

type Owned = Pick<Embedding, 'owner' | 'field'>;

/** The vectors that ingestion reads: of live turns, of the names of current profiles, and of live segments. */
export async function seedVectors(
  { nodes }: ScopeRows,
  { store, scope, embedder, newId, index }: SeedVectorsOptions,
): Promise<Embedding[]> {
  const model = embeddingModel(embedder.fingerprint);
  const found: Embedding[] = [];
  const missing = new Set<string>();
  const add = (
    rows: Iterable<{ readonly id: string; readonly expiredAt: number | null }>,
    field: EmbeddedField,
  ) => {
    for (const { id, expiredAt } of rows) {
      if (expiredAt !== null) continue;
      const vector = index === undefined ? null : vectorIn(index, { owner: id, field });
      if (vector === null) missing.add(keyOf({ owner: id, field }));
      else found.push({ id: newId() as Embedding['id'], owner: id, field, model, vector });
    }
  };
  add(nodes.episode.values(), 'content');
  add(nodes.profile.values(), 'name');
  add(nodes.segment.values(), 'summary');
  if (missing.size === 0) return found;
  for await (const batch of store.embeddings(scope, model, ['id', 'owner', 'field'])) {
    const ids = batch.filter((each) => missing.has(keyOf(each))).map(({ id }) => id);
    if (ids.length > 0) found.push(...(await store.get(scope, 'embedding', ids)));
  }
  return found;
}

function keyOf({ owner, field }: Owned): string {
  return `${field} ${owner}`;
}

function vectorIn(
  { episodes, entities, segments }: ScopeIndex,
  { owner, field }: Owned,
): Float32Array | null {
  const { ids, vectors } =
    field === 'content'
      ? episodes
      : field === 'name'
        ? { ids: entities.profiles.ids, vectors: entities.nameVectors }
        : segments;
  const ordinal = ids.ordinalOf(owner);
  return ordinal === undefined ? null : vectors.get(ordinal);
}

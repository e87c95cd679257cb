import type { UpdateHierarchy } from '../../../src/edit/forget/records.ts';
import { afterRemoval } from '../../../src/engine/forgetting/after-removal.ts';
import { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { ScopeSession } from '../../../src/engine/scope-session.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import { stagesOf } from '../../../src/ingest/stages.ts';
import type { CategoryId, ProfileId, Scope } from '../../../src/model/ids.ts';
import type { Embedding, Profile } from '../../../src/model/nodes.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { embeddingModel, type GraphStore } from '../../../src/store/graph-store.ts';
import { edge, embedding, hierarchy } from '../../contract/graph-rows.ts';
import type { Graph } from '../../engine/memory-fixture.ts';

export const embedder = new HashingEmbedder({ analyze, dimension: 64 });
let ids = 0;
const newId = () => String(++ids).padStart(9, '0');

/** One scope over a store, as the engine makes it in the local tier, with what brings its hierarchy up to date. */
export async function memoryWith(
  store: GraphStore,
  updateHierarchy?: UpdateHierarchy,
  { rederives = false } = {},
): Promise<MemoryScope> {
  const profile = profileNamed('local');
  const ingest = { profile, stages: stagesOf(profile, {}), isAutomatic: false, isRepeatable: true };
  if (store.describe().fingerprint === null) await store.setFingerprint(embedder.fingerprint);
  return new MemoryScope(
    new ScopeSession('a' as Scope, {
      store,
      embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
      ingest,
      afterRemoval: rederives ? afterRemoval({ ingest }) : undefined,
      admission: { redactsSecrets: true, neverRemember: null },
      updateHierarchy,
      clock: Date.now,
      newId,
      logger: { warn: () => undefined },
      snapshotFolder: null,
    }),
  );
}

/** Categories over the entities whose names hold a word, each with a layer above it: what a test says that there is. */
export type Plan = Readonly<Record<string, { readonly of: readonly string[]; readonly above: string }>>;

/** "Quentin" in a category of its own, and beside others; "Pets" far from him. */
export const PLAN: Plan = {
  'Quentin Marlowe': { of: ['Quentin'], above: 'People' },
  Speakers: { of: ['Ann', 'Bob'], above: 'People' },
  Family: { of: ['Carla', 'Quentin'], above: 'People' },
  Towns: { of: ['Ghent', 'Oslo', 'Lisbon'], above: 'Places' },
  Pets: { of: ['Rex', 'beagle'], above: 'Animals' },
};

/** Ids of categories by layer and the name that they had at first. */
export type CategoryIds = ReadonlyMap<string, string>;

/** Two layers as a plan says, with summaries that name and tell what is below, and vectors. */
async function hierarchyOver(graph: Graph, plan: Plan) {
  const current = graph.nodes.profile.filter(({ expiredAt }) => expiredAt === null);
  const below = new Map(
    Object.entries(plan).map(([name, { of }]) => [
      name,
      current.filter((each) => of.some((word) => each.name.includes(word))),
    ]),
  );
  for (const [name, found] of below) if (found.length === 0) throw new Error(`Nothing is in ${name}`);
  const tops = [...new Set(Object.values(plan).map(({ above }) => above))];
  const ids = new Map<string, string>();
  const category = (layer: number) => (name: string) => {
    const id = newId() as CategoryId;
    ids.set(`${layer} ${name}`, id);
    return { id, layer, createdAt: 5, expiredAt: null, staleSince: null };
  };
  const categories = [...Object.keys(plan).map(category(1)), ...tops.map(category(2))];
  const text = (profiles: readonly Profile[]) =>
    profiles.map(({ name, summary }) => `${name}: ${summary}`).join(' ');
  const inTop = (top: string) => Object.keys(plan).filter((name) => plan[name]!.above === top);
  const told = (names: readonly string[]) => names.map((name) => `${name}: ${text(below.get(name)!)}`);
  const profiles = [
    ...[...below].map(([name, found]) => {
      const tags = found.map((each) => each.name);
      return profileOf(ids.get(`1 ${name}`)!, { name, tags, summary: text(found) });
    }),
    ...tops.map((name) => {
      const tags = inTop(name);
      return profileOf(ids.get(`2 ${name}`)!, { name, tags, summary: told(tags).join(' ') });
    }),
  ];
  const relationships = [
    ...[...below].flatMap(([name, found]) =>
      found.map(({ owner }) => edge('CATEGORIZES', ids.get(`1 ${name}`)!, owner)),
    ),
    ...Object.entries(plan).map(([name, { above }]) =>
      edge('CATEGORIZES', ids.get(`2 ${above}`)!, ids.get(`1 ${name}`)!, {}, ['category', 'category']),
    ),
  ];
  const nodes = {
    category: categories,
    hierarchy: [hierarchy(newId(), { layers: 2 })],
    profile: profiles,
    embedding: await vectorsOf(profiles),
  };
  return { changes: { nodes, relationships }, ids };
}

async function vectorsOf(profiles: readonly Profile[]): Promise<Embedding[]> {
  const texts = profiles.flatMap(({ name, summary }) => [name, summary]);
  const vectors = await embedder.embed(texts, { as: 'passage' });
  const model = embeddingModel(embedder.fingerprint);
  return vectors.map((vector, at) =>
    embedding(newId(), {
      owner: profiles[Math.floor(at / 2)]!.id,
      field: at % 2 === 0 ? 'name' : 'summary',
      ...{ model, vector },
    }),
  );
}

function profileOf(owner: string, more: Pick<Profile, 'name' | 'tags' | 'summary'>): Profile {
  const id = newId() as ProfileId;
  return { id, owner: owner as CategoryId, aliases: [], createdAt: Date.now(), expiredAt: null, ...more };
}

/** Puts a hierarchy into the graph of a memory. Whoever holds an index of it must load it again. */
export async function grow(store: GraphStore, graph: Graph, plan: Plan = PLAN): Promise<CategoryIds> {
  const { changes, ids } = await hierarchyOver(graph, plan);
  await store.commit('a' as Scope, changes);
  return ids;
}

export interface Branch {
  /** Null where it has no profile. */
  readonly name: string | null;
  readonly isStale: boolean;
  readonly children: number;
}

/** The categories that are left, by layer and the name that they had at first. */
export function treeOf({ nodes, relationships }: Graph, ids: CategoryIds): Record<string, Branch> {
  return Object.fromEntries(
    [...ids].flatMap(([label, id]) => {
      const row = nodes.category.find((each) => each.id === id);
      if (row === undefined) return [];
      const name = nodes.profile.find(({ owner }) => owner === id)?.name ?? null;
      const children = relationships.filter(({ kind, from }) => kind === 'CATEGORIZES' && from === id);
      return [[label, { name, isStale: row.staleSince !== null, children: children.length }]];
    }),
  );
}

/** As plain as can be: what is empty goes, from below; what is stale is named and told after what is in it. */
export const plainUpdate: UpdateHierarchy = async (context) => {
  const { store, scope, index } = context;
  const { hierarchy: tree, entities } = index;
  const gone = new Set<string>();
  const told: Profile[] = [];
  for (let layer = 1; layer <= tree.depth; layer++)
    for (const id of tree.layer(layer)) {
      const children = tree.childrenOf(id).filter((child) => !gone.has(child));
      if (children.length === 0) gone.add(id);
      if (children.length === 0 || tree.category(id)?.staleSince === null) continue;
      const nameOf = (child: string) =>
        (entities.profileOf(child) ?? tree.profileOf(child) ?? told.find(({ owner }) => owner === child))!
          .name;
      const names = children.map(nameOf).sort();
      told.push(profileOf(id, { name: `With ${names[0]}`, tags: [], summary: names.join(', ') }));
    }
  await store.commit(scope, {
    nodes: { profile: told, embedding: await vectorsOf(told) },
    updates: told.map(({ owner }) => ({ kind: 'category', id: owner, set: { staleSince: null } })),
    removals: [...gone].map((id) => ({ kind: 'category', id }) as const),
  });
};

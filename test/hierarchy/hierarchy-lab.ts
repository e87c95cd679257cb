import { type HierarchyReport, HierarchyUpdates } from '../../src/engine/hierarchy/hierarchy-updates.ts';
import type { WritableScope } from '../../src/engine/writable-scope.ts';
import type { Categorizer } from '../../src/hierarchy/categorizer.ts';
import { HIERARCHY_SETTINGS, type HierarchySettings } from '../../src/hierarchy/defaults.ts';
import { vectorsOf } from '../../src/hierarchy/describe/refresh-summaries.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { ModelCallOptions } from '../../src/inference/language-model.ts';
import { graphSource } from '../../src/ingest/graph-source.ts';
import type { IngestContext } from '../../src/ingest/ingest-context.ts';
import { embedNodes } from '../../src/ingest/write/embed-nodes.ts';
import type { GraphChanges } from '../../src/model/graph-changes.ts';
import type { CorrectionId, EntityId, ProfileId, Scope } from '../../src/model/ids.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { ScopeIndex } from '../../src/search/scope-index.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';

const SCOPE = 'lab' as Scope;

/** Entities that are added, deleted and renamed, and a hierarchy that the real state machine maintains. */
export class HierarchyLab implements WritableScope {
  context: IngestContext;
  updates: HierarchyUpdates;
  readonly settings: HierarchySettings;
  readonly entities = new Map<string, string>();
  commits = 0;
  #count = 0;
  #time = 1_000;

  constructor(
    categorizer: Categorizer,
    settings: Partial<HierarchySettings> = {},
    store: GraphStore = new InMemoryStore(),
  ) {
    const embedder = new HashingEmbedder({ analyze, dimension: 32 });
    const clock = () => this.#time++;
    const newId = () => `id-${String(this.#count++).padStart(8, '0')}`;
    this.context = {
      ...{ scope: SCOPE, store, embedder, clock, newId },
      index: ScopeIndex.empty(32),
      admission: { redactsSecrets: false, neverRemember: null },
    };
    this.settings = { ...HIERARCHY_SETTINGS, ...settings };
    this.updates = this.#updatesOf(categorizer);
  }

  /** The same memory opened with another categorizer. */
  reopened(categorizer: Categorizer): this {
    this.updates = this.#updatesOf(categorizer);
    return this;
  }

  #updatesOf(categorizer: Categorizer): HierarchyUpdates {
    const setup = { settings: this.settings, categorizer: async () => categorizer, isAutomatic: false };
    return new HierarchyUpdates(this, setup);
  }

  readonly isHiding = false;

  async read(): Promise<IngestContext> {
    return this.context;
  }

  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T> {
    return job(this.context);
  }

  asWorker<T>(job: () => Promise<T>): Promise<T> {
    return job();
  }

  async committed(): Promise<void> {
    this.commits++;
  }

  get index(): ScopeIndex {
    return this.context.index;
  }

  /** The state that the next process reads: the store may contain a commit that was not acknowledged. */
  async reload(): Promise<void> {
    const { store, embedder } = this.context;
    const source = graphSource(store, SCOPE, { embedder, comparesVectors: true });
    const index = await ScopeIndex.load(embedder.fingerprint.dimension, source);
    this.context = { ...this.context, index };
  }

  async add(
    names: readonly string[],
    tags: (name: string) => readonly string[] = () => ['thing'],
  ): Promise<void> {
    const { newId, clock } = this.context;
    const rows = names.map((name) => {
      const [id, createdAt] = [newId() as EntityId, clock()];
      const profile = { id: newId() as ProfileId, owner: id, name, aliases: [], tags: tags(name), createdAt };
      return { id, createdAt, profile: { ...profile, summary: `${name} was spoken of.`, expiredAt: null } };
    });
    for (const { id, profile } of rows) this.entities.set(id, profile.name);
    const profile = rows.map((row) => row.profile);
    const entity = rows.map(({ id, createdAt }) => ({ id, createdAt }));
    const embedding = await embedNodes(this.context, { profile }, undefined);
    await this.#commit({ nodes: { entity, profile, embedding } });
  }

  async remove(ids: readonly string[]): Promise<void> {
    const profiles = ids.map((id) => this.index.entities.profileOf(id)!.id);
    for (const id of ids) this.entities.delete(id);
    const vectors = await vectorsOf(this.context, new Set(profiles));
    await this.#commit({
      removals: [
        ...ids.map((id) => ({ kind: 'entity' as const, id })),
        ...profiles.map((id) => ({ kind: 'profile' as const, id })),
        ...vectors,
      ],
    });
  }

  /** The state after the first step of forgetting. */
  async forget(ids: readonly string[]): Promise<void> {
    const { newId, clock } = this.context;
    const [id, createdAt] = [newId() as CorrectionId, clock()];
    const rest = {
      author: 'test',
      targets: [],
      detail: '{}',
      createdAt,
      finishedAt: createdAt,
      undoneAt: null,
    };
    await this.#commit({ nodes: { correction: [{ id, kind: 'forget', ...rest }] } });
    await this.remove(ids);
  }

  organize(mode: 'update' | 'rebuild' = 'update', calls: ModelCallOptions = {}): Promise<HierarchyReport> {
    return this.updates.organize({ mode, ...calls });
  }

  async #commit(changes: GraphChanges): Promise<void> {
    await this.context.store.commit(SCOPE, changes);
    this.index.apply(changes);
  }
}

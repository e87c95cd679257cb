import type { GraphStore } from './graph-store.ts';

/** Every method of the port: with one missing, this does not compile. */
const METHODS = {
  describe: true,
  files: true,
  commit: true,
  state: true,
  get: true,
  scan: true,
  relationships: true,
  episodesByKey: true,
  findEpisodes: true,
  openSearch: true,
  view: true,
  sharing: true,
  dropCaches: true,
  removeScope: true,
  count: true,
  scopes: true,
  close: true,
  setFingerprint: true,
  setNextFingerprint: true,
  adoptNextFingerprint: true,
  embeddings: true,
  countEmbeddings: true,
  removeEmbeddings: true,
} satisfies Record<keyof GraphStore, true>;

class Forwarding {
  readonly store: GraphStore;

  constructor(store: GraphStore) {
    this.store = store;
  }
}

for (const method of Object.keys(METHODS) as (keyof GraphStore)[])
  Object.defineProperty(Forwarding.prototype, method, {
    value(this: Forwarding, ...input: readonly unknown[]): unknown {
      return Reflect.apply(this.store[method], this.store, input);
    },
  });

/** Forwards every call to another store; a subclass overrides what it changes. */
export const ForwardingStore = Forwarding as unknown as abstract new (
  store: GraphStore,
) => GraphStore & { readonly store: GraphStore };

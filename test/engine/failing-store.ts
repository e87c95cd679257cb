import type { EngineContext } from '../../src/engine/engine-context.ts';
import { MemoryScope } from '../../src/engine/memory-scope.ts';
import { ScopeSession } from '../../src/engine/scope-session.ts';
import { DiskFullError } from '../../src/errors/index.ts';
import { EmbeddingSwitch } from '../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { Extractor } from '../../src/ingest/extract/extractor.ts';
import { profileNamed } from '../../src/ingest/profile.ts';
import { stagesOf } from '../../src/ingest/stages.ts';
import type { Scope } from '../../src/model/ids.ts';
import { analyze } from '../../src/search/analyzer.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';

/**
 * A store whose disk is full at its nth commit, once; everything else goes through. With `late` the commit is
 * stored all the same: only its acknowledgement is lost.
 */
export function fullAt(commit: number, { late = false } = {}): GraphStore {
  const store = new InMemoryStore();
  let commits = 0;
  return new Proxy<GraphStore>(store, {
    get(_, name: keyof GraphStore) {
      if (name !== 'commit') return (store[name] as (...input: never[]) => unknown).bind(store);
      return async (...input: Parameters<GraphStore['commit']>) => {
        const fails = ++commits === commit;
        if (fails && !late) throw new DiskFullError('memory.db');
        const sequence = await store.commit(...input);
        if (fails) throw new DiskFullError('memory.db');
        return sequence;
      };
    },
  });
}

/** Reads nothing, at once: for tests that are not about extraction. */
export const readsNothing: Extractor = { extract: async () => ({ entities: [], facts: [] }) };

let ids = 0;
/** A memory over a store, without a database file. */
export async function scopeOver(store: GraphStore): Promise<MemoryScope> {
  const embedder = new HashingEmbedder({ analyze, dimension: 32 });
  const profile = profileNamed('local');
  const context: EngineContext = {
    store,
    embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
    ingest: { profile, stages: stagesOf(profile, { extractor: readsNothing }), isAutomatic: false },
    admission: { redactsSecrets: true, neverRemember: null },
    clock: Date.now,
    newId: () => String(++ids).padStart(9, '0'),
    logger: { warn: () => undefined },
    snapshotFolder: null,
  };
  await store.setFingerprint(embedder.fingerprint);
  return new MemoryScope(new ScopeSession('a' as Scope, context));
}

import { afterRemoval } from '../../../src/engine/forgetting/after-removal.ts';
import { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { ScopeSession } from '../../../src/engine/scope-session.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { SegmentReader } from '../../../src/ingest/extract/segment-reader.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import { stagesOf } from '../../../src/ingest/stages.ts';
import type { Scope } from '../../../src/model/ids.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';

export const SCOPE = 'a' as Scope;
export const embedder = new HashingEmbedder({ analyze, dimension: 64 });
const profile = profileNamed('local');
export const ingest = { profile, stages: stagesOf(profile, {}), isAutomatic: false, isRepeatable: true };

/** A memory of the local tier over a store, that does nothing by itself. */
export function localMemory(
  store: GraphStore,
  {
    clock,
    newId,
    scope = SCOPE,
    warn = () => undefined,
    reader = ingest.stages.reader,
  }: {
    readonly clock: () => number;
    readonly newId: () => string;
    readonly scope?: Scope;
    readonly warn?: (message: string) => void;
    readonly reader?: SegmentReader;
  },
): MemoryScope {
  const reading = { ...ingest, stages: { ...ingest.stages, reader } };
  return new MemoryScope(
    new ScopeSession(scope, {
      store,
      embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
      ingest: reading,
      afterRemoval: afterRemoval({ ingest: reading }),
      admission: { redactsSecrets: true, neverRemember: null },
      clock,
      newId,
      logger: { warn },
      snapshotFolder: null,
    }),
  );
}

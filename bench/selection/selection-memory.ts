import { Mnemis } from '../../src/engine.ts';
import { StaticEmbedder } from '../../src/inference/embedder/static-embedder.ts';
import { graphSource } from '../../src/ingest/graph-source.ts';
import type { Scope } from '../../src/model/ids.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import type { SearchContext } from '../../src/retrieve/route.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { ScopeIndex } from '../../src/search/scope-index.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { inTemporaryFolder, SCOPE } from '../temporary-memory.ts';

/** A memory of the local tier with categories, and the internals that its searches use. */
export async function inMemoryOf<T>(
  turns: readonly TurnInput[],
  work: (context: SearchContext) => Promise<T>,
): Promise<T> {
  return inTemporaryFolder(async (path) => {
    const embedder = await StaticEmbedder.load(analyze);
    const engine = await Mnemis.open({ path, embedder });
    const memory = engine.scope(SCOPE);
    const records = turns.map((turn) => ({ kind: 'turn' as const, turn, where: turn.sourceId ?? '' }));
    for await (const event of memory.import(records))
      if (event.type === 'rejected') throw new TypeError(`A turn was rejected: ${event.reason}`);
    await memory.flush();
    await memory.hierarchy.update();
    await engine.close();
    // Bypasses the engine, which exposes neither its index nor the selection of a walk.
    const store = await KuzuStore.open({ path });
    try {
      const scope = SCOPE as Scope;
      const source = graphSource(store, scope, { embedder, comparesVectors: true });
      const index = await ScopeIndex.load(embedder.fingerprint.dimension, source);
      return await work({ scope, store, index, embedder });
    } finally {
      await store.close();
    }
  });
}

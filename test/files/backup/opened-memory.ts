import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { EngineContext } from '../../../src/engine/engine-context.ts';
import type { IndexCache } from '../../../src/engine/index-cache.ts';
import { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { ScopeSession } from '../../../src/engine/scope-session.ts';
import { openStoreAt } from '../../../src/files/open-store.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import { stagesOf } from '../../../src/ingest/stages.ts';
import type { Scope } from '../../../src/model/ids.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { CachedStore } from '../../../src/store/cached-store.ts';

export interface OpenedMemory {
  readonly context: EngineContext;
  readonly store: CachedStore;
  readonly keeper: IndexCache;
  readonly memory: MemoryScope;
  close(): Promise<void>;
}

/** A memory file with one scope, put together as the engine does, with its parts in reach. */
export async function openMemory(path: string, scope = 'a'): Promise<OpenedMemory> {
  const store = new CachedStore(await openStoreAt(path));
  const embedder = new HashingEmbedder({ analyze, dimension: 32 });
  await store.setFingerprint(embedder.fingerprint);
  const profile = profileNamed('local');
  let ids = 0;
  const context: EngineContext = {
    store,
    embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
    ingest: { profile, stages: stagesOf(profile, {}), isAutomatic: false },
    admission: { redactsSecrets: true, neverRemember: null },
    clock: Date.now,
    newId: () => `${Date.now()}-${process.pid}-${String(++ids).padStart(6, '0')}`,
    logger: { warn: () => undefined },
    snapshotFolder: `${store.describe().path}.indexes`,
  };
  const session = new ScopeSession(scope as Scope, context);
  const memory = new MemoryScope(session);
  const close = async () => {
    await memory.close();
    await store.close();
  };
  return { context, store, keeper: session.index, memory, close };
}

/** The files of a memory by name, from the memory's own on; folders are gone into. */
export function filesOf(path: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith(basename(path)) && statSync(join(folder, name)).isFile())
    .map((name) => join(folder, name))
    .sort();
}

/** How many of the texts stand in a file of the memory, byte by byte. */
export function textsOnDisk(path: string, texts: readonly string[]): number {
  const files = filesOf(path).map((file) => readFileSync(file));
  return texts.filter((text) => files.some((bytes) => bytes.includes(text))).length;
}

import { KuzuStore } from '../../store/kuzu/kuzu-store.ts';
import { AbsentEmbedder } from '../absent-embedder.ts';
import type { CallOptions } from '../call-options.ts';
import { EmbeddingSwitch } from '../embedding-switch.ts';
import { refuseUnfinishedForgetting } from '../forget/unfinished-forgetting.ts';
import { type BackupSummary, backup } from './backup.ts';
import { type CompactEvent, compact } from './compact.ts';

/** `backup` of a memory that no engine has open. @throws also what an open throws. */
export async function backupFile(
  path: string,
  target: string,
  options: CallOptions = {},
): Promise<BackupSummary> {
  const store = await KuzuStore.open({ path });
  try {
    return await backup({ store, snapshotFolder: snapshotsOf(store), clock: Date.now }, target, options);
  } finally {
    await store.close();
  }
}

/** `compact` of a memory that no engine has open. @throws also what an open throws. */
export async function* compactFile(path: string, options: CallOptions = {}): AsyncGenerator<CompactEvent> {
  const store = await KuzuStore.open({ path });
  try {
    await refuseUnfinishedForgetting(store);
    const embedder = new AbsentEmbedder(store.describe().fingerprint);
    const embedding = new EmbeddingSwitch({ embedder, comparesVectors: false });
    yield* compact({ store, embedding, snapshotFolder: snapshotsOf(store), indexes: [] }, options);
  } finally {
    await store.close();
  }
}

function snapshotsOf(store: KuzuStore): string {
  return `${store.describe().path}.indexes`;
}

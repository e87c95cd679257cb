import { resolve } from 'node:path';
import type { GraphStore } from '../store/graph-store.ts';
import { KuzuStore } from '../store/kuzu/kuzu-store.ts';

export interface OpenStoreOptions {
  /** Page cache of a Kùzu file in bytes. */
  readonly bufferPoolBytes?: number;
}

/** Opens the graph store at a path, creating the file if missing. @throws as `Mnemis.open`. */
export async function openStoreAt(path: string, options: OpenStoreOptions = {}): Promise<GraphStore> {
  return KuzuStore.open({ path: resolve(path), ...options });
}

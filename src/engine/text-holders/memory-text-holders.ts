import type { RecalledTexts } from '../../ingest/admit/recalled-texts.ts';
import type { Scope } from '../../model/ids.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { CachedStore } from '../../store/cached-store.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { itemHolder } from '../items/item-holder.ts';
import type { ItemTree } from '../items/item-tree.ts';
import { fileHolder } from './file-holder.ts';
import { indexHolder, snapshotHolder } from './index-holders.ts';
import { graphHolder, rowCacheHolder } from './row-holders.ts';
import type { TextHolder } from './text-holder.ts';
import { recalledHolder, wordCacheHolder } from './word-holders.ts';

/** Where an open memory may hold text. */
export interface HoldersContext {
  readonly store: GraphStore;
  readonly snapshotFolder: string | null;
  readonly indexes: () => Iterable<ScopeIndex>;
  readonly recalled: () => Iterable<Promise<RecalledTexts>>;
  readonly cachedWords: () => Iterable<string>;
  /** Default: none are held. */
  readonly items?: () => Iterable<Promise<ItemTree>>;
  /** Whose rows to search; another scope may say the same. Default: those of all. */
  readonly scope?: Scope;
  /** Others than the memory's own. Default: none. */
  readonly beside?: readonly TextHolder[];
}

/**
 * Every place of a memory that holds text. `disk` are its files, which keep removed rows until the memory is compacted;
 * `memory` all the others, which keep nothing of what was forgotten; `beside` what the caller keeps elsewhere.
 */
export function memoryTextHolders(context: HoldersContext): {
  readonly memory: readonly TextHolder[];
  readonly disk: readonly TextHolder[];
  readonly beside: readonly TextHolder[];
} {
  const { store, snapshotFolder, indexes, recalled, cachedWords, scope = null, beside = [] } = context;
  const { items = () => [] } = context;
  const memory = [
    graphHolder(store, scope),
    ...(store instanceof CachedStore ? [rowCacheHolder(store, scope)] : []),
    indexHolder(indexes),
    wordCacheHolder(cachedWords),
    recalledHolder(recalled),
    itemHolder(items),
  ];
  const files = store.files();
  if (files === null) return { memory, disk: [], beside };
  const folders = snapshotFolder === null ? [] : [snapshotFolder];
  const disk = [...folders.map(snapshotHolder), fileHolder(() => [...files.paths(), ...folders])];
  return { memory, disk, beside };
}

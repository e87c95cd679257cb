import type { Milliseconds } from '../../model/ids.ts';
import type { ItemFields, ItemValue } from './stored-item.ts';

/** An item as the directory of a scope holds it. A new version is a new entry. */
export interface ItemEntry {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: ItemValue;
  /** Undefined where the writer left it to the reader. */
  readonly fields: ItemFields | undefined;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
  /** Rows of all versions, the newest last. */
  readonly versions: readonly string[];
  /** Those of them that no other has followed: one, or more after an import. */
  readonly live: readonly string[];
}

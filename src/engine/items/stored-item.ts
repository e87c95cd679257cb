import type { Milliseconds } from '../../model/ids.ts';

/** What an item holds: an object that JSON can write. */
export type ItemValue = Readonly<Record<string, unknown>>;

/**
 * Which texts of a value a search by meaning reads: `false` none, else paths such as `title`, `author.name`,
 * `chapters[*].text`, `tags[0]`, `tags[-1]` and `$` for all of it.
 */
export type ItemFields = false | readonly string[];

/** An item of a store as it stands: the newest version of its value. */
export interface StoredItem {
  readonly namespace: readonly string[];
  readonly key: string;
  /** A copy of its own: to change it changes nothing in memory. */
  readonly value: ItemValue;
  /** When the key was first written, and when its newest version was; system time. */
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** An item that a search found. */
export interface FoundItem extends StoredItem {
  /**
   * Of a search by meaning: from 0 to 1, where 1 is first both by the vectors and by the words. It tells the order, not
   * how alike two texts are. Null for an item that is not searched so, and where nothing was asked.
   */
  readonly score: number | null;
}

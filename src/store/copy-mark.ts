import type { EmbeddingFingerprint } from '../model/nodes.ts';
import type { StoreDescription } from './graph-store.ts';

const PREFIX = 'unfinished copy of ';

/**
 * Marks a store as an unfinished copy of another database. Every store durably records an unfinished move to a next
 * embedder, and the mark is such a record with a name that no embedder has: it needs no table of its own, it is set
 * and removed in one transaction, and older versions of Mnemis report it as an unfinished move.
 */
export const copyMark = (databaseId: string): EmbeddingFingerprint => ({
  model: PREFIX + databaseId,
  dimension: 1,
});

/** The id of the database that a store is an unfinished copy of; null if it is none. */
export function unfinishedCopyOf({
  nextFingerprint,
}: Pick<StoreDescription, 'nextFingerprint'>): string | null {
  const { model = '' } = nextFingerprint ?? {};
  return model.startsWith(PREFIX) ? model.slice(PREFIX.length) : null;
}

import type { GraphChanges, RowRemoval } from '../../model/graph-changes.ts';
import type { NodeKind, Profile } from '../../model/nodes.ts';
import type { RemovedTexts } from './texts-of.ts';
import type { FormerSegment } from './touched-segments.ts';

export type RemovedCounts = { readonly [K in NodeKind]?: number };

/** What a step of forgetting does, and what it takes away. */
export interface Removal {
  /** One transaction; nothing where there is nothing to remove. */
  readonly changes: GraphChanges;
  readonly counts: RemovedCounts;
  /** Everything that went in words, to look for afterwards. */
  readonly texts: RemovedTexts;
  /** Turns that stay and are to be read again. */
  readonly reread: readonly string[];
  /** Segments that go, with those of their turns that stay. */
  readonly former: readonly FormerSegment[];
  /** Last profiles of entities that no turn and no fact speaks of any more. */
  readonly vanishing: readonly Profile[];
}

export function countRemovals(removals: readonly RowRemoval[]): RemovedCounts {
  const counts: { [K in NodeKind]?: number } = {};
  for (const { kind } of removals) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

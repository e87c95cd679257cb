import { cosine } from '../../util/dot-product.ts';
import type { SegmentToRelate } from './segment-relator.ts';

/** PAPERS §3.3. */
export const MOST_CANDIDATES = 5;

/**
 * The segments whose summaries are most like this one's, nearest first, at equal cosines by id; itself left out. A
 * summary without features is near to none.
 */
export function nearestSegments(
  segment: SegmentToRelate,
  others: Iterable<SegmentToRelate>,
  count = MOST_CANDIDATES,
): SegmentToRelate[] {
  const nearest: Near[] = [];
  for (const other of others) {
    const likeness = other.id === segment.id ? null : cosine(segment.vector, other.vector);
    if (likeness === null) continue;
    nearest.push({ other, likeness });
    nearest.sort(compare);
    if (nearest.length > count) nearest.pop();
  }
  return nearest.map(({ other }) => other);
}

interface Near {
  readonly other: SegmentToRelate;
  readonly likeness: number;
}

function compare(a: Near, b: Near): number {
  return b.likeness - a.likeness || (a.other.id < b.other.id ? -1 : 1);
}

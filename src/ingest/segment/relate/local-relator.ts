import { CancelledError } from '../../../errors/index.ts';
import { cosine } from '../../../util/dot-product.ts';

import type { RelateOptions, SegmentRelation, SegmentRelator, SegmentToRelate } from './segment-relator.ts';

/**
 * The local tier's relator (docs/papers.md §3.3): the confidence is the summaries' cosine or the share of common
 * entities, whichever is greater. `coreference` where the entities decide, else `semantic`: whether one supports,
 * contradicts or causes the other takes a model to say.
 */
export class LocalRelator implements SegmentRelator {
  async relate(
    segment: SegmentToRelate,
    candidates: readonly SegmentToRelate[],
    { signal }: RelateOptions = {},
  ): Promise<readonly SegmentRelation[]> {
    if (signal?.aborted) throw new CancelledError('the segment has no new relations', signal.reason);
    return candidates.map((candidate) => relation(segment, candidate));
  }
}

function relation(segment: SegmentToRelate, candidate: SegmentToRelate): SegmentRelation {
  const likeness = Math.max(0, cosine(segment.vector, candidate.vector) ?? 0);
  const common = jaccard(segment.entities, candidate.entities);
  return {
    from: segment.id,
    to: candidate.id,
    relation: common > likeness ? 'coreference' : 'semantic',
    confidence: Math.max(common, likeness),
  };
}

/** Common members in all members; 0 for two empty sets, which have nothing in common. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const member of a) if (b.has(member)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}

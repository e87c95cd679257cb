import type { Relationship } from '../../model/relationships.ts';
import type { SegmentRelation, SegmentRelator, SegmentToRelate } from './segment-relator.ts';

/** τ of GAM §3.3. */
export const LEAST_CONFIDENCE = 0.6;

export interface RelateSegmentOptions {
  readonly relator: SegmentRelator;
  /** An edge needs a confidence above this. Default 0.6. */
  readonly above?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The RELATED rows that join a new segment to its candidates (see `nearestSegments`): of relations that are not
 * `unrelated`, with a confidence above the threshold as weight. Whatever the relator answers, every row joins the
 * segment to a candidate, and a pair at most once.
 *
 * @throws CancelledError when the signal fires, and what the relator throws.
 */
export async function relateSegment(
  segment: SegmentToRelate,
  candidates: readonly SegmentToRelate[],
  { relator, above = LEAST_CONFIDENCE, signal }: RelateSegmentOptions,
): Promise<Relationship[]> {
  if (candidates.length === 0) return [];
  const relations = await relator.relate(segment, candidates, { signal });
  const open = new Set<string>(candidates.map(({ id }) => id));
  return relations.flatMap((relation) => {
    const other = relation.from === segment.id ? relation.to : relation.from;
    const joins = relation.from === segment.id || relation.to === segment.id;
    return relation.confidence > above && joins && open.delete(other) ? toRow(relation) : [];
  });
}

function toRow({ from, to, relation, confidence }: SegmentRelation): Relationship[] {
  if (relation === 'unrelated') return [];
  return [{ kind: 'RELATED', fromKind: 'segment', from, toKind: 'segment', to, relation, confidence }];
}

import { CancelledError } from '../../../errors/index.ts';
import type { SegmentId } from '../../../model/ids.ts';
import type { Relationship, TopicRelation } from '../../../model/relationships.ts';
import { cosine } from '../../../util/dot-product.ts';
import { LEAST_RELATION_CONFIDENCE, MOST_RELATED_CANDIDATES } from '../defaults.ts';

/** What a relator receives of a topic segment. */
export interface SegmentToRelate {
  readonly id: SegmentId;
  readonly keywords: readonly string[];
  readonly summary: string;
  /** Vector of the summary. All have the same dimension; all zero for a summary without features. */
  readonly vector: Float32Array;
  /** Entities that its turns mention, without its speakers, who occur in every segment. */
  readonly entities: ReadonlySet<string>;
}

export interface SegmentRelation {
  readonly from: SegmentId;
  readonly to: SegmentId;
  readonly relation: TopicRelation | 'unrelated';
  /** From 0 to 1. */
  readonly confidence: number;
}

interface RelateOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Decides how a new segment relates to candidates (GAM §3.3). */
export interface SegmentRelator {
  /**
   * One relation per candidate, in order. `support`, `contradict` and `causal` are directed from the supporting,
   * contradicting or causing segment; the others are symmetric and directed from the new segment.
   *
   * @throws CancelledError when the signal fires.
   */
  relate(
    segment: SegmentToRelate,
    candidates: readonly SegmentToRelate[],
    options?: RelateOptions,
  ): Promise<readonly SegmentRelation[]>;
}

interface RelateSegmentOptions {
  readonly relator: SegmentRelator;
  /** Minimum confidence of an edge, exclusive. Default 0.6. */
  readonly above?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The RELATED rows that link a new segment to its candidates (see `nearestSegments`): relations other than
 * `unrelated` whose confidence is above the threshold, with the confidence as weight. Regardless of the relator's
 * answer, every row links the segment to a candidate, and each pair at most once.
 *
 * @throws CancelledError when the signal fires, and what the relator throws.
 */
export async function relateSegment(
  segment: SegmentToRelate,
  candidates: readonly SegmentToRelate[],
  { relator, above = LEAST_RELATION_CONFIDENCE, signal }: RelateSegmentOptions,
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

/**
 * The segments with the most similar summaries, nearest first, ties ordered by id; without the segment itself. A
 * summary without features is near to none.
 */
export function nearestSegments(
  segment: SegmentToRelate,
  others: Iterable<SegmentToRelate>,
  count = MOST_RELATED_CANDIDATES,
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

/**
 * The local tier's relator (docs/papers.md §3.3). The confidence is the summaries' cosine or the share of common
 * entities, whichever is greater. The relation is `coreference` if the share of entities is greater, else `semantic`;
 * whether one supports, contradicts or causes the other needs a model.
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

/** Common members divided by all members; 0 for two empty sets. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const member of a) if (b.has(member)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}

import type { EntityId } from '../../model/ids.ts';
import type { Segment } from '../../model/nodes.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import type { ConsolidationContext, ReadUnit } from '../write/consolidation-context.ts';
import { LocalFallback } from '../write/local-fallback.ts';
import { EntityResolution, type ResolvedSegments } from './entity-resolution.ts';
import { LocalResolutionJudge } from './local-resolution-judge.ts';

export interface BatchResolution extends ResolvedSegments {
  readonly fallback: LocalFallback;
  /** The entities of memory that names were resolved against, and the corrections about them: they may have changed since. */
  readonly basis: { readonly entities: EntityIndex; readonly revision: number; readonly corrections: number };
}

/** Gives every name of a batch its entity, known to memory or new. */
export async function resolveBatch(
  context: ConsolidationContext,
  read: readonly ReadUnit[],
): Promise<BatchResolution> {
  const fallback = new LocalFallback();
  const { entities, corrections } = context.index;
  const basis = { entities, revision: entities.revision, corrections: corrections.revision };
  const segments = read.map(({ session, episodes, reading }) => ({
    session,
    speakers: [...new Set(episodes.map(({ speaker }) => speaker))],
    extraction: reading.extraction,
    episodes: episodes.map(({ id }) => id),
  }));
  const local = () =>
    new EntityResolution({ ...context, judge: new LocalResolutionJudge() }).resolve(segments, {});
  const resolved = await fallback.run(
    () => new EntityResolution({ ...context, judge: context.stages.judge }).resolve(segments, context.calls),
    local,
  );
  return { ...resolved, fallback, basis };
}

/** The entity that the unit at a position of the batch means by a name. */
export type EntityOf = (unit: number, name: string) => EntityId | undefined;

/** A unit and the segment that it becomes. */
export interface SegmentedUnit {
  readonly unit: ReadUnit;
  readonly segment: Segment;
}

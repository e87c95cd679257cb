import type { EntityIndex } from '../../search/entity-index.ts';
import { EntityResolution, type ResolvedSegments } from '../resolve/entity-resolution.ts';
import { LocalResolutionJudge } from '../resolve/local-resolution-judge.ts';
import type { ConsolidationContext } from './consolidation-context.ts';
import { Setbacks } from './setbacks.ts';
import type { ReadUnit } from './unit.ts';

export interface BatchResolution extends ResolvedSegments {
  readonly setbacks: Setbacks;
  /** The entities of memory that names were resolved against, and the rulings about them: they may have changed since. */
  readonly basis: { readonly entities: EntityIndex; readonly revision: number; readonly rulings: number };
}

/** Gives every name of a batch its entity, known to memory or new. */
export async function resolveBatch(
  context: ConsolidationContext,
  read: readonly ReadUnit[],
): Promise<BatchResolution> {
  const setbacks = new Setbacks();
  const { entities, rulings } = context.index;
  const basis = { entities, revision: entities.revision, rulings: rulings.revision };
  const segments = read.map(({ session, episodes, reading }) => ({
    session,
    speakers: [...new Set(episodes.map(({ speaker }) => speaker))],
    extraction: reading.extraction,
    episodes: episodes.map(({ id }) => id),
  }));
  const local = () =>
    new EntityResolution({ ...context, judge: new LocalResolutionJudge() }).resolve(segments, {});
  const resolved = await setbacks.orElse(
    () => new EntityResolution({ ...context, judge: context.stages.judge }).resolve(segments, context.calls),
    local,
  );
  return { ...resolved, setbacks, basis };
}

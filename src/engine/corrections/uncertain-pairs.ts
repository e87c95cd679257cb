import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { EntityId } from '../../model/ids.ts';

/**
 * One of two entities that may be one, by what it is called now: enough to decide between `mergeEntities` and
 * `keepApart`.
 */
export interface UncertainEntity {
  readonly id: EntityId;
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Two entities that may be one. */
export interface UncertainPair {
  readonly entities: readonly [UncertainEntity, UncertainEntity];
  /** That they are one, from 0 to 1. */
  readonly confidence: number;
}

/** The likeliest first. */
export async function uncertainPairs({
  index,
  store,
  scope,
}: IngestContext): Promise<readonly UncertainPair[]> {
  const named = (id: string): UncertainEntity[] => {
    const profile = index.entities.profileOf(id);
    return profile === undefined
      ? []
      : [{ id: id as EntityId, name: profile.name, aliases: profile.aliases }];
  };
  const pairs: UncertainPair[] = [];
  for await (const edges of store.relationships(scope, 'POSSIBLY_SAME'))
    for (const { from, to, confidence = 0 } of edges) {
      const [one, other] = [named(from)[0], named(to)[0]];
      if (one !== undefined && other !== undefined) pairs.push({ entities: [one, other], confidence });
    }
  const order = ({ entities: [one, other] }: UncertainPair) => `${one.name} ${other.name} ${one.id}`;
  return pairs.sort((a, b) => b.confidence - a.confidence || (order(a) < order(b) ? -1 : 1));
}

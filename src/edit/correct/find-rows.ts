import { InvalidInputError } from '../../errors/index.ts';
import { readDetail } from '../../ingest/corrections/correction-detail.ts';
import { EffectiveCorrections } from '../../ingest/corrections/effective-corrections.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { EntityId, EpisodeId, FactId } from '../../model/ids.ts';
import type { Correction, Fact } from '../../model/nodes.ts';

/**
 * @throws InvalidInputError when the scope has no such fact, or no longer believes it; the message names the fact that
 * replaced it.
 */
export async function liveFact(context: IngestContext, id: string): Promise<Fact> {
  const { store, scope, index } = context;
  const [fact] = await store.get(scope, 'fact', [id]);
  if (fact === undefined) throw new InvalidInputError('No fact of this scope has that id');
  if (fact.expiredAt === null) return fact;
  const effective = EffectiveCorrections.of(index.corrections);
  const newest = effective.newest(fact.id);
  const by = newest === fact.id ? await successorOf(context, fact.id) : newest;
  if (by !== null && !effective.isRejected(by))
    throw new InvalidInputError(`The fact has been replaced by ${by}; correct that one`);
  const rejection = index.corrections.all.findLast(
    (each) => each.kind === 'reject-fact' && each.undoneAt === null && each.targets[0] === (by ?? fact.id),
  );
  throw new InvalidInputError(
    rejection === undefined
      ? 'The fact has expired: no live turn supports it'
      : `The fact has been rejected; undo ${rejection.id} first`,
  );
}

async function successorOf({ store, scope }: IngestContext, id: string): Promise<FactId | null> {
  for await (const [edge] of store.relationships(scope, 'SUPERSEDES', { to: [id] }))
    if (edge !== undefined) return edge.from as FactId;
  return null;
}

/**
 * @throws InvalidInputError when the scope has no such entity, or it was merged; the message names the entity it was
 * merged into.
 */
export async function liveEntity({ index, store, scope }: IngestContext, id: string): Promise<EntityId> {
  if (index.entities.profileOf(id) !== undefined && index.entities.ids.ordinalOf(id) !== undefined)
    return id as EntityId;
  const [row] = await store.get(scope, 'entity', [id]);
  if (row === undefined) throw new InvalidInputError('No entity of this scope has that id');
  const into = EffectiveCorrections.of(index.corrections).canonical(row.id);
  throw new InvalidInputError(
    into === row.id
      ? 'Memory no longer knows anything about the entity'
      : `The entity has been merged into ${into}; correct that one`,
  );
}

/** @throws InvalidInputError when one of them is not a live turn of the scope that mentions the entity. */
export function mentionsAmong(
  { index }: IngestContext,
  entity: EntityId,
  episodes: readonly string[],
): readonly EpisodeId[] {
  const mentioned = new Set<string>(index.mentionsOf(entity));
  if (episodes.some((turn) => !mentioned.has(turn)))
    throw new InvalidInputError('One of the episodes does not mention the entity');
  return [...new Set(episodes)] as EpisodeId[];
}

/** @throws InvalidInputError when one of them is not a live fact about the entity. */
export async function factsAmong(
  context: IngestContext,
  entity: EntityId,
  facts: readonly string[],
): Promise<readonly Fact[]> {
  const about = new Set<string>(context.index.factsAbout(entity));
  const rows = await Promise.all([...new Set(facts)].map((id) => liveFact(context, id)));
  if (rows.some(({ id }) => !about.has(id)))
    throw new InvalidInputError('One of the facts is not about the entity');
  return rows;
}

/** @throws InvalidInputError when the correction is unknown, already undone, or cannot be undone. */
export function openCorrection({ index }: IngestContext, id: string): Correction {
  const found = index.corrections.correction(id);
  if (found === undefined) throw new InvalidInputError('No correction of this scope has that id');
  if (found.undoneAt !== null) throw new InvalidInputError('The correction has been undone already');
  if (found.kind === 'undo')
    throw new InvalidInputError('An undo cannot be undone; make the correction again');
  if (readDetail(found) === null)
    throw new InvalidInputError('Forgotten rows and rows removed by retention cannot be restored');
  return found;
}

/** One entity of an uncertain pair, with its current name: enough to choose between `mergeEntities` and `keepApart`. */
export interface UncertainEntity {
  readonly id: EntityId;
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Two entities that may be the same. */
export interface UncertainPair {
  readonly entities: readonly [UncertainEntity, UncertainEntity];
  /** Probability that they are the same, from 0 to 1. */
  readonly confidence: number;
}

interface PairContext extends Pick<IngestContext, 'index' | 'scope'> {
  readonly store: Pick<IngestContext['store'], 'relationships'>;
}

/**
 * The likeliest first.
 *
 * @param entity Only pairs of this entity; default: all.
 */
export async function uncertainPairs(
  { index, store, scope }: PairContext,
  entity?: EntityId,
): Promise<readonly UncertainPair[]> {
  const named = (id: string): UncertainEntity[] => {
    const profile = index.entities.profileOf(id);
    return profile === undefined
      ? []
      : [{ id: id as EntityId, name: profile.name, aliases: profile.aliases }];
  };
  const pairs: UncertainPair[] = [];
  for (const filter of entity === undefined ? [{}] : [{ from: [entity] }, { to: [entity] }])
    for await (const edges of store.relationships(scope, 'POSSIBLY_SAME', filter))
      for (const { from, to, confidence = 0 } of edges) {
        const [one, other] = [named(from)[0], named(to)[0]];
        if (one !== undefined && other !== undefined) pairs.push({ entities: [one, other], confidence });
      }
  const order = ({ entities: [one, other] }: UncertainPair) => `${one.name} ${other.name} ${one.id}`;
  return pairs.sort((a, b) => b.confidence - a.confidence || (order(a) < order(b) ? -1 : 1));
}

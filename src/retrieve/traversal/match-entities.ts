import type { EntityId } from '../../model/ids.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import type { RouteInput } from '../route.ts';
import { readNames } from './name-spans.ts';
import type { TraversalRoute } from './settings.ts';

/**
 * The entities of a question (PersonalAI, "Information Searching"; PAPERS §4.2): those that it calls by a name or an
 * alias; for what is written as a name and nobody's, the one entity whose name is nearest; for a question without
 * either, the one that is nearest to it as a whole.
 *
 * @returns Ids of entities that have a profile, the surest first.
 */
export async function matchEntities(
  input: Pick<RouteInput, 'context' | 'question' | 'queryVector' | 'calls' | 'limit' | 'rows'>,
  { matching }: Pick<TraversalRoute, 'matching'>,
): Promise<readonly string[]> {
  const { context, question, queryVector, calls, limit } = input;
  const { maximumEntities, leastCosine, longestName } = matching;
  const { entities } = context.index;
  const { entity: known } = input.rows().eligible;
  const isEligible = (id: string) => {
    const profile = entities.profileOf(id);
    return profile !== undefined && known?.[entities.profiles.ids.ordinalOf(profile.id)!] !== 0;
  };
  const { named, unknown } = readNames<EntityId>(question.text, entities, { longestName, limit });
  const certain = named.filter(isEligible).slice(0, maximumEntities);
  const phrases = unknown.slice(0, maximumEntities - certain.length);
  const vectors =
    phrases.length === 0 ? [] : await context.embedder.embed(phrases, { as: 'query', signal: calls.signal });
  if (certain.length === 0 && vectors.length === 0) vectors.push(queryVector);
  const only = input.rows().eligible.entity;
  const near = vectors.flatMap((vector) => nearestName(entities, vector, { leastCosine, only }));
  return [...new Set<string>([...certain, ...near])];
}

/** @param only By the ordinals of profiles; null for all. */
function nearestName(
  entities: EntityIndex,
  vector: Float32Array,
  { leastCosine, only }: { readonly leastCosine: number; readonly only: Uint8Array | null },
): string[] {
  return entities.nameVectors
    .top(vector, 1, only)
    .filter(({ score }) => score > leastCosine)
    .map(({ ordinal }) => entities.ownerOf(ordinal));
}

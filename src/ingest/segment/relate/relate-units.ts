import type { EntityId, SegmentId } from '../../../model/ids.ts';
import type { Relationship } from '../../../model/relationships.ts';
import { inBatches } from '../../../util/collections.ts';
import { roundedVector } from '../../../util/rounded-vector.ts';
import { entityNameKey } from '../../../util/tidy.ts';
import type { ConsolidationContext } from '../../consolidation-context.ts';
import { topicText } from '../../describe/local-summarizer.ts';
import type { LocalFallback } from '../../local-fallback.ts';
import type { EntityOf, SegmentedUnit } from '../../resolve/entity-resolution.ts';
import { MOST_RELATED_CANDIDATES } from '../defaults.ts';
import { LlmRelator, type SegmentWithCandidates } from './llm-relator.ts';
import {
  LocalRelator,
  nearestSegments,
  relateSegment,
  type SegmentRelation,
  type SegmentToRelate,
} from './segment-relator.ts';

export interface RelateUnitsOptions {
  readonly entityOf: EntityOf;
  /** Segments of memory that the new ones replace. */
  readonly replaced: ReadonlySet<string>;
  readonly fallback: LocalFallback;
}

/** RELATED edges from new segments to their nearest ones in memory and earlier in the batch (GAM Algorithm 3). */
export async function relateUnits(
  context: ConsolidationContext,
  units: readonly SegmentedUnit[],
  options: RelateUnitsOptions,
): Promise<Relationship[]> {
  if (context.stages.relator === null || units.length === 0) return [];
  const asked = await withCandidates(context, units, options);
  const relations = await relationsOf(context, asked, options.fallback);
  const edges: Relationship[] = [];
  for (const [at, { segment, candidates }] of asked.entries())
    edges.push(
      ...(await relateSegment(segment, candidates, { relator: { relate: async () => relations[at]! } })),
    );
  return edges;
}

async function relationsOf(
  { stages: { relator }, calls, profile }: ConsolidationContext,
  asked: readonly SegmentWithCandidates[],
  fallback: LocalFallback,
): Promise<readonly (readonly SegmentRelation[])[]> {
  const local = async () => relateEach(new LocalRelator(), asked);
  if (!(relator instanceof LlmRelator)) return local();
  const batches = inBatches(asked, profile.together ?? Math.max(1, asked.length));
  return fallback.run(async () => {
    const said: (readonly SegmentRelation[])[] = [];
    for (const batch of batches) said.push(...(await relator.relateAll(batch, calls)).relations);
    return said;
  }, local);
}

async function relateEach(
  relator: LocalRelator,
  asked: readonly SegmentWithCandidates[],
): Promise<(readonly SegmentRelation[])[]> {
  return Promise.all(asked.map(({ segment, candidates }) => relator.relate(segment, candidates)));
}

async function withCandidates(
  context: ConsolidationContext,
  units: readonly SegmentedUnit[],
  { entityOf, replaced }: RelateUnitsOptions,
): Promise<SegmentWithCandidates[]> {
  const texts = units.map(({ segment }) => topicText(segment));
  const vectors = await context.embedder.embed(texts, { as: 'passage' });
  const fresh = units.map(({ unit, segment }, at): SegmentToRelate => {
    const names = unit.reading.extraction.entities.filter(({ kind }) => kind !== 'date');
    const speakers = new Set(unit.episodes.map(({ speaker }) => entityOf(at, speaker)));
    const ids = names.map(({ name }) => entityOf(at, name)).filter((id) => id !== undefined);
    const entities = new Set(ids.filter((id) => !speakers.has(id)));
    // As it is compared once it is stored: relations do not depend on the batches in which turns come.
    return { ...segment, vector: roundedVector(vectors[at]!), entities };
  });
  const asked: SegmentWithCandidates[] = [];
  for (const [at, segment] of fresh.entries()) {
    const stored = await nearestStored(context, segment.vector, replaced);
    asked.push({ segment, candidates: nearestSegments(segment, [...stored, ...fresh.slice(0, at)]) });
  }
  return asked;
}

async function nearestStored(
  { index, store, scope }: ConsolidationContext,
  vector: Float32Array,
  replaced: ReadonlySet<string>,
): Promise<SegmentToRelate[]> {
  const { ids, vectors } = index.segments;
  const nearest = vectors
    .top(vector, MOST_RELATED_CANDIDATES + replaced.size)
    .map(({ ordinal }) => ids.idOf(ordinal))
    .filter((id) => !replaced.has(id))
    .slice(0, MOST_RELATED_CANDIDATES);
  const rows = await store.get(scope, 'segment', nearest);
  const speakers = new Set(
    index.episodes.timeline
      .liveSpeakerNames()
      .flatMap((name) => index.entities.idsOfName(entityNameKey(name))),
  );
  return rows.map(({ id, keywords, summary }) => ({
    id: id as SegmentId,
    keywords,
    summary,
    vector: vectors.get(ids.ordinalOf(id)!)!,
    entities: entitiesOf(id, { index, speakers }),
  }));
}

function entitiesOf(
  segment: string,
  { index, speakers }: { index: ConsolidationContext['index']; speakers: ReadonlySet<string> },
): ReadonlySet<EntityId> {
  const mentioned = index.turnsOf(segment).flatMap((turn) => index.entitiesMentionedIn(turn));
  return new Set(
    mentioned.filter((id) => !speakers.has(id) && !index.entities.profileOf(id)?.tags.includes('date')),
  );
}

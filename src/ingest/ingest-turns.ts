import { CancelledError } from '../errors/index.ts';
import type { GraphChanges } from '../model/graph-changes.ts';
import { NO_USAGE } from '../model/retrieved-item.ts';
import { entityNameKey } from '../util/entity-name-key.ts';
import type { AddOutcome, AddResult } from './add-outcome.ts';
import { buildUnit } from './build-changes.ts';
import { embedNodes } from './embed-nodes.ts';
import { extractUnits } from './extract-units.ts';
import type { IngestContext } from './ingest-context.ts';
import { expire, leavingWith } from './leaving.ts';
import { nextEdges } from './next-edges.ts';
import { type EpisodePlan, isRejected, placeTurns, planEpisodes, sourceKey } from './plan-episodes.ts';
import { readTurn } from './read-turn.ts';
import { refreshProfiles } from './refresh-profiles.ts';
import { EntityResolver } from './resolve-entities.ts';

/**
 * Ingests turns in one transaction: when it resolves, every accepted turn is durable, searchable and read for
 * entities and facts; when it rejects, none is stored.
 *
 * @throws CancelledError when the signal fires before the commit.
 */
export async function ingestTurns(
  context: IngestContext,
  inputs: readonly unknown[],
  signal?: AbortSignal,
): Promise<AddResult> {
  const plan = await planCall(context, inputs);
  if (plan.episodes.length === 0) return summarize(plan.outcomes, { entities: 0, facts: 0 });
  const changes = await changesOf(context, plan, signal);
  if (signal?.aborted) throw new CancelledError('nothing of this call was stored', signal.reason);
  await context.store.commit(context.scope, changes);
  context.index.apply(changes);
  return summarize(plan.outcomes, {
    entities: changes.nodes?.entity?.length ?? 0,
    facts: changes.nodes?.fact?.length ?? 0,
  });
}

async function planCall(context: IngestContext, inputs: readonly unknown[]): Promise<EpisodePlan> {
  const { store, scope } = context;
  const readings = inputs.map(readTurn);
  const names = readings.flatMap((reading) => (reading.ok && sourceKey(reading.turn)) || []);
  const named = await store.episodesByKey(scope, [...new Set(names)]);
  const placed = placeTurns(readings, named, context.index.episodes.timeline);
  const keys = placed.flatMap((input) => (isRejected(input) || named.has(input.key) ? [] : [input.key]));
  const known = new Map([...named, ...(await store.episodesByKey(scope, [...new Set(keys)]))]);
  return planEpisodes(placed, known, { now: context.clock(), newId: context.newId });
}

async function changesOf(
  context: IngestContext,
  plan: EpisodePlan,
  signal: AbortSignal | undefined,
): Promise<GraphChanges> {
  const { index, newId } = context;
  const now = context.clock();
  const live = plan.episodes.filter((episode) => episode.expiredAt === null);
  const units = await extractUnits(live, context.extractor, {
    known: (name) => index.entities.idOfName(entityNameKey(name)) !== undefined,
    signal,
  });
  const resolver = new EntityResolver(index.entities, newId);
  const built = units.map((unit) => buildUnit(unit, { resolver, now, newId }));
  const facts = built.flatMap((unit) => unit.facts);
  const relationships = built.flatMap((unit) => unit.relationships);
  const leaving = leavingWith(plan.superseded, index);
  const profiles = await refreshProfiles(context, {
    entities: resolver.entities(),
    facts,
    relationships,
    now,
    grownBy: 'MENTIONS',
    leaving,
  });
  const nodes = {
    episode: plan.episodes,
    entity: resolver.newRows(now),
    fact: facts,
    profile: profiles.created,
  };
  const embedding = await embedNodes(context, { ...nodes, episode: live }, signal);
  return {
    nodes: { ...nodes, embedding },
    relationships: [...relationships, ...nextEdges(live, index.episodes, leaving.episodes)],
    updates: [...profiles.expired, ...expire(leaving, now)],
  };
}

function summarize(
  outcomes: readonly AddOutcome[],
  created: { readonly entities: number; readonly facts: number },
): AddResult {
  const count = (status: AddOutcome['status']) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  return {
    outcomes,
    added: count('added'),
    known: count('known'),
    superseding: count('superseding'),
    rejected: count('rejected'),
    ...created,
    usage: NO_USAGE,
  };
}

import { CancelledError } from '../../errors/index.ts';
import type { GraphChanges, RowUpdate } from '../../model/graph-changes.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { Breather } from '../../util/breathe.ts';
import { groupBy } from '../../util/collections.ts';
import { wasForgotten } from '../corrections/tombstones.ts';
import { refreshProfiles } from '../describe/refresh-profiles.ts';
import { type IngestContext, timeOfCall } from '../ingest-context.ts';
import { LocalFallback } from '../local-fallback.ts';
import { type SupersededFacts, supersedeFacts } from '../supersede/supersede-facts.ts';
import { namesOfEntities } from '../supersede/view-facts.ts';
import { embedNodes } from '../write/embed-nodes.ts';
import { admit } from './admission.ts';
import {
  type AddOutcome,
  type AddResult,
  type EpisodePlan,
  isRejected,
  nextEdges,
  placeTurns,
  planEpisodes,
  readTurn,
  sourceKey,
  type TurnReading,
} from './plan-episodes.ts';
import { expire, leavingWith } from './superseded-turns.ts';

/** What became of the turns of a call, and which of them wait in which sessions. */
export interface BufferedTurns {
  readonly result: AddResult;
  readonly sessions: ReadonlyMap<string, readonly Episode[]>;
}

/**
 * GAM's buffering state (§3.3): stores turns in one transaction. When it resolves, every accepted turn is durable and
 * searchable and waits to be consolidated; when it rejects, none is stored. Nothing else is touched, unless a turn is
 * corrected: then what rested on nothing but its old version goes, and the turns that were read together with it wait
 * to be read again.
 *
 * @throws CancelledError when the signal fires before the commit.
 */
export async function bufferTurns(
  given: IngestContext,
  inputs: readonly unknown[],
  signal?: AbortSignal,
): Promise<BufferedTurns> {
  const context = { ...given, clock: timeOfCall(given) };
  const plan = await planCall(context, inputs);
  if (plan.episodes.length > 0) {
    const changes = await changesOfTurns(context, plan, signal);
    if (signal?.aborted) throw new CancelledError('nothing of this call was stored', signal.reason);
    await context.index.prepare(changes);
    await context.store.commit(context.scope, changes);
    context.index.apply(changes);
  }
  const result = summarize(plan.outcomes, context.index.enrichment.pending.size);
  const live = plan.episodes.filter((episode) => episode.expiredAt === null);
  return { result, sessions: groupBy(live, ({ session }) => session) };
}

/** What `bufferTurns` would make of turns; nothing is stored. */
export async function previewTurns(context: IngestContext, inputs: readonly unknown[]): Promise<AddResult> {
  const { outcomes } = await planCall(context, inputs);
  return summarize(outcomes, context.index.enrichment.pending.size);
}

async function planCall(context: IngestContext, inputs: readonly unknown[]): Promise<EpisodePlan> {
  const { store, scope } = context;
  const breather = new Breather();
  const readings: TurnReading[] = [];
  for (const input of inputs) {
    await breather.breathe();
    readings.push(await admit(readTurn(input), context.admission, breather));
  }
  const names = readings.flatMap((reading) => (reading.ok && sourceKey(reading.turn)) || []);
  const named = await store.episodesByKey(scope, [...new Set(names)]);
  const placed = placeTurns(readings, named, context.index.episodes.timeline);
  const keys = placed.flatMap((input) => (isRejected(input) || named.has(input.key) ? [] : [input.key]));
  const known = new Map([...named, ...(await store.episodesByKey(scope, [...new Set(keys)]))]);
  return planEpisodes(placed, known, {
    now: context.clock(),
    newId: context.newId,
    readUpTo: context.readUpTo,
    wasForgotten: (turn) => wasForgotten(turn, context.index.corrections),
  });
}

/** What storing planned turns changes. */
export async function changesOfTurns(
  context: IngestContext,
  plan: Pick<EpisodePlan, 'episodes' | 'superseded'>,
  signal?: AbortSignal,
): Promise<GraphChanges> {
  const { index } = context;
  const now = context.clock();
  const live = plan.episodes.filter((episode) => episode.expiredAt === null);
  const leaving = leavingWith(plan.superseded, index);
  const reopened = await reopenWhatEnded(context, leaving.facts);
  const profiles = await refreshProfiles(context, {
    entities: [],
    facts: [],
    relationships: [],
    now,
    grownBy: 'MENTIONS',
    leaving,
    updates: reopened.updates,
  });
  const nodes = { episode: plan.episodes, profile: profiles.created };
  const embedding = await embedNodes(context, { ...nodes, episode: live }, signal);
  return {
    nodes: { ...nodes, embedding },
    relationships: [...nextEdges(live, index.episodes, leaving.episodes), ...reopened.relationships],
    updates: [
      ...profiles.expired,
      ...expire(leaving, now),
      ...reopened.updates,
      ...reopen(leaving.episodes, index, now),
    ],
  };
}

/** What leaving facts had ended holds again, as far as rules find nothing else that ends it. */
async function reopenWhatEnded(
  context: IngestContext,
  leaving: ReadonlySet<string>,
): Promise<SupersededFacts> {
  const nothingNew = { facts: [], relationships: [], episodes: [] };
  const given = { ...nothingNew, namesOf: namesOfEntities(context.index), leaving };
  return supersedeFacts(context, given, { superseder: null, fallback: new LocalFallback() });
}

/**
 * Turns that were read together with corrected ones wait again; a segment of which none is left goes. A turn whose text
 * retention has removed stays as it was read: nobody can read it again.
 */
function reopen(corrected: ReadonlySet<string>, index: ScopeIndex, now: Milliseconds): RowUpdate[] {
  const segments = new Set(Array.from(corrected, (id) => index.segmentOf(id)));
  return [...segments].flatMap((segment): RowUpdate[] => {
    if (segment === undefined) return [];
    const left = index.turnsOf(segment).filter((id) => !corrected.has(id));
    if (left.length === 0) return [{ kind: 'segment', id: segment, set: { expiredAt: now } }];
    const readable = left.filter((id) => !index.corrections.turnsWithoutText.has(id));
    return readable.map((id) => ({ kind: 'episode', id, set: { status: 'stored' } }));
  });
}

function summarize(outcomes: readonly AddOutcome[], pending: number): AddResult {
  const count = (status: AddOutcome['status']) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  return {
    outcomes,
    added: count('added'),
    known: count('known'),
    superseding: count('superseding'),
    rejected: count('rejected'),
    pending,
  };
}

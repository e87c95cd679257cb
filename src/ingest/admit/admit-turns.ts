import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Episode } from '../../model/nodes.ts';
import type { TurnDefaults } from '../../model/turn-input.ts';
import { Breather } from '../../util/breathe.ts';
import { groupBy } from '../../util/collections.ts';
import { turnForgottenAt, wasMoved } from '../corrections/tombstones.ts';
import { fixedClock, type IngestContext } from '../ingest-context.ts';
import { embedNodes } from '../write/embed-nodes.ts';
import { admit } from './admission.ts';
import {
  type AddOutcome,
  type AddResult,
  type EpisodePlan,
  isRejected,
  nextEdges,
  notStoredAmong,
  placeTurns,
  planEpisodes,
  sourceKey,
  turnsAtSameTimes,
} from './plan-episodes.ts';
import { readTurn, type TurnReading } from './read-turn.ts';
import { placeResent, turnsBefore } from './resent-messages.ts';
import { NOTHING_SUPERSEDED, supersedeTurns } from './supersede-turns.ts';

/** The outcomes of one call and, by session, the turns that it added to the buffer. */
export interface BufferedTurns {
  readonly result: AddResult;
  readonly sessions: ReadonlyMap<string, readonly Episode[]>;
}

export interface BufferOptions extends CallOptions {
  readonly defaults?: TurnDefaults | undefined;
  /** Whether one malformed input refuses the whole call. Default: it is rejected, and the others are stored. */
  readonly isStrict?: boolean | undefined;
  /** See `PlanOptions`. Default: false. */
  readonly isImport?: boolean | undefined;
  /** See `AddOptions`. Default: false. */
  readonly isMove?: boolean | undefined;
}

/**
 * Stores turns in one transaction (GAM's buffering state, §3.3). When it resolves, every accepted turn is durable,
 * searchable and pending; when it rejects, none is stored. Nothing else changes unless an input is a new version of a
 * stored turn. In that case facts that only the old version supports expire, and the other turns of its segment
 * become pending again.
 *
 * @throws CancelledError when the signal fires before the commit; with `isStrict` InvalidInputError.
 */
export async function bufferTurns(
  given: IngestContext,
  inputs: readonly unknown[],
  { signal, ...options }: BufferOptions = {},
): Promise<BufferedTurns> {
  const context = { ...given, clock: fixedClock(given) };
  const plan = await planCall(context, inputs, options);
  if (plan.episodes.length > 0) {
    const changes = await changesOfTurns(context, plan, signal);
    if (signal?.aborted) throw new CancelledError('nothing of this call was stored', signal.reason);
    await context.index.prepare(changes);
    await context.store.commit(context.scope, changes);
    await context.index.applyGradually(changes);
  }
  const result = summarize(plan.outcomes, context.index.enrichment.pending.size);
  const live = plan.episodes.filter((episode) => episode.expiredAt === null);
  return { result, sessions: groupBy(live, ({ session }) => session) };
}

/** Returns the outcomes that `bufferTurns` would give; stores nothing. */
export async function previewTurns(
  context: IngestContext,
  inputs: readonly unknown[],
  options: Pick<BufferOptions, 'isMove'> = {},
): Promise<AddResult> {
  const { outcomes } = await planCall(context, inputs, options);
  return summarize(outcomes, context.index.enrichment.pending.size);
}

async function planCall(
  context: IngestContext,
  inputs: readonly unknown[],
  { defaults, isStrict = false, isImport = false, isMove = false }: Omit<BufferOptions, 'signal'>,
): Promise<EpisodePlan> {
  const { store, scope } = context;
  const { episodes } = context.index;
  const now = context.clock();
  const breather = new Breather();
  const read: TurnReading[] = [];
  for (const [at, input] of inputs.entries()) {
    await breather.breathe();
    const reading = readTurn(input, now, defaults);
    if (isStrict && !reading.ok && reading.isMalformed) throw malformed(reading.reason, at, inputs.length);
    read.push(await admit(reading, context.admission, breather));
  }
  const before = await store.get(scope, 'episode', turnsBefore(read, episodes));
  const readings = placeResent(read, before);
  const names = readings.flatMap((reading) => (reading.ok && sourceKey(reading.turn)) || []);
  const named = await store.episodesByKey(scope, [...new Set(names)]);
  const timed = await store.get(scope, 'episode', turnsAtSameTimes(readings, episodes));
  const placed = placeTurns(readings, { named, timed }, episodes.timeline);
  const keys = placed.flatMap((input) => (isRejected(input) || named.has(input.key) ? [] : [input.key]));
  const known = new Map([...named, ...(await store.episodesByKey(scope, [...new Set(keys)]))]);
  return planEpisodes(placed, known, {
    now,
    newId: context.newId,
    readUpTo: context.readUpTo,
    isImport,
    forgottenAt: (turn) => {
      const { corrections } = context.index;
      return isMove && wasMoved(turn, corrections) ? null : turnForgottenAt(turn, corrections);
    },
  });
}

function malformed(reason: string, at: number, of: number): InvalidInputError {
  return new InvalidInputError(
    `${of === 1 ? 'The turn' : `Turn ${at + 1} of ${of}`} is not valid: ${reason}`,
  );
}

/** The graph changes that store planned turns. */
export async function changesOfTurns(
  context: IngestContext,
  plan: Pick<EpisodePlan, 'episodes' | 'superseded'>,
  signal?: AbortSignal,
): Promise<GraphChanges> {
  const live = plan.episodes.filter((episode) => episode.expiredAt === null);
  const former =
    plan.superseded.length === 0 ? NOTHING_SUPERSEDED : await supersedeTurns(context, plan.superseded);
  const nodes = { episode: plan.episodes, profile: former.profiles };
  const embedding = await embedNodes(context, { ...nodes, episode: live }, signal);
  return {
    nodes: { ...nodes, embedding },
    relationships: [...nextEdges(live, context.index.episodes, former.episodes), ...former.relationships],
    updates: former.updates,
  };
}

function summarize(outcomes: readonly AddOutcome[], pending: number): AddResult {
  const count = (status: AddOutcome['status']) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  return {
    stored: count('added') + count('superseding'),
    notStored: notStoredAmong(outcomes),
    outcomes,
    added: count('added'),
    known: count('known'),
    superseding: count('superseding'),
    rejected: count('rejected'),
    pending,
  };
}

import type { EpisodeId } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { NONE } from '../../search/timeline.ts';
import { type ConsolidationContext, type PlannedUnit, turnToRead } from '../consolidation-context.ts';
import { isCausedByTurns, isDefect, isUnexplained } from '../local-fallback.ts';
import { BUFFER_LIMITS, TURNS_PER_UNIT, WHOLE_SESSION_LIMITS } from '../segment/defaults.ts';
import { planPartition } from '../segment/plan-units.ts';
import type { Segmenter, TurnToSegment } from '../segment/segmenter.ts';
import { SimilaritySegmenter } from '../segment/similarity-segmenter.ts';

/** Pending turns of one session without a consolidated turn between them. */
export interface PendingRun {
  readonly session: string;
  /** In session order. */
  readonly episodes: readonly EpisodeId[];
  /** Whether it is the end of the session: only then may further turns be added to it. */
  readonly isTail: boolean;
}

export interface RunFilter {
  /** Default: all sessions that have pending turns. */
  readonly sessions?: ReadonlySet<string> | undefined;
  /** Sessions to skip. */
  readonly settled?: ReadonlySet<string> | undefined;
  /** Whether a run at a session's end has nothing to plan. Default: none. */
  readonly isSettled?: ((run: PendingRun) => boolean) | undefined;
  /** Default: all pending turns. */
  readonly among?: ReadonlySet<string> | undefined;
  /** Runs are yielded until they have this many turns in total; a run is never cut. */
  readonly turns: number;
}

/** The runs of pending turns, by arrival of their first turns. */
export function pendingRuns(
  index: ScopeIndex,
  { sessions, settled, isSettled, among, turns }: RunFilter,
): PendingRun[] {
  const runs: PendingRun[] = [];
  const seen = new Set<string>();
  let taken = 0;
  for (const id of index.enrichment.pending) {
    if (taken >= turns) break;
    if (seen.has(id) || among?.has(id) === false) continue;
    const session = sessionOf(index, id);
    if (sessions?.has(session) === false || settled?.has(session)) continue;
    const run = runAround(index, id, among);
    for (const member of run.episodes) seen.add(member);
    if (run.isTail && isSettled?.(run)) continue;
    taken += run.episodes.length;
    runs.push(run);
  }
  return runs;
}

function runAround(
  { episodes: { ids, timeline }, enrichment }: ScopeIndex,
  id: string,
  among: ReadonlySet<string> = enrichment.pending,
): PendingRun {
  const isPending = (ordinal: number) => {
    const turn = ordinal === NONE ? undefined : ids.idOf(ordinal);
    return turn !== undefined && enrichment.pending.has(turn) && among.has(turn);
  };
  let first = ids.ordinalOf(id)!;
  while (isPending(timeline.previous.at(first))) first = timeline.previous.at(first);
  const run: EpisodeId[] = [];
  let next = first;
  for (; isPending(next); next = timeline.next.at(next)) run.push(ids.idOf(next) as EpisodeId);
  return { session: timeline.sessions[timeline.session.at(first)]!, episodes: run, isTail: next === NONE };
}

function sessionOf({ episodes: { ids, timeline } }: ScopeIndex, id: string): string {
  return timeline.sessions[timeline.session.at(ids.ordinalOf(id)!)]!;
}

interface PlanBatchOptions extends Omit<RunFilter, 'among'> {
  /** Whether no turn of these sessions will follow: their buffers are emptied. */
  readonly ended: boolean;
  /** Number of turns at a session's end that were planned before; their triggers have been handled. */
  readonly asked?: (session: string) => number;
}

export interface BatchPlan {
  readonly units: readonly PlannedUnit[];
  /** By planned session, the turns that stay in the buffer, in order. */
  readonly waiting: ReadonlyMap<string, readonly Episode[]>;
  /** Sessions whose planning was stopped because there were enough units. */
  readonly unfinished: ReadonlySet<string>;
}

interface PendingTurn extends TurnToSegment {
  readonly episode: Episode;
}

/**
 * Plans which pending turns are complete units now (GAM Algorithm 2). Turns before consolidated ones are always
 * complete.
 *
 * @throws CancelledError, and what the segmenter throws, unless there are units of other sessions; planning changes
 * nothing.
 */
export async function planBatch(
  context: ConsolidationContext,
  { ended, asked, isSettled, ...filter }: PlanBatchOptions,
): Promise<BatchPlan> {
  const { turns } = filter;
  const runs = pendingRuns(context.index, { ...filter, isSettled: ended ? undefined : isSettled });
  const plans = await Promise.allSettled(
    runs.map(async (run) =>
      planRun(context, run, { ended: ended || !run.isTail, asked, enough: turns }).catch((error: unknown) => {
        if (!isDefect(error)) throw error;
        return unitsOfEqualLength(context, run);
      }),
    ),
  );
  const [units, waiting, unfinished] = [
    [] as PlannedUnit[],
    new Map<string, readonly Episode[]>(),
    new Set<string>(),
  ];
  for (const plan of plans) {
    if (plan.status === 'rejected') continue;
    const { session, left, isUnfinished } = plan.value;
    units.push(...plan.value.units);
    if (left.length > 0 || !waiting.has(session)) waiting.set(session, left);
    if (isUnfinished) unfinished.add(session);
  }
  const failure = plans.find((plan) => plan.status === 'rejected');
  if (failure !== undefined && units.length === 0) throw failure.reason;
  return { units, waiting, unfinished };
}

/** Units of equal length for a run that cannot be cut into topics. */
async function unitsOfEqualLength({ store, scope }: ConsolidationContext, { session, episodes }: PendingRun) {
  const turns = await store.get(scope, 'episode', episodes);
  const units: PlannedUnit[] = [];
  for (let start = 0; start < turns.length; start += TURNS_PER_UNIT)
    units.push({ session, trigger: 'end', episodes: turns.slice(start, start + TURNS_PER_UNIT) });
  return { session, units, left: [], isUnfinished: false };
}

/** The units of a run that is complete. */
export async function planWhole(
  context: ConsolidationContext,
  run: PendingRun,
): Promise<readonly PlannedUnit[]> {
  return (await planTurns(context, run, { ended: true, buffered: 0, enough: run.episodes.length })).units;
}

/** Number of turns of a long run that are planned first; usually enough for units. */
const TURNS_PLANNED_FIRST = 1_024;

async function planRun(
  context: ConsolidationContext,
  run: PendingRun,
  { ended, asked, enough }: { ended: boolean; asked: PlanBatchOptions['asked']; enough: number },
) {
  const { session, episodes } = run;
  const isLong = context.profile.partition.by !== 'session' && episodes.length > TURNS_PLANNED_FIRST;
  const planned = isLong ? { ...run, episodes: episodes.slice(0, TURNS_PLANNED_FIRST) } : run;
  const plan = await planTurns(context, planned, {
    ended: ended && !isLong,
    buffered: run.isTail ? (asked?.(session) ?? 0) : 0,
    enough,
  });
  if (!isLong || plan.units.length > 0) return isLong ? { ...plan, isUnfinished: true } : plan;
  return planTurns(context, run, { ended, buffered: 0, enough });
}

async function planTurns(
  context: ConsolidationContext,
  run: PendingRun,
  { ended, buffered, enough }: { ended: boolean; buffered: number; enough: number },
) {
  const { session } = run;
  const turns = await pendingTurns(context, run);
  const { units, tail, isUnfinished } = await planPartition(turns, {
    partition: context.profile.partition,
    segmenter: segmenterFor(context),
    buffered: Math.min(turns.length, buffered),
    ended,
    enough,
    limits: ended && context.profile.tier === 'llm' ? WHOLE_SESSION_LIMITS : BUFFER_LIMITS,
    signal: context.calls.signal,
  });
  const planned = units.map(
    ({ trigger, turns: members }): PlannedUnit => ({
      session,
      trigger,
      episodes: members.map(({ episode }) => episode),
    }),
  );
  return { session, units: planned, left: tail.map(({ episode }) => episode), isUnfinished };
}

/**
 * The segmenter with this run's options. If the model's reply is unusable or missing, it falls back to cutting by
 * similarity.
 */
function segmenterFor({ stages: { segmenter }, calls }: ConsolidationContext): Segmenter | null {
  if (segmenter === null) return null;
  return {
    boundaries: async (turns) => {
      try {
        return await segmenter.boundaries(turns, calls);
      } catch (error) {
        if (!isCausedByTurns(error) && !isUnexplained(error)) throw error;
        return new SimilaritySegmenter().boundaries(turns, calls);
      }
    },
  };
}

async function pendingTurns(
  { store, scope, index: { episodes, dimension } }: ConsolidationContext,
  run: PendingRun,
): Promise<PendingTurn[]> {
  const none = new Float32Array(dimension);
  return (await store.get(scope, 'episode', run.episodes)).map((episode) => ({
    ...turnToRead(episode),
    vector: episodes.vectors.get(episodes.ids.ordinalOf(episode.id)!) ?? none,
    episode,
  }));
}

/** The units of the next batch. A rest of fewer than half a batch belongs to it, so that no batch is small. */
export function firstUnits<Unit extends { readonly episodes: readonly unknown[] }>(
  units: readonly Unit[],
  turns: number,
): readonly Unit[] {
  let taken = 0;
  const beyond = units.findIndex(({ episodes }) => {
    const isFull = taken >= turns;
    taken += episodes.length;
    return isFull;
  });
  if (beyond === -1 || turnsIn(units.slice(beyond)) < turns / 2) return units;
  return units.slice(0, beyond);
}

export function turnsIn(units: readonly { readonly episodes: readonly unknown[] }[]): number {
  return units.reduce((sum, { episodes }) => sum + episodes.length, 0);
}

import type { Episode } from '../../model/nodes.ts';
import { planPartition } from '../segment/plan-partition.ts';
import type { Segmenter, TurnToSegment } from '../segment/segmenter.ts';
import { SimilaritySegmenter } from '../segment/similarity-segmenter.ts';
import type { ConsolidationContext } from './consolidation-context.ts';
import { liesInTurns } from './failure-kind.ts';
import { type PendingRun, pendingRuns } from './pending-runs.ts';
import { type PlannedUnit, turnToRead } from './unit.ts';

export interface PlanBatchOptions {
  /** No turn of these sessions will follow: their buffers are emptied. */
  readonly ended: boolean;
  /** Default: all sessions that have pending turns. */
  readonly sessions?: ReadonlySet<string> | undefined;
  /** Sessions whose tails are known to wait. */
  readonly settled?: ReadonlySet<string> | undefined;
  /** Runs are taken until they have so many turns. */
  readonly turns: number;
  /** How many turns of a session's tail have been looked at before: what they trigger has been asked already. */
  readonly asked?: (session: string) => number;
}

export interface BatchPlan {
  readonly units: readonly PlannedUnit[];
  /** The turns of each session that was looked at that stay in the buffer, in order. */
  readonly waiting: ReadonlyMap<string, readonly Episode[]>;
}

interface PendingTurn extends TurnToSegment {
  readonly episode: Episode;
}

/**
 * Which of the pending turns are complete units now (GAM Algorithm 2). What stands before turns that are consolidated
 * already is complete in any case.
 *
 * @throws CancelledError, and what the segmenter throws; nothing is changed by planning.
 */
export async function planBatch(
  context: ConsolidationContext,
  { ended, sessions, settled, turns, asked }: PlanBatchOptions,
): Promise<BatchPlan> {
  const runs = pendingRuns(context.index, { sessions, settled, turns });
  const plans = await Promise.all(
    runs.map(async (run) => planRun(context, run, { ended: ended || !run.isTail, asked })),
  );
  const waiting = new Map<string, readonly Episode[]>();
  for (const { session, left } of plans)
    if (left.length > 0 || !waiting.has(session)) waiting.set(session, left);
  return { units: plans.flatMap(({ units }) => units), waiting };
}

async function planRun(
  context: ConsolidationContext,
  run: PendingRun,
  { ended, asked }: { ended: boolean; asked: PlanBatchOptions['asked'] },
) {
  const { session } = run;
  const turns = await pendingTurns(context, run);
  const { units, tail } = await planPartition(turns, {
    partition: context.profile.partition,
    segmenter: segmenterFor(context),
    buffered: Math.min(turns.length, run.isTail ? (asked?.(session) ?? 0) : 0),
    ended,
    signal: context.calls.signal,
  });
  const planned = units.map(
    ({ trigger, turns: members }): PlannedUnit => ({
      session,
      trigger,
      episodes: members.map(({ episode }) => episode),
    }),
  );
  return { session, units: planned, left: tail.map(({ episode }) => episode) };
}

/** With this run's options; turns that a model makes nothing of are cut by likeness. */
function segmenterFor({ stages: { segmenter }, calls }: ConsolidationContext): Segmenter | null {
  if (segmenter === null) return null;
  return {
    boundaries: async (turns) => {
      try {
        return await segmenter.boundaries(turns, calls);
      } catch (error) {
        if (!liesInTurns(error)) throw error;
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

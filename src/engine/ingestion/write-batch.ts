import type { ConsolidationContext, PlannedUnit } from '../../ingest/consolidation-context.ts';
import { lastForgetting } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { describeFailure, isDefect } from '../../ingest/local-fallback.ts';
import { type BatchResolution, isBasedOn, resolveBatch } from '../../ingest/resolve/entity-resolution.ts';
import { LocalResolutionJudge } from '../../ingest/resolve/local-resolution-judge.ts';
import { LocalRelator } from '../../ingest/segment/relate/segment-relator.ts';
import type { IngestStages } from '../../ingest/stages.ts';
import { LocalSuperseder } from '../../ingest/supersede/local-superseder.ts';
import { areAllPending, type BuiltBatch, buildBatch, commitBatch } from '../../ingest/write/build-batch.ts';
import type { BatchReading } from '../../ingest/write/read-batch.ts';

export interface BatchToWrite {
  readonly reading: BatchReading;
  readonly resolution: BatchResolution;
  readonly built: BuiltBatch;
}

type WrittenBatch = Pick<BatchToWrite, 'reading' | 'built'>;

interface WriteOptions {
  /** Whether a batch under which memory changed is resolved by rules, now. */
  readonly isLast: boolean;
  /** Whether units that cannot be written are set aside. */
  readonly setsAside: boolean;
}

/**
 * Writes a batch while no other writer runs. Returns null and writes nothing if memory changed since its names were
 * resolved; with `isLast` only after a forgetting.
 */
export async function writeBatch(
  context: ConsolidationContext,
  { reading, resolution, built }: BatchToWrite,
  { isLast, setsAside }: WriteOptions,
): Promise<WrittenBatch | null> {
  const units = [...reading.read, ...reading.failed];
  const isCurrent = isBasedOn(context, resolution) && areAllPending(context, units);
  // A reading made beside turns that were removed since may contain their text: read it again.
  if (isOutdated(context, reading) || (!isCurrent && !isLast)) return null;
  const write = async (batch: WrittenBatch) => {
    await commitBatch(context, batch.built);
    return batch;
  };
  try {
    return await write(isCurrent ? { reading, built } : await rebuilt(context, reading));
  } catch (error) {
    if (!setsAside || !(await liesInUnit(context, error))) throw error;
    return write(await rebuilt(context, allSetAside(reading, error)));
  }
}

/** The part of a reading that is not consolidated yet. */
export function stillPending(context: IngestContext, reading: BatchReading): BatchReading {
  const { read, failed, stoppedBy } = reading;
  if (isOutdated(context, reading))
    return { read: [], failed: [], stoppedBy, forgotten: lastForgetting(context.index) };
  const isPending = (unit: PlannedUnit) => areAllPending(context, [unit]);
  return { ...reading, read: read.filter(isPending), failed: failed.filter(isPending) };
}

/** Sets aside units that cannot be resolved or built, before anything is written. */
export async function withoutUnbuildable(
  context: ConsolidationContext,
  reading: BatchReading,
): Promise<BatchReading> {
  try {
    const resolution = await resolveBatch(context, reading.read);
    await buildBatch(context, buildable(reading, resolution));
    return reading;
  } catch (error) {
    if (!(await liesInUnit(context, error))) throw error;
    return allSetAside(reading, error);
  }
}

/** False if the embedder fails for any text, as when its device is gone: then the unit is not the cause. */
async function liesInUnit({ embedder }: Pick<IngestContext, 'embedder'>, error: unknown): Promise<boolean> {
  if (!isDefect(error)) return false;
  return embedder.embed(['a'], { as: 'passage' }).then(
    () => true,
    () => false,
  );
}

function allSetAside(reading: BatchReading, error: unknown): BatchReading {
  const failed = reading.read.map((unit) => ({ ...unit, ...describeFailure(error), attempts: 1 }));
  return { ...reading, read: [], failed: [...reading.failed, ...failed] };
}

export function buildable({ read, failed }: BatchReading, resolution: BatchResolution) {
  return { read, failed, resolved: resolution, fallback: resolution.fallback };
}

/** Whether something was forgotten after the reading. */
function isOutdated({ index }: IngestContext, { forgotten }: BatchReading): boolean {
  return forgotten !== undefined && lastForgetting(index) !== forgotten;
}

/** Resolves a stale batch a last time while no other writer runs; by rules, because they are fast. */
async function rebuilt(context: ConsolidationContext, reading: BatchReading): Promise<WrittenBatch> {
  const local = { ...context, stages: localStages(context.stages), calls: {} };
  const pending = stillPending(context, reading);
  const resolution = await resolveBatch(local, pending.read);
  return { reading: pending, built: await buildBatch(local, buildable(pending, resolution)) };
}

/** The stages without the ones that call a model. */
export function localStages({ judge, relator, superseder, ...stages }: IngestStages): IngestStages {
  return {
    ...stages,
    judge: judge && new LocalResolutionJudge(),
    relator: relator && new LocalRelator(),
    superseder: superseder && new LocalSuperseder(),
    describer: null,
  };
}

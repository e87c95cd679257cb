import { type CommittedBatch, type IngestionSteps, turnsIn } from '../../../graphs/ingestion/nodes.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { BufferedTurns } from '../../ingest/admit/admit-turns.ts';
import type { EchoFilter } from '../../ingest/admit/echo-filter.ts';
import type { ConsolidationContext, PlannedUnit, ReaderHealth } from '../../ingest/consolidation-context.ts';
import { lastForgetting } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { describeFailure, isDefect } from '../../ingest/local-fallback.ts';
import type { IngestProfile } from '../../ingest/profile.ts';
import { type BatchResolution, resolveBatch } from '../../ingest/resolve/entity-resolution.ts';
import { LocalResolutionJudge } from '../../ingest/resolve/local-resolution-judge.ts';
import { LocalRelator } from '../../ingest/segment/relate/segment-relator.ts';
import type { IngestStages } from '../../ingest/stages.ts';
import { LocalSuperseder } from '../../ingest/supersede/local-superseder.ts';
import { areAllPending, type BuiltBatch, buildBatch, commitBatch } from '../../ingest/write/build-batch.ts';
import { planBatch } from '../../ingest/write/plan-batch.ts';
import { type BatchReading, readBatch } from '../../ingest/write/read-batch.ts';
import type { HierarchyProgress, HierarchyReport } from '../hierarchy/hierarchy-keeper.ts';
import type { BufferWatch } from './buffer-watch.ts';
import type { EnrichmentCounts } from './enrichment-report.ts';

/** Local tier: limits how long one commit holds the thread, so that searches stay quick. */
const TURNS_PER_BATCH = 128;
/** The llm tier: a few sessions in parallel, so that little paid work is lost when the run stops. */
const TURNS_PER_MODEL_BATCH = 128;

/** What the steps need of the engine. */
export interface ScopeAccess {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  readonly recalled: EchoFilter;
  /** The current index and the embedder of its vectors. */
  read(): Promise<IngestContext>;
  buffer(turns: readonly unknown[], signal: AbortSignal | undefined): Promise<BufferedTurns>;
  /** Runs a job while no other writer runs. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  /** Whether turns must wait because rows that they might be resolved against are hidden. */
  isPaused(): boolean;
  /** Updates the category hierarchy after consolidation; null if that is not automatic. */
  readonly organize: ((request: OrganizeRequest) => Promise<HierarchyReport | null>) | null;
}

export interface OrganizeRequest extends ModelCallOptions {
  /** Whether sessions end here. */
  readonly ended: boolean;
  readonly onProgress?: (progress: HierarchyProgress) => void;
}

export interface StepOptions {
  readonly calls: ModelCallOptions;
  /** Shared by all runs. */
  readonly watch: BufferWatch;
  readonly health: ReaderHealth;
  /** Processes units one by one; a unit that cannot be built or written is set aside. */
  readonly isolates?: boolean;
  /** Called after each commit with its counts and the number of waiting turns. */
  readonly onCommit: (counts: EnrichmentCounts, pending: number) => void;
}

/** The steps of one run of the ingestion graph over one scope. */
export function ingestionSteps(
  access: ScopeAccess,
  { calls, watch, health, onCommit, isolates = false }: StepOptions,
): IngestionSteps {
  const { profile, stages } = access;
  const contextOver = async (context: IngestContext): Promise<ConsolidationContext> => ({
    ...context,
    recalled: await access.recalled.load(),
    profile,
    stages,
    health,
    calls,
  });
  const context = async () => contextOver(await access.read());
  /** When units are processed one by one, uses rules, so that a model's failure does not set a unit aside. */
  const contextToBuild = async () => {
    const usual = await context();
    return isolates ? { ...usual, stages: localStages(usual.stages) } : usual;
  };
  const onlyPending = async (units: readonly PlannedUnit[]) => {
    const now = await access.read();
    return units.filter((unit) => areAllPending(now, [unit]));
  };
  return {
    turnsPerBatch: isolates ? 1 : profile.tier === 'local' ? TURNS_PER_BATCH : TURNS_PER_MODEL_BATCH,

    async buffer(turns) {
      const { result, sessions } = await access.buffer(turns, calls.signal);
      return { outcomes: result.outcomes, sessions: [...sessions.keys()] };
    },

    async plan({ ended, sessions, settled }) {
      const plan = await planBatch(await context(), {
        ended,
        sessions: sessions === null ? undefined : new Set(sessions),
        settled: new Set(settled),
        turns: this.turnsPerBatch,
        asked: (session) => watch.checked(session),
      });
      for (const [session, waiting] of plan.waiting) {
        // If a session was not planned to its end, its waiting turns were checked nevertheless.
        const complete = plan.units.filter((unit) => unit.session === session);
        watch.noteCheck(session, { complete: complete.flatMap(({ episodes }) => episodes), waiting });
      }
      return plan;
    },

    // Skips units that were corrected after planning, to save model calls.
    read: async (units) => {
      const reading = await readBatch(await context(), await onlyPending(units));
      return isolates ? withoutUnbuildable(await contextToBuild(), reading) : reading;
    },
    resolve: async ({ read }) => resolveBatch(await contextToBuild(), read),
    build: async ({ reading, resolution }) =>
      buildBatch(await contextToBuild(), buildable(reading, resolution)),

    async commit({ reading, resolution }, built, isLast): Promise<CommittedBatch | null> {
      const { read, failed } = reading;
      if (read.length + failed.length === 0) return { stoppedBy: reading.stoppedBy };
      const written = await access.write(async (writing) => {
        const isCurrent = isBasedOn(writing, resolution) && areAllPending(writing, [...read, ...failed]);
        // A reading made beside turns that were removed since may contain their text: read it again.
        if (isOutdated(writing, reading) || (!isCurrent && !isLast)) return null;
        const rebuilding = async () => rebuilt(await contextOver(writing), reading);
        const write = async (batch: { reading: BatchReading; built: BuiltBatch }) => {
          await commitBatch(writing, batch.built);
          return batch;
        };
        const batch = await write(isCurrent ? { reading, built } : await rebuilding()).catch(
          async (error: unknown) => {
            if (!isolates || !(await liesInUnit(writing, error))) throw error;
            const setAside = allSetAside(reading, error);
            return write(await rebuilt(await contextOver(writing), setAside));
          },
        );
        onCommit(
          {
            ...batch.built,
            consolidated: turnsIn(batch.reading.read),
            setAside: turnsIn(batch.reading.failed),
          },
          writing.index.enrichment.pending.size,
        );
        return batch;
      });
      if (written === null) return null;
      await access.recalled.follow(written.built.changes);
      return { ...written, stoppedBy: reading.stoppedBy ?? resolution.fallback.stoppedBy };
    },

    async stillPending(reading) {
      const { read, failed, stoppedBy } = reading;
      const now = await access.read();
      if (isOutdated(now, reading))
        return { read: [], failed: [], stoppedBy, forgotten: lastForgetting(now.index) };
      const isPending = (unit: PlannedUnit) => areAllPending(now, [unit]);
      return {
        read: read.filter(isPending),
        failed: failed.filter(isPending),
        stoppedBy,
        forgotten: reading.forgotten,
      };
    },
  };
}

/** Sets aside units that cannot be resolved or built, before anything is written. */
async function withoutUnbuildable(
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

function buildable({ read, failed }: BatchReading, resolution: BatchResolution) {
  return { read, failed, resolved: resolution, fallback: resolution.fallback };
}

/** Whether something was forgotten after the reading. */
function isOutdated({ index }: IngestContext, { forgotten }: BatchReading): boolean {
  return forgotten !== undefined && lastForgetting(index) !== forgotten;
}

/** Whether the entities and corrections that names were resolved against are unchanged. */
function isBasedOn({ index: { entities, corrections } }: IngestContext, { basis }: BatchResolution): boolean {
  return (
    entities === basis.entities &&
    entities.revision === basis.revision &&
    corrections.revision === basis.corrections
  );
}

/** Resolves a stale batch a last time while no other writer runs; by rules, because they are fast. */
async function rebuilt(
  context: ConsolidationContext,
  { read, failed, stoppedBy, forgotten }: BatchReading,
): Promise<{ reading: BatchReading; built: BuiltBatch }> {
  const stages = localStages(context.stages);
  const isPending = (unit: PlannedUnit) => areAllPending(context, [unit]);
  const reading = { read: read.filter(isPending), failed: failed.filter(isPending), stoppedBy, forgotten };
  const local = { ...context, stages, calls: {} };
  const resolution = await resolveBatch(local, reading.read);
  return { reading, built: await buildBatch(local, buildable(reading, resolution)) };
}

/** The stages without the ones that call a model. */
function localStages({ judge, relator, superseder, ...stages }: IngestStages): IngestStages {
  return {
    ...stages,
    judge: judge && new LocalResolutionJudge(),
    relator: relator && new LocalRelator(),
    superseder: superseder && new LocalSuperseder(),
    describer: null,
  };
}

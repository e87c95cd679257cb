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

/** Of the local tier: what one commit may hold the thread for, so that searches stay quick beside it. */
const TURNS_PER_BATCH = 128;
/** Of the llm tier: a few sessions side by side, so that little is read in vain when the work stops. */
const TURNS_PER_MODEL_BATCH = 128;

/** What the steps need of the engine. */
export interface ScopeAccess {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  readonly recalled: EchoFilter;
  /** What reads go by now: an index and the embedder of its vectors. */
  read(): Promise<IngestContext>;
  buffer(turns: readonly unknown[], signal: AbortSignal | undefined): Promise<BufferedTurns>;
  /** Runs a job while nobody else writes. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  /** Whether turns must wait, since rows that they might be resolved against are hidden. */
  isPaused(): boolean;
  /** Brings the category hierarchy up to date once turns are consolidated; null where that is not done by itself. */
  readonly organize: ((request: OrganizeRequest) => Promise<HierarchyReport | null>) | null;
}

export interface OrganizeRequest extends ModelCallOptions {
  /** Whether sessions end here. */
  readonly ended: boolean;
  readonly onProgress?: (progress: HierarchyProgress) => void;
}

export interface StepOptions {
  readonly calls: ModelCallOptions;
  /** Kept from run to run. */
  readonly watch: BufferWatch;
  readonly health: ReaderHealth;
  /** Units are taken one by one; one that a defect keeps from being built or written is set aside. */
  readonly isolates?: boolean;
  /** Told what each commit brought, and how many turns still wait. */
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
  /** Of a batch that is gone through unit by unit: by rules, so that a model's stage cannot be what fails. */
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
        asked: (session) => watch.asked(session),
      });
      for (const [session, waiting] of plan.waiting) {
        // What is waiting of a session that is not planned to its end has been asked about all the same.
        const complete = plan.units.filter((unit) => unit.session === session);
        watch.looked(session, { complete: complete.flatMap(({ episodes }) => episodes), waiting });
      }
      return plan;
    },

    // A unit that was corrected since it was planned is not paid for.
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
        // What was read beside turns that are gone now may speak of them: it is read anew.
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

/** A unit over which resolving or building trips is set aside before anything is written. */
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

/** An embedder that fails at any text, as where its device is gone, says nothing of a unit. */
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

/** Whether something was forgotten since. */
function isOutdated({ index }: IngestContext, { forgotten }: BatchReading): boolean {
  return forgotten !== undefined && lastForgetting(index) !== forgotten;
}

/** Whether the entities of memory, and what people have corrected of them, are still what names were resolved against. */
function isBasedOn({ index: { entities, corrections } }: IngestContext, { basis }: BatchResolution): boolean {
  return (
    entities === basis.entities &&
    entities.revision === basis.revision &&
    corrections.revision === basis.corrections
  );
}

/** A batch under which memory goes on changing, once more while nobody else writes: by rules, which take no time. */
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

/** Stages that ask no model. */
function localStages({ judge, relator, superseder, ...stages }: IngestStages): IngestStages {
  return {
    ...stages,
    judge: judge && new LocalResolutionJudge(),
    relator: relator && new LocalRelator(),
    superseder: superseder && new LocalSuperseder(),
    describer: null,
  };
}

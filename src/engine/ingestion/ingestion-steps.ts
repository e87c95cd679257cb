import { type CommittedBatch, type IngestionSteps, turnsIn } from '../../../graphs/ingestion/nodes.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { BufferedTurns } from '../../ingest/buffer-turns.ts';
import { buildBatch } from '../../ingest/consolidate/build-batch.ts';
import { areAllPending, commitBatch } from '../../ingest/consolidate/commit-batch.ts';
import type { ConsolidationContext } from '../../ingest/consolidate/consolidation-context.ts';
import { planBatch } from '../../ingest/consolidate/plan-batch.ts';
import { readBatch } from '../../ingest/consolidate/read-batch.ts';
import { resolveBatch } from '../../ingest/consolidate/resolve-batch.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { IngestProfile } from '../../ingest/profile.ts';
import type { IngestStages } from '../../ingest/stages.ts';
import type { BufferWatch } from './buffer-watch.ts';
import type { EnrichmentCounts } from './enrichment-report.ts';
import type { RecalledKeeper } from './recalled-keeper.ts';

/** Of the local tier: what one commit may hold the thread for, so that searches stay quick beside it. */
const TURNS_PER_BATCH = 128;
/** Of the llm tier: a few sessions side by side, so that little is read in vain when the work stops. */
const TURNS_PER_MODEL_BATCH = 128;

/** What the steps need of the engine. */
export interface ScopeAccess {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  readonly recalled: RecalledKeeper;
  /** What reads go by now: an index and the embedder of its vectors. */
  read(): Promise<IngestContext>;
  buffer(turns: readonly unknown[], signal: AbortSignal | undefined): Promise<BufferedTurns>;
  /** Runs a job while nobody else writes. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
}

export interface StepOptions {
  readonly calls: ModelCallOptions;
  /** Kept from run to run. */
  readonly watch: BufferWatch;
  /** Told what each commit brought, and how many turns still wait. */
  readonly onCommit: (counts: EnrichmentCounts, pending: number) => void;
}

/** The steps of one run of the ingestion graph over one scope. */
export function ingestionSteps(access: ScopeAccess, { calls, watch, onCommit }: StepOptions): IngestionSteps {
  const { profile, stages } = access;
  const context = async (): Promise<ConsolidationContext> => ({
    ...(await access.read()),
    recalled: await access.recalled.load(),
    profile,
    stages,
    calls,
  });
  return {
    turnsPerBatch: profile.tier === 'local' ? TURNS_PER_BATCH : TURNS_PER_MODEL_BATCH,

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
        const complete = plan.units.filter((unit) => unit.session === session);
        watch.looked(session, { complete: complete.flatMap(({ episodes }) => episodes), waiting });
      }
      return plan;
    },

    read: async (units) => readBatch(await context(), units),
    resolve: async ({ read }) => resolveBatch(await context(), read),
    build: async ({ reading: { read, failed }, resolution }) =>
      buildBatch(await context(), { read, failed, resolved: resolution, setbacks: resolution.setbacks }),

    async commit({ reading, resolution }, built): Promise<CommittedBatch | null> {
      const { read, failed } = reading;
      if (read.length + failed.length > 0) {
        const isWritten = await access.write(async (writing) => {
          const { basis } = resolution;
          const { entities } = writing.index;
          if (entities !== basis.entities || entities.revision !== basis.revision) return false;
          if (!areAllPending(writing, [...read, ...failed])) return false;
          await commitBatch(writing, built);
          const counts = { ...built, consolidated: turnsIn(read), setAside: turnsIn(failed) };
          onCommit(counts, writing.index.enrichment.pending.size);
          return true;
        });
        if (!isWritten) return null;
        await access.recalled.follow(built.changes);
      }
      return { stoppedBy: reading.stoppedBy ?? resolution.setbacks.stoppedBy };
    },

    async stillPending({ read, failed, stoppedBy }) {
      const now = await access.read();
      return {
        read: read.filter((unit) => areAllPending(now, [unit])),
        failed: failed.filter((unit) => areAllPending(now, [unit])),
        stoppedBy,
      };
    },
  };
}

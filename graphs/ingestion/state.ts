import { StateSchema, UntrackedValue } from '@langchain/langgraph';
import { z } from 'zod';
import type { PlannedUnit } from '../../src/ingest/consolidation-context.ts';
import type { BatchResolution } from '../../src/ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../src/ingest/write/build-batch.ts';
import type { BatchReading } from '../../src/ingest/write/read-batch.ts';

const count = z.number().default(0);

/**
 * The state of the ingestion graph: input is turns, output is counts of what was written. Texts and the inputs of a
 * single run are not checkpointed, so a thread that runs again does not add its turns again.
 */
export const IngestionState = new StateSchema({
  /** The scope to write. */
  scope: z.string().default('default'),
  /** New turns, as for `add`; empty to consolidate waiting turns. */
  turns: new UntrackedValue(z.array(z.unknown())),
  /** Whether sessions end here, which empties the buffer (`flush`). */
  ended: new UntrackedValue(z.boolean()),
  /** Only these sessions are considered; null for all that have waiting turns. */
  sessions: new UntrackedValue(z.array(z.string()).nullable()),
  /** Set by `buffer`: one outcome per turn. */
  outcomes: z.array(z.unknown()).default([]),
  /** Sessions known to have no complete unit; they are skipped. */
  settled: new UntrackedValue(z.array(z.string())),
  /** Set by `plan`: how many turns of each session stay in the buffer. */
  waiting: z.record(z.string(), z.number()).default({}),
  /** Set by `plan`: turns in complete units. */
  planned: count,
  /** Set by `commit`, over all batches of the run. */
  consolidated: count,
  segments: count,
  entities: count,
  facts: count,
  /** Stored facts for which new turns added evidence. */
  repeated: count,
  /** Facts, stored or new, that newer ones have ended or corrected. */
  outdated: count,
  setAside: count,
  /** Why the run ended early, in one sentence; the remaining turns stay waiting. */
  stopped: z.string().nullable().default(null),

  /** Complete units that are not consolidated yet: set by `plan`; `commit` removes those of its batch. */
  units: new UntrackedValue<readonly PlannedUnit[]>(),
  /** The current batch, passed between nodes. */
  reading: new UntrackedValue<BatchReading>(),
  resolution: new UntrackedValue<BatchResolution>(),
  built: new UntrackedValue<BuiltBatch>(),
  /** Set by `commit`: how often memory changed during the batch. */
  staleness: new UntrackedValue<number>(),
  /** The error behind `stopped`. */
  stoppedBy: new UntrackedValue<unknown>(),
});

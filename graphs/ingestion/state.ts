import { StateSchema, UntrackedValue } from '@langchain/langgraph';
import { z } from 'zod';
import type { PlannedUnit } from '../../src/ingest/consolidation-context.ts';
import type { BatchResolution } from '../../src/ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../src/ingest/write/build-batch.ts';
import type { BatchReading } from '../../src/ingest/write/read-batch.ts';

const count = z.number().default(0);

/**
 * The state of the ingestion graph: turns go in, counts of what memory learned come out. What holds texts, and what
 * asks for one run only, is not kept in checkpoints: a thread that runs again does not add its turns again.
 */
export const IngestionState = new StateSchema({
  /** Whose memory learns. */
  scope: z.string().default('default'),
  /** New turns, as `add` takes them; empty to consolidate what waits. */
  turns: new UntrackedValue(z.array(z.unknown())),
  /** Whether sessions end here, so that nothing stays in the buffer (`flush`). */
  ended: new UntrackedValue(z.boolean()),
  /** Only these sessions are looked at; null for all that have waiting turns. */
  sessions: new UntrackedValue(z.array(z.string()).nullable()),
  /** Filled by `buffer`: what became of each turn. */
  outcomes: z.array(z.unknown()).default([]),
  /** Sessions that are known to have no complete unit, and are not looked at. */
  settled: new UntrackedValue(z.array(z.string())),
  /** Filled by `plan`: how many turns of which sessions stay in the buffer. */
  waiting: z.record(z.string(), z.number()).default({}),
  /** Filled by `plan`: turns in complete units. */
  planned: count,
  /** Filled by `commit`, over all batches of the run. */
  consolidated: count,
  segments: count,
  entities: count,
  facts: count,
  /** Facts that memory had already and that new turns bear out as well. */
  repeated: count,
  /** Facts, of memory or new, that newer ones have ended or corrected. */
  outdated: count,
  setAside: count,
  /** Why the run ended early, in one sentence; what is not consolidated waits. */
  stopped: z.string().nullable().default(null),

  /** Units that are complete and not consolidated yet: set by `plan`, the batch's are taken off by `commit`. */
  units: new UntrackedValue<readonly PlannedUnit[]>(),
  /** The batch under way, from node to node. */
  reading: new UntrackedValue<BatchReading>(),
  resolution: new UntrackedValue<BatchResolution>(),
  built: new UntrackedValue<BuiltBatch>(),
  /** Set by `commit`: how often memory has changed under the batch. */
  staleness: new UntrackedValue<number>(),
  /** The error behind `stopped`. */
  stoppedBy: new UntrackedValue<unknown>(),
});

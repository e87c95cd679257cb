import type { AddResult } from '../../src/ingest/admit/plan-episodes.ts';
import type { BatchResolution } from '../../src/ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../src/ingest/write/build-batch.ts';
import type { BatchReading } from '../../src/ingest/write/read-batch.ts';
import type { Usage } from '../../src/model/retrieved-item.ts';
import type { IngestionState, UnitReference } from './state.ts';

/** What goes with each step. */
export interface StepCall {
  /** Ends the step's calls of a language model. */
  readonly signal: AbortSignal | undefined;
  /** Tokens that the run may spend, and has spent; null: no limit. */
  readonly budget: { readonly limit: number; readonly spent: number } | null;
  /** Whether each unit is a batch: a unit that cannot be built or written is set aside. */
  readonly oneByOne: boolean;
}

export interface PlanRequest {
  /** Whether sessions end here. */
  readonly ended: boolean;
  /** Null: all that have waiting turns. */
  readonly sessions: readonly string[] | null;
}

/** Why the run must end: a sentence without text of the turns. */
export interface Stop {
  readonly code: string;
  readonly reason: string;
}

/** A result with the calls and tokens that it cost. */
export type Costed<Result> = Result & { readonly usage: Usage };

type Units = readonly UnitReference[];

/**
 * The operations on one scope that the graph needs. A batch is given by reference; its steps may come in any order, in
 * any process: what an earlier step would have computed is computed where it is missing. Only `buffer` and `commit`
 * write.
 *
 * @throws CancelledError when the signal fires, and what the store throws.
 */
export interface IngestionSteps {
  /** Number of turns per batch; a unit is never split. */
  readonly turnsPerBatch: number;
  /** @returns also the sessions of the stored turns. */
  buffer(
    turns: readonly unknown[],
    call: StepCall,
  ): Promise<{ readonly result: AddResult; readonly sessions: readonly string[] }>;
  /** Complete units, enough for a batch; none if nothing more is complete. Changes nothing. */
  plan(request: PlanRequest, call: StepCall): Promise<Costed<{ units: UnitReference[]; stop: Stop | null }>>;
  /** Those of these sessions that have waiting turns. */
  waiting(sessions: readonly string[] | null): Promise<ReadonlyMap<string, { readonly turns: number }>>;
  read(batch: Units, call: StepCall): Promise<Costed<BatchReading>>;
  resolve(batch: Units, call: StepCall): Promise<Costed<BatchResolution>>;
  build(batch: Units, call: StepCall): Promise<Costed<BuiltBatch>>;
  /**
   * Writes the batch in one transaction, without units that are not pending any more. If memory changed since names
   * were resolved, it writes nothing and returns the units to resolve again (`stale`). With `isLast` it resolves the
   * changed parts by rules while no other writer runs, so that writers cannot delay a batch for ever.
   */
  commit(batch: Units, call: StepCall & { readonly isLast: boolean }): Promise<Costed<Committed>>;
}

export interface Committed {
  /** Units to resolve again; null if the batch was written. */
  readonly stale: UnitReference[] | null;
  /** What was written. */
  readonly counts: BatchCounts;
  /** Turns of the scope that still wait. */
  readonly pending: number;
  /** Set if the run must end after this batch. */
  readonly stop: Stop | null;
}

export const COUNTS = [
  'consolidated',
  'segments',
  'entities',
  'facts',
  'repeated',
  'outdated',
  'setAside',
] as const satisfies readonly (keyof IngestionState)[];
export type BatchCounts = Readonly<Pick<IngestionState, (typeof COUNTS)[number]>>;

/** What the steps of a run depend on, from its state. */
export interface StepSettings {
  readonly scope: string;
  readonly profile: string | null;
  readonly tier: 'local' | 'llm' | null;
}

/** The steps from the run's context, else those of the scope. */
export type StepsOf = (
  settings: StepSettings,
  config: { readonly context?: unknown },
) => Promise<IngestionSteps>;

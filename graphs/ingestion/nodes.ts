import type { PlannedUnit } from '../../src/ingest/consolidation-context.ts';
import type { BatchResolution } from '../../src/ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../src/ingest/write/build-batch.ts';
import type { BatchPlan } from '../../src/ingest/write/plan-batch.ts';
import type { BatchReading } from '../../src/ingest/write/read-batch.ts';
import type { IngestionState } from './state.ts';

type State = typeof IngestionState.State;
type Update = typeof IngestionState.Update;

/** A batch with its reading and its resolved names. */
export interface BatchInWork {
  readonly reading: BatchReading;
  readonly resolution: BatchResolution;
}

export interface PlanRequest {
  readonly ended: boolean;
  readonly sessions: readonly string[] | null;
  readonly settled: readonly string[];
}

/** The operations on one scope that the graph needs. The engine passes them per run; Studio supplies a closure. */
export interface IngestionSteps {
  /** Number of turns per batch; a unit is never split. */
  readonly turnsPerBatch: number;
  buffer(turns: readonly unknown[]): Promise<{ outcomes: readonly unknown[]; sessions: readonly string[] }>;
  plan(options: PlanRequest): Promise<BatchPlan>;
  read(units: readonly PlannedUnit[]): Promise<BatchReading>;
  resolve(reading: BatchReading): Promise<BatchResolution>;
  build(batch: BatchInWork): Promise<BuiltBatch>;
  /**
   * Writes the batch. Returns null and writes nothing if memory changed since the batch was read; it must then be
   * resolved again. With `isLast` it resolves the changed parts by rules while no other writer runs, and returns null
   * only after a forgetting.
   */
  commit(batch: BatchInWork, built: BuiltBatch, isLast: boolean): Promise<CommittedBatch | null>;
  /** The part of a reading that is not consolidated yet. */
  stillPending(reading: BatchReading): Promise<BatchReading>;
}

export interface CommittedBatch {
  /** What was written, if it differs from what was built. */
  readonly built?: BuiltBatch;
  readonly reading?: BatchReading;
  /** The error that stops the run after this batch, or null. */
  readonly stoppedBy: unknown;
}

/** The steps from the run's context, else those of the scope in the state. */
export type StepsOf = (
  state: Pick<State, 'scope'>,
  config: { readonly context?: unknown },
) => Promise<IngestionSteps>;
type Config = Parameters<StepsOf>[1];

/** Resets the counters of a previous run. */
const FRESH: Update = {
  outcomes: [],
  waiting: {},
  planned: 0,
  consolidated: 0,
  segments: 0,
  entities: 0,
  facts: 0,
  repeated: 0,
  outdated: 0,
  setAside: 0,
  stopped: null,
};
/**
 * How often a stale batch is resolved again by the profile's judge. The limit keeps concurrent writers from delaying
 * it for ever.
 */
const MOST_STALE = 1;

export function ingestionNodes(stepsOf: StepsOf) {
  return {
    /** Buffering state: stores the new turns and makes them searchable; changes nothing else. */
    async buffer(state: State, config: Config): Promise<Update> {
      const { turns = [], ended = false } = state;
      if (turns.length === 0) return FRESH;
      const { outcomes, sessions } = await (await stepsOf(state, config)).buffer(turns);
      return { ...FRESH, outcomes: [...outcomes], ...(ended ? {} : { sessions: [...sessions] }) };
    },

    /** Requests boundaries for the sessions with a trigger. */
    async plan(state: State, config: Config): Promise<Update> {
      const { ended = false, sessions = null, settled = [] } = state;
      const { units, waiting, unfinished } = await (await stepsOf(state, config)).plan({
        ended,
        sessions,
        settled,
      });
      const left = [...waiting].filter(([session, turns]) => turns.length > 0 && !unfinished.has(session));
      return {
        units,
        waiting: Object.fromEntries(left.map(([session, turns]) => [session, turns.length])),
        planned: turnsIn(units),
      };
    },

    /** Consolidation state, first step: gate, keywords, summary, entities, facts and the self-check of a batch. */
    async read(state: State, config: Config): Promise<Update> {
      const steps = await stepsOf(state, config);
      const batch = firstUnits(state.units, steps.turnsPerBatch);
      return { units: state.units.slice(batch.length), reading: await steps.read(batch) };
    },

    async resolve(state: State, config: Config): Promise<Update> {
      return { resolution: await (await stepsOf(state, config)).resolve(state.reading) };
    },

    /**
     * De-duplicates facts, ends outdated ones, writes descriptions and profiles, and links segments to their nearest
     * neighbours.
     */
    async build(state: State, config: Config): Promise<Update> {
      return { built: await (await stepsOf(state, config)).build(state) };
    },

    /** Commits the batch in one transaction, which removes its turns from the buffer. */
    async commit(state: State, config: Config): Promise<Update> {
      const steps = await stepsOf(state, config);
      const { staleness = 0, built, reading } = state;
      const committed = await steps.commit(state, built, staleness >= MOST_STALE);
      if (committed === null) return { reading: await steps.stillPending(reading), staleness: staleness + 1 };
      const { stoppedBy } = committed;
      return {
        ...counted({ ...state, built: committed.built ?? built, reading: committed.reading ?? reading }),
        staleness: 0,
        ...(stoppedBy === null ? {} : { stoppedBy, stopped: oneSentence(stoppedBy), units: [] }),
      };
    },
  };
}

export function firstUnits(units: readonly PlannedUnit[], turns: number): readonly PlannedUnit[] {
  let taken = 0;
  const beyond = units.findIndex(({ episodes }) => {
    const isFull = taken >= turns;
    taken += episodes.length;
    return isFull;
  });
  return beyond === -1 ? units : units.slice(0, beyond);
}

function counted({ reading: { read, failed }, built, ...before }: State): Update {
  return {
    consolidated: before.consolidated + turnsIn(read),
    segments: before.segments + built.segments,
    entities: before.entities + built.entities,
    facts: before.facts + built.facts,
    repeated: before.repeated + built.repeated,
    outdated: before.outdated + built.outdated,
    setAside: before.setAside + turnsIn(failed),
  };
}

export function turnsIn(units: readonly PlannedUnit[]): number {
  return units.reduce((sum, { episodes }) => sum + episodes.length, 0);
}

function oneSentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { PlannedUnit } from '../../src/ingest/consolidation-context.ts';
import type { BatchResolution } from '../../src/ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../src/ingest/write/build-batch.ts';
import type { BatchPlan } from '../../src/ingest/write/plan-batch.ts';
import type { BatchReading } from '../../src/ingest/write/read-batch.ts';
import type { IngestionState } from './state.ts';

type State = typeof IngestionState.State;
type Update = typeof IngestionState.Update;

/** A batch that is read, and how its names were resolved. */
export interface BatchInWork {
  readonly reading: BatchReading;
  readonly resolution: BatchResolution;
}

export interface PlanRequest {
  readonly ended: boolean;
  readonly sessions: readonly string[] | null;
  readonly settled: readonly string[];
}

/** What the graph needs of one scope's memory. The engine gives one to each run; Studio's come from a closure. */
export interface IngestionSteps {
  /** How many turns make a batch; a unit is never cut. */
  readonly turnsPerBatch: number;
  buffer(turns: readonly unknown[]): Promise<{ outcomes: readonly unknown[]; sessions: readonly string[] }>;
  plan(options: PlanRequest): Promise<BatchPlan>;
  read(units: readonly PlannedUnit[]): Promise<BatchReading>;
  resolve(reading: BatchReading): Promise<BatchResolution>;
  build(batch: BatchInWork): Promise<BuiltBatch>;
  /**
   * Writes the batch. Null: memory has changed under it, nothing was written, and it is to be resolved anew; not with
   * `isLast`, when what has changed is gone over without a model while nobody else writes.
   */
  commit(batch: BatchInWork, built: BuiltBatch, isLast: boolean): Promise<CommittedBatch | null>;
  /** What of a reading is still to be consolidated. */
  stillPending(reading: BatchReading): Promise<BatchReading>;
}

export interface CommittedBatch {
  /** What was written, if it is not what was built before. */
  readonly built?: BuiltBatch;
  readonly reading?: BatchReading;
  /** What is to stop the run after this batch; null when nothing is. */
  readonly stoppedBy: unknown;
}

/** The steps of a run: those in its context, else those of the scope that the state names. */
export type StepsOf = (
  state: Pick<State, 'scope'>,
  config: { readonly context?: unknown },
) => Promise<IngestionSteps>;
type Config = Parameters<StepsOf>[1];

/** A run begins without what the one before it counted. */
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
/** How often a batch is resolved by the profile's judge: whoever writes all the time must not keep it from its end. */
const MOST_STALE = 1;

export function ingestionNodes(stepsOf: StepsOf) {
  return {
    /** Buffering state: new turns are stored and searchable, nothing else is touched. */
    async buffer(state: State, config: Config): Promise<Update> {
      const { turns = [], ended = false } = state;
      if (turns.length === 0) return FRESH;
      const { outcomes, sessions } = await (await stepsOf(state, config)).buffer(turns);
      return { ...FRESH, outcomes: [...outcomes], ...(ended ? {} : { sessions: [...sessions] }) };
    },

    /** Asks for boundaries where a trigger calls for them. */
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

    /** De-duplicates facts, ends outdated ones, writes descriptions and profiles, and joins segments to their nearest ones. */
    async build(state: State, config: Config): Promise<Update> {
      return { built: await (await stepsOf(state, config)).build(state) };
    },

    /** One transaction for the batch; then the buffer is without it. */
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

import { firstUnits } from '../../../graphs/ingestion/nodes.ts';
import type { UnitReference } from '../../../graphs/ingestion/state.ts';
import type {
  BatchCounts,
  Committed,
  Costed,
  IngestionSteps,
  PlanRequest,
  StepCall,
  Stop,
} from '../../../graphs/ingestion/steps.ts';
import { BudgetExhaustedError, MnemisError } from '../../errors/index.ts';
import { UsageMeter } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { ConsolidationContext, PlannedUnit, ReaderHealth } from '../../ingest/consolidation-context.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { describeFailure, isDefect, LocalFallback } from '../../ingest/local-fallback.ts';
import { type BatchResolution, resolveBatch } from '../../ingest/resolve/entity-resolution.ts';
import { areAllPending, type BuiltBatch, buildBatch, failuresOf } from '../../ingest/write/build-batch.ts';
import { planBatch } from '../../ingest/write/plan-batch.ts';
import { type BatchReading, namesRead, readBatch, stillRead } from '../../ingest/write/read-batch.ts';
import type { ScopeQueue } from '../scope-queue.ts';
import type { BatchDesk, BatchInWork } from './batch-desk.ts';
import {
  reportBuilt,
  reportOutcomes,
  reportReading,
  reportResolution,
  reportWaiting,
} from './batch-report.ts';
import { keyOfUnits, pendingUnits, referTo, turnsIn } from './batch-units.ts';
import type { BufferWatch } from './buffer-watch.ts';
import { type EnrichmentCounts, NOTHING_ENRICHED } from './enrichment-report.ts';
import type { IngestionSetup } from './ingestion-setup.ts';
import { eitherOf, restOf, usageSince } from './step-calls.ts';
import { storeTurns } from './store-turns.ts';
import {
  buildable,
  isBasedOn,
  localStages,
  stillPending,
  withoutUnbuildable,
  writeBatch,
} from './write-batch.ts';

/**
 * Turns per commit. In the llm tier these are a few sessions in parallel, so that little paid work is lost when the run
 * stops. By rules they are more: part of what a commit costs does not depend on its size.
 */
const TURNS_PER_BATCH = { llm: 128, local: 384 } as const;

export interface StepOptions {
  readonly setup: IngestionSetup;
  /** For all calls of the run; the signal of a step ends its calls, too. */
  readonly calls: ModelCallOptions;
  /** These three are shared by all runs. */
  readonly watch: BufferWatch;
  readonly health: ReaderHealth;
  readonly desk: BatchDesk;
  /** Batches that are planned at once; of several, the next is read while one is written. Default 1. */
  readonly batchesPlanned?: number;
  /** Called after each commit with its counts and the number of waiting turns. */
  readonly onCommit?: (counts: EnrichmentCounts, pending: number) => void;
}

type Units = readonly UnitReference[];

/** One step of a batch: what the step before left, and how models are called. */
interface StepOfBatch {
  readonly units: Units;
  readonly key: string;
  readonly batch: BatchInWork;
  readonly calls: ModelCallOptions;
  readonly oneByOne: boolean;
}

/** The steps of one run of the ingestion graph over one scope. */
export class EngineIngestionSteps implements IngestionSteps {
  readonly turnsPerBatch: number;
  readonly #scope: ScopeQueue;
  readonly #options: StepOptions;
  readonly #meter: UsageMeter;
  #planned: Units = [];
  #stoppedBy: unknown = null;

  constructor(scope: ScopeQueue, options: StepOptions) {
    this.#scope = scope;
    this.#options = options;
    this.turnsPerBatch = TURNS_PER_BATCH[options.setup.profile.tier];
    this.#meter = options.calls.meter ?? new UsageMeter();
  }

  /** The error behind the state's `stopped`; null if nothing stopped the run. */
  get stoppedBy(): unknown {
    return this.#stoppedBy;
  }

  async buffer(turns: readonly unknown[], { signal }: StepCall) {
    const { result, sessions } = await storeTurns(this.#scope, turns, {
      signal: eitherOf(this.#options.calls.signal, signal),
    });
    return { outcomes: reportOutcomes(result), sessions: [...sessions.keys()] };
  }

  async plan(
    request: PlanRequest,
    call: StepCall,
  ): Promise<Costed<{ units: UnitReference[]; stop: Stop | null }>> {
    return this.#costed(call, async (calls) => {
      try {
        return { units: await this.#plan(request, { calls, oneByOne: call.oneByOne }), stop: null };
      } catch (error) {
        if (!stopsRun(error)) throw error;
        return { units: [], stop: this.#noteStop(error) };
      }
    });
  }

  async waiting(sessions: readonly string[] | null) {
    return reportWaiting((await this.#scope.read()).index, sessions);
  }

  async read(units: Units, call: StepCall) {
    return this.#onBatch(units, call, async (step) => reportReading(await this.#completeReading(step)));
  }

  async resolve(units: Units, call: StepCall) {
    return this.#onBatch(units, call, async (step) => {
      const { batch } = step;
      const context = await this.#scope.read();
      // Names that were resolved against another state of memory, or only by rules, are resolved again.
      const { resolution } = batch;
      if (resolution !== null && (!isBasedOn(context, resolution) || resolution.fallback.stoppedBy !== null))
        Object.assign(batch, { resolution: null, built: null });
      return reportResolution(await this.#resolution(step));
    });
  }

  async build(units: Units, call: StepCall) {
    return this.#onBatch(units, call, async (step) => reportBuilt(await this.#built(step)));
  }

  async commit(units: Units, call: StepCall & { readonly isLast: boolean }): Promise<Costed<Committed>> {
    return this.#onBatch(units, call, (step) => this.#commit(step, call.isLast));
  }

  async #plan(
    { ended, sessions }: PlanRequest,
    { calls, oneByOne }: Pick<StepOfBatch, 'calls' | 'oneByOne'>,
  ): Promise<UnitReference[]> {
    if (this.#scope.isHiding) return [];
    const { watch } = this.#options;
    const settled = new Set<string>();
    for (;;) {
      const context = await this.#contextOver(await this.#scope.read(), calls);
      const { pending } = context.index.enrichment;
      const { units, waiting } = await planBatch(context, {
        ended,
        settled,
        sessions: sessions === null ? undefined : new Set(sessions),
        turns: oneByOne ? 1 : this.turnsPerBatch * (this.#options.batchesPlanned ?? 1),
        asked: (session) => watch.checked(session, pending),
        isSettled: ({ session, episodes }) => watch.isSettled(session, episodes),
      });
      for (const [session, left] of waiting) {
        // If a session was not planned to its end, its waiting turns were checked nevertheless.
        const complete = units.filter((unit) => unit.session === session);
        watch.noteCheck(session, { complete: complete.flatMap(({ episodes }) => episodes), waiting: left });
        if (left.length > 0) settled.add(session);
      }
      if (units.length > 0 || ![...waiting.values()].some((left) => left.length > 0)) {
        this.#planned = units.map(referTo);
        return [...this.#planned];
      }
    }
  }

  /** The reading of a batch; what is missing because an earlier step was stopped is read now. */
  async #completeReading(step: StepOfBatch): Promise<BatchReading> {
    const reading = await this.#readWhole(step);
    if (!step.oneByOne && reading.stoppedBy === null) this.#readAhead(step, reading);
    return reading;
  }

  /** Begins to read the batch that is planned after this one; its names are not in memory yet. */
  #readAhead({ units, calls }: StepOfBatch, { read }: BatchReading): void {
    const at = this.#planned.findIndex(({ episodes }) => episodes[0] === units[0]?.episodes[0]);
    const next = at < 0 ? [] : firstUnits(this.#planned.slice(at + units.length), this.turnsPerBatch);
    if (next.length === 0) return;
    this.#options.desk.ahead.begin(this.#keyOf(next, false), async () => {
      const context = await this.#contextOver(await this.#scope.read(), calls);
      return readBatch(context, await pendingUnits(context, next), { named: namesRead(read) });
    });
  }

  async #readWhole(step: StepOfBatch): Promise<BatchReading> {
    const { batch, units, calls, oneByOne } = step;
    const ahead = batch.reading === null ? await this.#options.desk.ahead.take(step.key) : null;
    if (ahead !== null) {
      const right = stillRead(await this.#contextOver(await this.#scope.read(), calls), ahead);
      // Without a unit it may be older than a forgetting.
      batch.reading = right.read.length > 0 ? right : null;
    }
    const known = batch.reading;
    if (known !== null && known.stoppedBy === null && (ahead === null || isOfAll(known, units))) return known;
    const context = await this.#contextOver(await this.#scope.read(), calls);
    // Skips units that were corrected after planning, to save model calls.
    const pending = await pendingUnits(context, units);
    const earlier = known ?? { read: [], failed: [] };
    const done = new Set([...earlier.read, ...earlier.failed].map(firstTurn));
    const fresh = await readBatch(
      context,
      pending.filter((unit) => !done.has(firstTurn(unit))),
      { named: namesRead(earlier.read) },
    );
    const order = new Map(pending.map((unit, at) => [firstTurn(unit), at]));
    const at = (unit: PlannedUnit) => order.get(firstTurn(unit)) ?? -1;
    const read = [...earlier.read, ...fresh.read].sort((a, b) => at(a) - at(b));
    const { forgotten } = known ?? fresh;
    const reading = { ...fresh, read, failed: [...earlier.failed, ...fresh.failed], forgotten };
    batch.reading = oneByOne ? await withoutUnbuildable(withRules(context), reading) : reading;
    return batch.reading;
  }

  async #reading(step: StepOfBatch): Promise<BatchReading> {
    return step.batch.reading ?? this.#completeReading(step);
  }

  async #resolution(step: StepOfBatch): Promise<BatchResolution> {
    const { read } = await this.#reading(step);
    step.batch.resolution ??= await resolveBatch(await this.#contextToBuild(step), read);
    return step.batch.resolution;
  }

  async #built(step: StepOfBatch): Promise<BuiltBatch> {
    const [reading, resolution] = [await this.#reading(step), await this.#resolution(step)];
    step.batch.built ??= await buildBatch(await this.#contextToBuild(step), buildable(reading, resolution));
    return step.batch.built;
  }

  async #commit(step: StepOfBatch, isLast: boolean): Promise<Committed> {
    const { desk, onCommit } = this.#options;
    const { batch, key, calls, oneByOne } = step;
    const work = {
      reading: await this.#reading(step),
      resolution: await this.#resolution(step),
      built: await this.#built(step),
    };
    const { read, failed } = work.reading;
    if (read.length + failed.length === 0) {
      desk.drop(key);
      return this.#committed(work, NOTHING_ENRICHED);
    }
    let counts: BatchCounts = NOTHING_ENRICHED;
    const written = await this.#scope
      .write(async (context) => {
        const writing = await this.#contextOver(context, calls);
        const done = await writeBatch(writing, work, { isLast, setsAside: oneByOne });
        if (done === null) return null;
        const { segments, entities, facts, repeated, outdated } = done.built;
        const [consolidated, setAside] = [turnsIn(done.reading.read), turnsIn(done.reading.failed)];
        counts = { consolidated, setAside, segments, entities, facts, repeated, outdated };
        onCommit?.(counts, context.index.enrichment.pending.size);
        return done;
      })
      .catch((error: unknown) => {
        if (isDefect(error)) this.#scope.recalled.forget(); // the batch may have been written nevertheless
        throw error;
      });
    if (written === null) return this.#stale(step, work.reading);
    desk.drop(key);
    await this.#scope.recalled.follow(written.built.changes);
    return this.#committed({ ...batch, ...work }, counts);
  }

  async #stale({ key, batch, oneByOne }: StepOfBatch, whole: BatchReading): Promise<Committed> {
    const context = await this.#scope.read();
    const reading = stillPending(context, whole);
    const stale = [...reading.read, ...reading.failed].map(referTo);
    this.#options.desk.narrow(key, batch, { key: this.#keyOf(stale, oneByOne), reading });
    return { stale, counts: NOTHING_ENRICHED, pending: context.index.enrichment.pending.size, stop: null };
  }

  async #committed(
    { reading, resolution }: { readonly reading: BatchReading; readonly resolution: BatchResolution },
    counts: BatchCounts,
  ): Promise<Committed> {
    const error = reading.stoppedBy ?? resolution.fallback.stoppedBy;
    await this.#noteTried(reading);
    const { pending } = (await this.#scope.read()).index.enrichment;
    return {
      stale: null,
      counts,
      pending: pending.size,
      stop: error === null ? null : this.#noteStop(error),
    };
  }

  /** Counts failures of units that wait, so that a unit does not fail in every run for ever. */
  async #noteTried({ tried = [] }: BatchReading): Promise<void> {
    if (tried.length === 0) return;
    await this.#scope.write(async (context) => {
      const { store, scope, index, clock, newId } = context;
      const waiting = tried.filter((unit) => areAllPending(context, [unit]));
      const { rows, relationships } = failuresOf(waiting, { now: clock(), newId, expiredAt: clock() });
      const changes = { nodes: { failure: rows }, relationships };
      await store.commit(scope, changes);
      index.apply(changes);
    });
  }

  async #onBatch<Result>(
    units: Units,
    call: StepCall,
    work: (step: StepOfBatch) => Promise<Result>,
  ): Promise<Costed<Result>> {
    const { oneByOne } = call;
    const key = this.#keyOf(units, oneByOne);
    const batch = this.#options.desk.of(key);
    const { resolution, built } = batch;
    try {
      return await this.#costed(call, (calls) => work({ units, key, batch, calls, oneByOne }));
    } finally {
      // Rules stood in for the calls that the signal ended; a run that goes on from here makes them.
      if (call.signal?.aborted)
        Object.assign(batch, {
          built,
          resolution: resolution && { ...resolution, fallback: new LocalFallback() },
        });
    }
  }

  #keyOf(units: Units, oneByOne: boolean): string {
    return [this.#options.setup.profile.name, oneByOne, keyOfUnits(units)].join(' ');
  }

  async #costed<Result>(
    call: StepCall,
    work: (calls: ModelCallOptions) => Promise<Result>,
  ): Promise<Costed<Result>> {
    const { calls } = this.#options;
    const before = this.#meter.total;
    const budget = calls.budget ?? (call.budget === null ? undefined : await restOf(call.budget));
    const signal = eitherOf(calls.signal, call.signal);
    const result = await work({ meter: this.#meter, budget, signal });
    return { ...result, usage: usageSince(before, this.#meter.total) };
  }

  async #contextOver(context: IngestContext, calls: ModelCallOptions): Promise<ConsolidationContext> {
    const { setup, health } = this.#options;
    return { ...context, recalled: await this.#scope.recalled.load(), ...setup, health, calls };
  }

  /** When units are processed one by one, uses rules, so that a model's failure does not set a unit aside. */
  async #contextToBuild({ calls, oneByOne }: StepOfBatch): Promise<ConsolidationContext> {
    const context = await this.#contextOver(await this.#scope.read(), calls);
    return oneByOne ? withRules(context) : context;
  }

  #noteStop(error: unknown): Stop {
    this.#stoppedBy = error;
    return describeFailure(error);
  }
}

/** Whether no unit is missing. */
function isOfAll({ read, failed }: BatchReading, units: Units): boolean {
  return read.length + failed.length === units.length;
}

const firstTurn = ({ episodes }: PlannedUnit) => episodes[0]?.id;

function withRules(context: ConsolidationContext): ConsolidationContext {
  return { ...context, stages: localStages(context.stages) };
}

/** Whether planning failed by what would stop the next calls as well: no server, no key, no money, no budget. */
function stopsRun(error: unknown): boolean {
  return (
    MnemisError.isInstance(error) &&
    (BudgetExhaustedError.isInstance(error) || error.code.startsWith('model-'))
  );
}

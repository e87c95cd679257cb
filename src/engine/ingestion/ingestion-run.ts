import type { UnitReference } from '../../../graphs/ingestion/state.ts';
import type { Costed, IngestionSteps, PlanRequest, StepCall, Stop } from '../../../graphs/ingestion/steps.ts';
import { BudgetExhaustedError, MnemisError } from '../../errors/index.ts';
import { TokenBudget } from '../../inference/language-model/calling/token-budget.ts';
import { UsageMeter } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { describeFailure, LocalFallback } from '../../ingest/local-fallback.ts';
import { type BatchResolution, isBasedOn } from '../../ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../ingest/write/build-batch.ts';
import type { BatchReading } from '../../ingest/write/read-batch.ts';
import { NO_USAGE } from '../../model/retrieved-item.ts';
import { eitherSignal } from '../call-options.ts';
import {
  type BatchResults,
  buildUnits,
  type Consolidation,
  commitUnits,
  keyOfBatch,
  planUnits,
  readUnits,
  referTo,
  resolveUnits,
  resultsOf,
  turnsPerBatch,
} from './ingest-batch.ts';
import { waitingSessions } from './session-buffers.ts';
import { storeTurns } from './store-turns.ts';

type Units = readonly UnitReference[];

/**
 * A consolidation that a graph runs node by node: the results of the steps are kept by batch. A step whose result is
 * missing computes it, and those before it, so that any node can be the first of a process.
 */
export class IngestionRun implements IngestionSteps {
  readonly #run: Consolidation;
  readonly #meter: UsageMeter;

  constructor(run: Consolidation) {
    this.#run = run;
    this.#meter = run.calls.meter ?? new UsageMeter();
  }

  get turnsPerBatch(): number {
    return turnsPerBatch(this.#run);
  }

  async buffer(turns: readonly unknown[], { signal }: StepCall) {
    const { scope, calls } = this.#run;
    const { result, sessions } = await storeTurns(scope, turns, {
      signal: eitherSignal(calls.signal, signal),
    });
    return { result, sessions: [...sessions.keys()] };
  }

  async plan(
    request: PlanRequest,
    call: StepCall,
  ): Promise<Costed<{ units: UnitReference[]; stop: Stop | null }>> {
    return this.#costed(call, async (run) => {
      try {
        return { units: await planUnits(run, request), stop: null };
      } catch (error) {
        if (!stopsRun(error)) throw error;
        return { units: [], stop: describeFailure(error) };
      }
    });
  }

  async waiting(sessions: readonly string[] | null) {
    const { index } = await this.#run.scope.read();
    const waiting = [...waitingSessions(index)];
    return new Map(sessions === null ? waiting : waiting.filter(([session]) => sessions.includes(session)));
  }

  read(units: Units, call: StepCall) {
    return this.#onBatch(units, call, async (run, results) => {
      results.reading = await readUnits(run, units, results.reading);
      return results.reading;
    });
  }

  resolve(units: Units, call: StepCall) {
    return this.#onBatch(units, call, async (run, results) => {
      const { resolution } = results;
      const context = await run.scope.read();
      // Names that were resolved against another state of memory, or only by rules, are resolved again.
      if (resolution && (!isBasedOn(context, resolution) || resolution.fallback.stoppedBy !== null))
        Object.assign(results, { resolution: undefined, built: undefined });
      return resolutionOf(run, units, results);
    });
  }

  build(units: Units, call: StepCall) {
    return this.#onBatch(units, call, (run, results) => builtOf(run, units, results));
  }

  commit(units: Units, call: StepCall & { readonly isLast: boolean }) {
    return this.#onBatch(units, call, async (run, results) => {
      const built = await builtOf(run, units, results);
      const work = { reading: results.reading!, resolution: results.resolution!, built };
      const { stale, counts, pending, stoppedBy } = await commitUnits(run, work, call.isLast);
      const isKept = run.results.peek(keyOfBatch(run, units)) === results;
      run.results.delete(keyOfBatch(run, units));
      const left = stale && [...stale.read, ...stale.failed].map(referTo);
      if (stale !== null && isKept) run.results.set(keyOfBatch(run, left!), { reading: stale });
      const stop = stoppedBy === null ? null : describeFailure(stoppedBy);
      return { stale: left, counts, pending, stop };
    });
  }

  #onBatch<Result>(
    units: Units,
    call: StepCall,
    work: (run: Consolidation, results: BatchResults) => Promise<Result>,
  ): Promise<Costed<Result>> {
    return this.#costed(call, async (run) => {
      const results = resultsOf(run, units);
      const { resolution, built } = results;
      try {
        return await work(run, results);
      } finally {
        // Rules stood in for the calls that the signal ended; a run that goes on from here makes them.
        if (call.signal?.aborted) {
          const again = resolution && { ...resolution, fallback: new LocalFallback() };
          Object.assign(results, { built, resolution: again });
        }
      }
    });
  }

  async #costed<Result>(
    { oneByOne, ...call }: StepCall,
    work: (run: Consolidation) => Promise<Result>,
  ): Promise<Costed<Result>> {
    const { calls } = this.#run;
    const meter = this.#meter;
    const before = meter.total;
    const budget = calls.budget ?? (call.budget === null ? undefined : await restOf(call.budget));
    const limited: ModelCallOptions = { meter, budget, signal: eitherSignal(calls.signal, call.signal) };
    const result = await work({ ...this.#run, calls: limited, oneByOne });
    const { total } = meter;
    if (total.calls === before.calls) return { ...result, usage: NO_USAGE };
    const usage = {
      calls: total.calls - before.calls,
      promptTokens: total.promptTokens - before.promptTokens,
      completionTokens: total.completionTokens - before.completionTokens,
    };
    return { ...result, usage };
  }
}

async function readingOf(run: Consolidation, units: Units, results: BatchResults): Promise<BatchReading> {
  results.reading ??= await readUnits(run, units);
  return results.reading;
}

async function resolutionOf(
  run: Consolidation,
  units: Units,
  results: BatchResults,
): Promise<BatchResolution> {
  const reading = await readingOf(run, units, results);
  results.resolution ??= await resolveUnits(run, reading);
  return results.resolution;
}

async function builtOf(run: Consolidation, units: Units, results: BatchResults): Promise<BuiltBatch> {
  const resolution = await resolutionOf(run, units, results);
  results.built ??= await buildUnits(run, { reading: results.reading!, resolution });
  return results.built;
}

/** A partly spent budget. */
async function restOf({ limit, spent }: NonNullable<StepCall['budget']>): Promise<TokenBudget> {
  const budget = new TokenBudget(limit);
  (await budget.reserve(0)).settle(spent);
  return budget;
}

/** Whether planning failed by what would stop the next calls as well: no server, no key, no money, no budget. */
function stopsRun(error: unknown): boolean {
  return (
    MnemisError.isInstance(error) &&
    (BudgetExhaustedError.isInstance(error) || error.code.startsWith('model-'))
  );
}

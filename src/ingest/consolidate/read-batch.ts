import { ModelRequestRefusedError } from '../../errors/index.ts';
import { entityNameKey } from '../../util/entity-name-key.ts';
import { groupBy } from '../../util/group-by.ts';
import type { ReadOptions } from '../segment-reader.ts';
import type { CheckedReading } from '../segment-reading.ts';
import type { ConsolidationContext } from './consolidation-context.ts';
import { describeFailure, liesInTurns } from './failure-kind.ts';
import { dropRecalled, maskUnit } from './mask-units.ts';
import { readingContext } from './reading-context.ts';
import type { FailedUnit, PlannedUnit, ReadUnit } from './unit.ts';

/** What reading a batch came to. Units in neither list stay pending. */
export interface BatchReading {
  readonly read: readonly ReadUnit[];
  readonly failed: readonly FailedUnit[];
  /** What stopped the reading before its end, such as an exhausted budget; null when nothing did. */
  readonly stoppedBy: unknown;
}

/** How often a unit is tried by itself. */
const TRIES_ALONE = 2;
/** So many units that a model refuses, and not one that it reads, speak against the request, not the turns. */
const REFUSALS_THAT_STOP = 3;

/**
 * Reads units, those of one session together and sessions side by side. A failure that lies in the turns is narrowed
 * down to its unit; any other stops the reading, and what was read until then is given back.
 */
export async function readBatch(
  context: ConsolidationContext,
  units: readonly PlannedUnit[],
): Promise<BatchReading> {
  const batch = new Reading(context);
  const sessions = [...groupBy(units, (unit) => unit.session).values()];
  if (context.profile.tier === 'llm') await Promise.all(sessions.map((each) => batch.readSession(each)));
  else for (const each of sessions) await batch.readSession(each);
  return batch.result(units);
}

class Reading {
  readonly #context: ConsolidationContext;
  readonly #read = new Map<PlannedUnit, CheckedReading>();
  readonly #failed = new Map<PlannedUnit, FailedUnit>();
  /** What the batch has named so far: as good as known, so that it matters little where batches end. */
  readonly #named = new Set<string>();
  readonly #refusals: ModelRequestRefusedError[] = [];
  #stoppedBy: unknown = null;

  constructor(context: ConsolidationContext) {
    this.#context = context;
  }

  async readSession(units: readonly PlannedUnit[]): Promise<void> {
    const error = await this.#attempt(units);
    if (error === null) return;
    for (const unit of units) await this.#readAlone(unit, units.length === 1 ? 1 : 0, error);
  }

  result(units: readonly PlannedUnit[]): BatchReading {
    if (this.#read.size === 0 && this.#refusals.length >= REFUSALS_THAT_STOP)
      return { read: [], failed: [], stoppedBy: this.#stoppedBy ?? this.#refusals[0] };
    const read = units.flatMap((unit) => {
      const reading = this.#read.get(unit);
      return reading === undefined ? [] : [{ ...unit, reading }];
    });
    return { read, failed: [...this.#failed.values()], stoppedBy: this.#stoppedBy };
  }

  async #readAlone(unit: PlannedUnit, tried: number, first: unknown): Promise<void> {
    let error = first;
    for (let attempt = tried; attempt < TRIES_ALONE; attempt++) {
      if (this.#stoppedBy !== null) return;
      const failure = await this.#attempt([unit]);
      if (failure === null) return;
      error = failure;
    }
    if (ModelRequestRefusedError.isInstance(error)) this.#refusals.push(error);
    if (this.#stoppedBy === null)
      this.#failed.set(unit, { ...unit, ...describeFailure(error), attempts: TRIES_ALONE });
  }

  /** The failure, if it lies in these turns; null when they are read, or when the work is to stop. */
  async #attempt(units: readonly PlannedUnit[]): Promise<unknown> {
    const { stages, calls, recalled } = this.#context;
    if (this.#stoppedBy !== null) return null;
    try {
      const context = await readingContext(this.#context, units);
      const known = (name: string) => this.#named.has(entityNameKey(name)) || context.known(name);
      const options: ReadOptions = { ...context, known, ...calls };
      const masked = units.map((unit) => maskUnit(unit, recalled));
      const segments = masked.map(({ turns }) => turns);
      const readings = await stages.reader.read(segments, options);
      for (const [at, unit] of units.entries()) this.#keep(unit, dropRecalled(readings[at]!, masked[at]!));
      return null;
    } catch (error) {
      if (liesInTurns(error)) return error;
      this.#stoppedBy ??= error;
      return null;
    }
  }

  #keep(unit: PlannedUnit, reading: CheckedReading): void {
    this.#read.set(unit, reading);
    for (const { name, aliases } of reading.extraction.entities)
      for (const each of [name, ...aliases]) this.#named.add(entityNameKey(each));
  }
}

import type { LRUCache } from 'lru-cache';
import type { UnitReference } from '../../../graphs/ingestion/state.ts';
import type { BatchCounts, PlanRequest } from '../../../graphs/ingestion/steps.ts';
import { waitingToRederive } from '../../edit/forget/records.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { ConsolidationContext, PlannedUnit, ReaderHealth } from '../../ingest/consolidation-context.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { isDefect } from '../../ingest/local-fallback.ts';
import { type BatchResolution, resolveBatch } from '../../ingest/resolve/entity-resolution.ts';
import type { Trigger } from '../../ingest/segment/plan-units.ts';
import { areAllPending, type BuiltBatch, buildBatch, failuresOf } from '../../ingest/write/build-batch.ts';
import { firstUnits, planBatch, turnsIn } from '../../ingest/write/plan-batch.ts';
import { type BatchReading, namesRead, readBatch, stillRead } from '../../ingest/write/read-batch.ts';
import type { EpisodeId } from '../../model/ids.ts';
import type { ScopeQueue } from '../scope-queue.ts';
import { AT_ONCE } from '../writable-scope.ts';
import { type EnrichmentCounts, NOTHING_ENRICHED } from './enrichment-report.ts';
import type { IngestionSetup } from './ingestion-setup.ts';
import type { SessionBuffers } from './session-buffers.ts';
import {
  type BatchToWrite,
  buildable,
  localStages,
  stillPending,
  withoutUnbuildable,
  writeBatch,
} from './write-batch.ts';

/**
 * Turns per commit. In the llm tier these are a few sessions in parallel, so that little paid work is lost when the run
 * stops. By rules they are more: part of what a commit costs does not depend on its size.
 */
export const TURNS_PER_BATCH = { llm: 128, local: 384 } as const;

/**
 * How often a stale batch is resolved again by the profile's judge. The limit keeps concurrent writers from delaying it
 * for ever.
 */
const MOST_STALE = 1;

/** What was computed for a batch that is not written yet. */
export interface BatchResults {
  /** Read while the batch before it was written; null where that failed. */
  ahead?: Promise<BatchReading | null> | undefined;
  reading?: BatchReading | undefined;
  resolution?: BatchResolution | undefined;
  built?: BuiltBatch | undefined;
}

/** A run that consolidates waiting turns of a scope. */
export interface Consolidation {
  readonly scope: ScopeQueue;
  readonly setup: IngestionSetup;
  readonly calls: ModelCallOptions;
  /** These three are shared by all runs. */
  readonly buffers: SessionBuffers;
  readonly health: ReaderHealth;
  /** By `keyOfBatch`. They hold texts, and are dropped when something is forgotten. */
  readonly results: LRUCache<string, BatchResults>;
  /** After a defect, each unit is a batch: a unit that cannot be built or written is set aside. */
  readonly oneByOne: boolean;
  /** Batches that are planned at once. Default 1. */
  readonly batchesPlanned?: number;
  /** Called after each commit with its counts and the number of waiting turns. */
  readonly onCommit?: (counts: EnrichmentCounts, pending: number) => void;
}

type Units = readonly UnitReference[];

/**
 * Consolidates complete units, batch by batch, until none is left. After a defect each unit is a batch, so that only
 * the failing one is set aside.
 *
 * @throws CancelledError, what stops calls of the model, and what the store throws; committed batches are kept.
 */
export async function ingestWaiting(consolidation: Consolidation, request: PlanRequest): Promise<void> {
  for (let run = consolidation; ; ) {
    const units = await planUnits(run, request);
    if (units.length === 0) return;
    const stoppedBy = await ingestUnits(run, units).catch((error: unknown) => {
      if (run.oneByOne || !isDefect(error)) throw error;
      run = { ...run, oneByOne: true };
      return null;
    });
    if (stoppedBy !== null) throw stoppedBy;
  }
}

/** Returns the error that stops the run; null if none does. Turns of the next batch are read while one is written. */
async function ingestUnits(run: Consolidation, units: Units): Promise<unknown> {
  for (let left = units; left.length > 0; ) {
    const batch = nextBatch(run, left);
    left = left.slice(batch.length);
    const results = resultsOf(run, batch);
    const known: BatchReading | null = results.reading ?? (await usable(run, await results.ahead));
    // Both are kept until the batch is written: a run after a failure does not pay for them again.
    results.reading = await readUnits(run, batch, known);
    const { reading } = results;
    if (left.length > 0 && reading.stoppedBy === null && !run.oneByOne && readsAhead(run)) {
      const next = nextBatch(run, left);
      resultsOf(run, next).ahead = readAhead(run, next, reading);
    }
    const stoppedBy = await ingestBatch(run, reading);
    run.results.delete(keyOfBatch(run, batch));
    if (stoppedBy !== null) return stoppedBy;
  }
  return null;
}

/** Resolves, builds and commits a batch, again if memory changed meanwhile. Returns what stops the run, or null. */
async function ingestBatch(run: Consolidation, whole: BatchReading): Promise<unknown> {
  let reading = stillPending(await run.scope.read(), whole);
  for (let staleness = 0; ; staleness++) {
    const resolution = await resolveUnits(run, reading);
    const built = await buildUnits(run, { reading, resolution });
    const isLast = staleness >= MOST_STALE;
    const { stale, stoppedBy } = await commitUnits(run, { reading, resolution, built }, isLast);
    if (stale === null) return stoppedBy;
    reading = stale;
  }
}

/** Complete units, enough for a batch; none if nothing more is complete. Changes nothing. */
export async function planUnits(
  run: Consolidation,
  { ended, sessions }: PlanRequest,
): Promise<UnitReference[]> {
  const { scope, buffers, oneByOne, batchesPlanned = 1 } = run;
  if (scope.isHiding) return [];
  const settled = new Set<string>();
  for (;;) {
    const context = await contextOver(run, await scope.read());
    const { enrichment, corrections } = context.index;
    const { pending } = enrichment;
    if (waitingToRederive(corrections.all).length > 0) return []; // it reads some of them
    const { units, waiting } = await planBatch(context, {
      ended,
      settled,
      sessions: sessions === null ? undefined : new Set(sessions),
      turns: oneByOne ? 1 : TURNS_PER_BATCH[run.setup.profile.tier] * batchesPlanned,
      asked: (session) => buffers.checked(session, pending),
      isSettled: ({ session, episodes }) => buffers.isSettled(session, episodes),
    });
    for (const [session, left] of waiting) {
      // If a session was not planned to its end, its waiting turns were checked nevertheless.
      const complete = units.filter((unit) => unit.session === session);
      buffers.noteCheck(session, { complete: complete.flatMap(({ episodes }) => episodes), waiting: left });
      if (left.length > 0) settled.add(session);
    }
    if (units.length > 0 || ![...waiting.values()].some((left) => left.length > 0)) return units.map(referTo);
  }
}

/** Reads units that are still pending. @param known A reading of some of them, which is completed. */
export async function readUnits(
  run: Consolidation,
  units: Units,
  known: BatchReading | null = null,
): Promise<BatchReading> {
  const earlier = known ?? { read: [], failed: [] };
  const done = new Set([...earlier.read, ...earlier.failed].map(firstTurn));
  if (known !== null && known.stoppedBy === null && done.size === units.length) return known;
  const context = await contextOver(run, await run.scope.read());
  // Skips units that were corrected after planning, to save model calls.
  const pending = await pendingUnits(context, units);
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
  return run.oneByOne ? withoutUnbuildable(withRules(context), reading) : reading;
}

/** A model's reading depends on memory; only that of rules can be checked afterwards. */
function readsAhead({ setup }: Consolidation): boolean {
  return setup.profile.tier === 'local';
}

/** Reads a batch before the one before it is in memory. */
async function readAhead(
  run: Consolidation,
  units: Units,
  { read }: BatchReading,
): Promise<BatchReading | null> {
  try {
    const context = await contextOver(run, await run.scope.read());
    return await readBatch(context, await pendingUnits(context, units), { named: namesRead(read) });
  } catch {
    return null;
  }
}

/** The part of a reading that was made ahead and still holds. */
async function usable(run: Consolidation, ahead: BatchReading | null = null): Promise<BatchReading | null> {
  if (ahead === null) return null;
  const reading = stillRead(await contextOver(run, await run.scope.read()), ahead);
  // Without a unit it may be older than a forgetting.
  return reading.read.length > 0 ? reading : null;
}

/** Matches the names of a batch to entities of memory, or to new ones. */
export async function resolveUnits(run: Consolidation, { read }: BatchReading): Promise<BatchResolution> {
  return resolveBatch(await contextToBuild(run), read);
}

/**
 * De-duplicates facts, ends outdated ones, writes descriptions and profiles, and links segments to their nearest
 * neighbours.
 */
export async function buildUnits(
  run: Consolidation,
  { reading, resolution }: Pick<BatchToWrite, 'reading' | 'resolution'>,
): Promise<BuiltBatch> {
  return buildBatch(await contextToBuild(run), buildable(reading, resolution));
}

interface CommittedUnits {
  /** What to resolve again; null if the batch was written. */
  readonly stale: BatchReading | null;
  readonly counts: BatchCounts;
  /** Turns of the scope that still wait. */
  readonly pending: number;
  /** The error that stops the run after this batch; null if there is none. */
  readonly stoppedBy: unknown;
}

/**
 * Writes a batch in one transaction, without units that are not pending any more. If memory changed since names were
 * resolved, it writes nothing and returns the units to resolve again; with `isLast` it resolves what changed by rules
 * while no other writer runs.
 */
export async function commitUnits(
  run: Consolidation,
  work: BatchToWrite,
  isLast: boolean,
): Promise<CommittedUnits> {
  const { scope, onCommit, oneByOne } = run;
  const { reading, resolution } = work;
  let counts: BatchCounts = NOTHING_ENRICHED;
  const pendingNow = async () => (await scope.read()).index.enrichment.pending.size;
  if (reading.read.length + reading.failed.length > 0) {
    const written = await scope
      .write(async (context) => {
        const writing = await contextOver(run, context);
        const done = await writeBatch(writing, work, { isLast, setsAside: oneByOne });
        if (done === null) return null;
        const { segments, entities, facts, repeated, outdated } = done.built;
        const [consolidated, setAside] = [turnsIn(done.reading.read), turnsIn(done.reading.failed)];
        counts = { consolidated, setAside, segments, entities, facts, repeated, outdated };
        onCommit?.(counts, context.index.enrichment.pending.size);
        return done;
      }, AT_ONCE)
      .catch((error: unknown) => {
        if (isDefect(error)) scope.recalled.forget(); // the batch may have been written nevertheless
        throw error;
      });
    if (written === null) {
      const stale = stillPending(await scope.read(), reading);
      return { stale, counts, pending: await pendingNow(), stoppedBy: null };
    }
    await scope.recalled.follow(written.built.changes);
  }
  await noteTried(scope, reading);
  const stoppedBy = reading.stoppedBy ?? resolution.fallback.stoppedBy;
  return { stale: null, counts, pending: await pendingNow(), stoppedBy };
}

/** Counts failures of units that wait, so that a unit does not fail in every run for ever. */
async function noteTried(scope: ScopeQueue, { tried = [] }: BatchReading): Promise<void> {
  if (tried.length === 0) return;
  await scope.write(async (context) => {
    const { store, index, clock, newId } = context;
    const waiting = tried.filter((unit) => areAllPending(context, [unit]));
    const { rows, relationships } = failuresOf(waiting, { now: clock(), newId, expiredAt: clock() });
    const changes = { nodes: { failure: rows }, relationships };
    await store.commit(context.scope, changes);
    index.apply(changes);
  }, AT_ONCE);
}

export function turnsPerBatch({ setup: { profile } }: Consolidation): number {
  return profile.resolution === 'judged-first' ? 1 : TURNS_PER_BATCH[profile.tier];
}

function nextBatch(run: Consolidation, units: Units): Units {
  return firstUnits(units, run.oneByOne ? 1 : turnsPerBatch(run));
}

/** Identifies a batch by its turns and how they are read. */
export function keyOfBatch({ setup, oneByOne }: Consolidation, units: Units): string {
  return [setup.profile.name, oneByOne, ...units.map(({ episodes }) => episodes.join())].join(' ');
}

/** What was computed for a batch; a step that works on it when results are dropped puts nothing back. */
export function resultsOf(run: Consolidation, units: Units): BatchResults {
  const key = keyOfBatch(run, units);
  const results = run.results.get(key) ?? {};
  run.results.set(key, results);
  return results;
}

export function referTo({ session, trigger, episodes }: PlannedUnit): UnitReference {
  return { session, trigger, episodes: episodes.map(({ id }) => id) };
}

/** The units whose turns are all still pending, with their turns. */
async function pendingUnits(
  { store, scope, index }: IngestContext,
  references: Units,
): Promise<readonly PlannedUnit[]> {
  const { pending } = index.enrichment;
  const waiting = references.filter(({ episodes }) => episodes.every((id) => pending.has(id as EpisodeId)));
  const ids = waiting.flatMap(({ episodes }) => episodes);
  const rows = new Map((await store.get(scope, 'episode', ids)).map((row) => [row.id as string, row]));
  return waiting.flatMap(({ session, trigger, episodes }): PlannedUnit[] => {
    const turns = episodes.flatMap((id) => rows.get(id) ?? []);
    return turns.length === episodes.length
      ? [{ session, trigger: trigger as Trigger, episodes: turns }]
      : [];
  });
}

const firstTurn = ({ episodes }: PlannedUnit) => episodes[0]?.id;

async function contextOver(
  { scope, setup, health, calls }: Consolidation,
  context: IngestContext,
): Promise<ConsolidationContext> {
  return { ...context, recalled: await scope.recalled.load(), ...setup, health, calls };
}

/** When units are processed one by one, uses rules, so that a model's failure does not set a unit aside. */
async function contextToBuild(run: Consolidation): Promise<ConsolidationContext> {
  const context = await contextOver(run, await run.scope.read());
  return run.oneByOne ? withRules(context) : context;
}

function withRules(context: ConsolidationContext): ConsolidationContext {
  return { ...context, stages: localStages(context.stages) };
}

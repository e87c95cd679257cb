import { CancelledError } from '../errors/index.ts';
import type { ImportRecord, TurnRecord } from '../importers/importer.ts';
import { type ModelUsage, NO_MODEL_USAGE } from '../inference/language-model/tokens/usage-meter.ts';
import type { AddResult } from '../ingest/admit/plan-episodes.ts';
import type { TurnInput } from '../model/turn-input.ts';
import type { FlushOptions } from './call-options.ts';
import {
  type EnrichmentCounts,
  type EnrichmentProgress,
  type EnrichmentReport,
  NOTHING_ENRICHED,
  type ResumeEvent,
} from './ingestion/enrichment-report.ts';

/**
 * What `MemoryScope.import` reads: what an `Importer` gives, or records of your own. It is taken once, in order, and
 * never held as a whole.
 */
export type TurnSource = AsyncIterable<ImportRecord> | Iterable<ImportRecord>;

/** How an import goes on once its turns are stored. `budget` limits that part: storing asks no language model. */
export interface ImportOptions extends FlushOptions {
  /** Whether the turns are consolidated too; else they wait for `resume`. Default true. */
  readonly enrich?: boolean;
}

/** How an import stands: what became of the records so far, and of the turns that were consolidated. */
export interface ImportCounts extends EnrichmentCounts {
  /** Records that were taken from the source; each is one of added, known, superseding and rejected. */
  readonly read: number;
  readonly added: number;
  /** Turns that memory had already, word for word. */
  readonly known: number;
  /** New versions of turns that memory had in other words. */
  readonly superseding: number;
  /** Records that could not be read, and turns that memory does not take; each has its event with the reason. */
  readonly rejected: number;
  /** Turns of the scope that wait to be consolidated. */
  readonly pending: number;
}

interface ImportState {
  readonly counts: ImportCounts;
  readonly usage: ModelUsage;
  readonly seconds: number;
}

/**
 * How far `MemoryScope.import` is; `done` comes last. `usage` is what consolidation has cost so far, `seconds` those
 * since the start.
 */
export type ImportEvent =
  /** A record that was left out; the others go in. */
  | { readonly type: 'rejected'; readonly where: string; readonly reason: string }
  /** `storing`: the turns counted here are durable and searchable; `enriching`: they become entities and facts. */
  | ({
      readonly type: 'progress';
      readonly phase: 'storing' | 'enriching';
      /** Estimates of what is left of the phase `enriching`. */
      readonly toGo: EnrichmentProgress['toGo'];
      readonly grouping?: EnrichmentProgress['grouping'];
    } & ImportState)
  | ({
      readonly type: 'done';
      /** What became of the categories; null when they were not looked at. */
      readonly hierarchy: EnrichmentReport['hierarchy'];
    } & ImportState);

/** Turns per transaction; one goes on to the end of its session. */
const BATCH = 256;
const LARGEST_BATCH = 1_024;
/** Where every import begins. */
export const NO_TURNS: ImportCounts = {
  read: 0,
  added: 0,
  known: 0,
  superseding: 0,
  rejected: 0,
  pending: 0,
  ...NOTHING_ENRICHED,
};

interface ImportWork extends ImportOptions {
  readonly add: (turns: readonly TurnInput[]) => Promise<AddResult>;
  readonly consolidate: (signal: AbortSignal | undefined) => AsyncIterable<ResumeEvent>;
}

export async function* importTurns(source: TurnSource, work: ImportWork): AsyncGenerator<ImportEvent> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let counts = NO_TURNS;
  for await (const event of storeAll(source, work)) {
    if (!('read' in event)) yield event;
    else {
      counts = event;
      const usage = NO_MODEL_USAGE;
      yield { type: 'progress', phase: 'storing', counts, usage, seconds: seconds(), toGo: null };
    }
  }
  let usage = NO_MODEL_USAGE;
  let hierarchy: EnrichmentReport['hierarchy'] = null;
  if (work.enrich !== false)
    for await (const event of work.consolidate(work.signal)) {
      counts = { ...counts, ...event.counts, pending: event.pending };
      ({ usage } = event);
      if (event.type === 'done') {
        ({ hierarchy } = event);
        continue;
      }
      const { type, toGo, grouping } = event;
      yield { type, phase: 'enriching', counts, usage, seconds: seconds(), toGo, grouping };
    }
  yield { type: 'done', counts, usage, seconds: seconds(), hierarchy };
}

async function* storeAll(
  source: TurnSource,
  { add, signal }: ImportWork,
): AsyncGenerator<ImportCounts | Extract<ImportEvent, { type: 'rejected' }>> {
  let counts = NO_TURNS;
  for await (const { records, rejected } of batches(source)) {
    if (signal?.aborted) throw cancelled(counts, signal);
    yield* rejected;
    counts = { ...counts, read: counts.read + rejected.length, rejected: counts.rejected + rejected.length };
    if (records.length > 0) {
      const result = await addBatch(records, { add, counts, signal });
      counts = plus(counts, result, records.length);
      yield* rejections(records, result);
    }
    yield counts;
  }
}

async function addBatch(
  records: readonly TurnRecord[],
  { add, counts, signal }: Pick<ImportWork, 'add' | 'signal'> & { counts: ImportCounts },
): Promise<AddResult> {
  try {
    return await add(records.map((record) => record.turn));
  } catch (error) {
    if (signal?.aborted) throw cancelled(counts, signal);
    throw error;
  }
}

function cancelled(counts: ImportCounts, signal: AbortSignal): CancelledError {
  const kept = counts.added + counts.superseding;
  return new CancelledError(
    `${kept} turns were stored and are kept; import the same file again to go on`,
    signal.reason,
  );
}

async function* batches(source: TurnSource) {
  let records: TurnRecord[] = [];
  let rejected: Extract<ImportEvent, { type: 'rejected' }>[] = [];
  for await (const record of source) {
    if (record.kind === 'rejected') {
      rejected.push({ type: 'rejected', where: record.where, reason: record.reason });
      continue;
    }
    if (isFull(records, record)) {
      yield { records, rejected };
      [records, rejected] = [[], []];
    }
    records.push(record);
  }
  if (records.length > 0 || rejected.length > 0) yield { records, rejected };
}

function isFull(records: readonly TurnRecord[], next: TurnRecord): boolean {
  if (records.length < BATCH) return false;
  return records.length >= LARGEST_BATCH || records.at(-1)!.turn.session !== next.turn.session;
}

function rejections(
  records: readonly TurnRecord[],
  { outcomes }: AddResult,
): Extract<ImportEvent, { type: 'rejected' }>[] {
  return outcomes.flatMap((outcome, position) =>
    outcome.status === 'rejected'
      ? [{ type: 'rejected' as const, where: records[position]!.where, reason: outcome.reason }]
      : [],
  );
}

function plus(counts: ImportCounts, result: AddResult, read: number): ImportCounts {
  return {
    ...counts,
    read: counts.read + read,
    added: counts.added + result.added,
    known: counts.known + result.known,
    superseding: counts.superseding + result.superseding,
    rejected: counts.rejected + result.rejected,
    pending: result.pending,
  };
}

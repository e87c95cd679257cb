import { CancelledError } from '../errors/index.ts';
import { withOutcome } from '../errors/mnemis-error.ts';
import type { ImportRecord } from '../importers/importer.ts';
import { type ModelUsage, NO_MODEL_USAGE } from '../inference/language-model/tokens/usage-meter.ts';
import type { AddResult } from '../ingest/admit/plan-episodes.ts';
import type { AddInput } from '../model/turn-input.ts';
import type { FlushOptions } from './call-options.ts';
import { resume } from './ingestion/consolidate.ts';
import {
  type EnrichmentCounts,
  type EnrichmentProgress,
  type EnrichmentReport,
  NOTHING_ENRICHED,
} from './ingestion/enrichment-report.ts';
import { storeTurns } from './ingestion/store-turns.ts';
import { Run } from './run.ts';
import type { ScopeSession } from './scope-session.ts';

/**
 * Input of `MemoryScope.import`: the output of an `Importer`, or what `add` takes. It is consumed once, in order, and
 * never held in memory as a whole.
 */
export type TurnSource = AsyncIterable<ImportRecord | AddInput> | Iterable<ImportRecord | AddInput>;

/** How an import continues after its turns are stored. `budget` limits that part: storing calls no language model. */
export interface ImportOptions extends FlushOptions {
  /** Whether to consolidate the turns; otherwise they wait for `resume`. Default true. */
  readonly enrich?: boolean;
}

/** Progress of an import: outcomes of the records so far, and consolidated turns. */
export interface ImportCounts extends EnrichmentCounts {
  /** Records read from the source; each is one of added, known, superseding and rejected. */
  readonly read: number;
  readonly added: number;
  /** Turns that memory already had with the same content. */
  readonly known: number;
  /** New versions of turns that memory had with other content. */
  readonly superseding: number;
  /** Unreadable records and rejected turns; each has its event with the reason. */
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
 * Progress of `MemoryScope.import`; `done` comes last. `usage` is the cost of consolidation so far, `seconds` the
 * time since the start.
 */
export type ImportEvent =
  /** A record that was skipped; the import continues. */
  | { readonly type: 'rejected'; readonly where: string; readonly reason: string }
  /** `storing`: the turns counted here are durable and searchable; `enriching`: they become entities and facts. */
  | ({
      readonly type: 'progress';
      readonly phase: 'storing' | 'enriching';
      /** Estimated rest of the phase `enriching`. */
      readonly toGo: EnrichmentProgress['toGo'];
      readonly grouping?: EnrichmentProgress['grouping'];
    } & ImportState)
  | ({ readonly type: 'done' } & ImportReport);

/** The result of an import. */
export interface ImportReport extends ImportState {
  /** The hierarchy update; null if none ran. */
  readonly hierarchy: EnrichmentReport['hierarchy'];
  /** `usage` by the name of the prompt. */
  readonly byStage: EnrichmentReport['byStage'];
  readonly dropped: EnrichmentReport['dropped'];
}

/** Turns per transaction; a transaction is extended to the end of its session. */
const BATCH = 256;
const LARGEST_BATCH = 1_024;
/** The initial counts of an import. */
export const NO_TURNS: ImportCounts = {
  read: 0,
  added: 0,
  known: 0,
  superseding: 0,
  rejected: 0,
  pending: 0,
  ...NOTHING_ENRICHED,
};

/** Stores all turns, then consolidates them. */
export function importTurns(
  session: ScopeSession,
  source: TurnSource,
  options: ImportOptions,
): Run<ImportEvent, ImportReport> {
  return new Run((signal) => importInSteps(session, source, { ...options, signal }), options.signal);
}

async function* importInSteps(
  session: ScopeSession,
  source: TurnSource,
  options: ImportOptions,
): AsyncGenerator<ImportEvent> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let counts = NO_TURNS;
  for await (const event of storeAll(session, source, options)) {
    if (!('read' in event)) yield event;
    else {
      counts = event;
      const usage = NO_MODEL_USAGE;
      yield { type: 'progress', phase: 'storing', counts, usage, seconds: seconds(), toGo: null };
    }
  }
  let usage = NO_MODEL_USAGE;
  let hierarchy: EnrichmentReport['hierarchy'] = null;
  let byStage: EnrichmentReport['byStage'] = {};
  let dropped: EnrichmentReport['dropped'] = [];
  if (options.enrich !== false)
    for await (const event of resume(session, { budget: options.budget, signal: options.signal })) {
      counts = { ...counts, ...event.counts, pending: event.pending };
      ({ usage } = event);
      if (event.type === 'done') {
        ({ hierarchy, byStage, dropped } = event);
        continue;
      }
      const { type, toGo, grouping } = event;
      yield { type, phase: 'enriching', counts, usage, seconds: seconds(), toGo, grouping };
    }
  yield { type: 'done', counts, usage, byStage, dropped, seconds: seconds(), hierarchy };
}

async function* storeAll(
  session: ScopeSession,
  source: TurnSource,
  options: ImportOptions,
): AsyncGenerator<ImportCounts | Extract<ImportEvent, { type: 'rejected' }>> {
  const { signal } = options;
  let counts = NO_TURNS;
  for await (const { records, rejected } of batches(source)) {
    if (signal?.aborted) throw cancelled(counts, signal);
    yield* rejected;
    counts = { ...counts, read: counts.read + rejected.length, rejected: counts.rejected + rejected.length };
    if (records.length > 0) {
      const result = await addBatch(session, records, { counts, signal });
      counts = plus(counts, result, records.length);
      yield* rejections(records, result);
    }
    yield counts;
  }
}

async function addBatch(
  session: ScopeSession,
  records: readonly SourceTurn[],
  { counts, signal }: Pick<ImportOptions, 'signal'> & { counts: ImportCounts },
): Promise<AddResult> {
  const turns = records.map((record) => record.turn);
  try {
    return (await storeTurns(session, turns, { signal, isImport: true })).result;
  } catch (error) {
    if (signal?.aborted) throw cancelled(counts, signal);
    throw withOutcome(error, `Of this import, ${keptBefore(counts)}.`);
  }
}

function cancelled(counts: ImportCounts, signal: AbortSignal): CancelledError {
  return new CancelledError(keptBefore(counts), signal.reason);
}

function keptBefore({ added, superseding }: ImportCounts): string {
  return `${added + superseding} turns were stored and are kept; import the same file again to continue`;
}

/** A turn of a source, and where it stands there. */
interface SourceTurn {
  readonly turn: AddInput;
  readonly where: string;
}

async function* batches(source: TurnSource) {
  let records: SourceTurn[] = [];
  let read = 0;
  let rejected: Extract<ImportEvent, { type: 'rejected' }>[] = [];
  for await (const given of source) {
    read++;
    const record = isRecord(given) ? given : { turn: given, where: `turn ${read}` };
    if ('reason' in record) {
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

function isRecord(given: ImportRecord | AddInput): given is ImportRecord {
  return typeof given === 'object' && 'kind' in given;
}

function isFull(records: readonly SourceTurn[], next: SourceTurn): boolean {
  if (records.length < BATCH) return false;
  return records.length >= LARGEST_BATCH || sessionOf(records.at(-1)!) !== sessionOf(next);
}

const sessionOf = ({ turn }: SourceTurn): string | undefined =>
  typeof turn === 'object' && 'session' in turn ? turn.session : undefined;

function rejections(
  records: readonly SourceTurn[],
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

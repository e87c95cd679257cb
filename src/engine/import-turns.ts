import { CancelledError } from '../errors/index.ts';
import type { ImportRecord, TurnRecord } from '../importers/importer.ts';
import type { AddResult } from '../ingest/add-outcome.ts';
import type { TurnInput } from '../model/turn-input.ts';

export type TurnSource = AsyncIterable<ImportRecord> | Iterable<ImportRecord>;

export interface ImportCounts {
  readonly read: number;
  readonly added: number;
  readonly known: number;
  readonly superseding: number;
  readonly rejected: number;
  readonly entities: number;
  readonly facts: number;
}

export type ImportEvent =
  /** A record that was left out; the others go in. */
  | { readonly type: 'rejected'; readonly where: string; readonly reason: string }
  /** All turns counted here are durable and searchable. */
  | { readonly type: 'progress'; readonly counts: ImportCounts; readonly seconds: number }
  | { readonly type: 'done'; readonly counts: ImportCounts; readonly seconds: number };

/** Turns per transaction; one goes on to the end of its session, so that a session is read whole. */
const BATCH = 256;
const LARGEST_BATCH = 1_024;
/** Where every import begins. */
export const NO_TURNS: ImportCounts = {
  read: 0,
  added: 0,
  known: 0,
  superseding: 0,
  rejected: 0,
  entities: 0,
  facts: 0,
};

export async function* importTurns(
  source: TurnSource,
  add: (turns: readonly TurnInput[]) => Promise<AddResult>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ImportEvent> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
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
    yield { type: 'progress', counts, seconds: seconds() };
  }
  yield { type: 'done', counts, seconds: seconds() };
}

async function addBatch(
  records: readonly TurnRecord[],
  {
    add,
    counts,
    signal,
  }: {
    add: (turns: readonly TurnInput[]) => Promise<AddResult>;
    counts: ImportCounts;
    signal: AbortSignal | undefined;
  },
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

function rejections(records: readonly TurnRecord[], { outcomes }: AddResult): ImportEvent[] {
  return outcomes.flatMap((outcome, position) =>
    outcome.status === 'rejected'
      ? [{ type: 'rejected', where: records[position]!.where, reason: outcome.reason }]
      : [],
  );
}

function plus(counts: ImportCounts, result: AddResult, read: number): ImportCounts {
  return {
    read: counts.read + read,
    added: counts.added + result.added,
    known: counts.known + result.known,
    superseding: counts.superseding + result.superseding,
    rejected: counts.rejected + result.rejected,
    entities: counts.entities + result.entities,
    facts: counts.facts + result.facts,
  };
}

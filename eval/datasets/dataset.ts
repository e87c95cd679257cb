import type { z } from 'zod';
import type { FlushOptions } from '../../src/engine/call-options.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { CancelledError } from '../../src/errors/index.ts';
import {
  type ImportRecord,
  type RejectedRecord,
  rejected,
  throwIfCancelled,
} from '../../src/importers/importer.ts';
import {
  type Entry,
  type JsonFormat,
  parseEntries,
  readEntryList,
} from '../../src/importers/json/json-format.ts';
import { plusUsage } from '../../src/inference/language-model/tokens/plus-usage.ts';
import type { FactInput } from '../../src/model/fact-input.ts';
import type { Milliseconds } from '../../src/model/ids.ts';
import { NO_USAGE, type Usage } from '../../src/model/retrieved-item.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { breathe } from '../../src/util/breathe.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';

/** Questions and the turns of their memory, one scope per case. */
export interface EvaluationDataset {
  readonly name: string;
  readonly cases: readonly EvaluationCase[];
  /** Records that could not be read and are missing from the cases; reports must state them. */
  readonly rejected: readonly RejectedRecord[];
  /** A note that reports of its figures must include. */
  readonly note?: string;
}

/** The turns of one scope, and the questions about it. */
export interface EvaluationCase {
  readonly scope: string;
  /** In order; each has a `sourceId`. */
  readonly turns: readonly TurnInput[];
  /** Facts in the data set; their evidence is given by source and sourceId. */
  readonly facts: readonly FactInput[];
  readonly questions: readonly EvaluationQuestion[];
}

/** A question, its gold answer and its evidence turns. */
export interface EvaluationQuestion {
  /** Unique within the data set. */
  readonly id: string;
  readonly text: string;
  readonly category: string;
  readonly askedAt?: Milliseconds;
  /** Earlier questions of the same person, oldest first, that this one follows up. */
  readonly earlier?: readonly string[];
  /** Null if the gold is that memory has no answer. */
  readonly answer: string | null;
  /** As right as `answer`: other names. The words of an answer are scored by the nearest. */
  readonly otherAnswers?: readonly string[] | undefined;
  /** Why memory has no answer. */
  readonly explanation?: string | undefined;
  /** What an answer must say, point by point, for a judge that counts points. */
  readonly rubric?: readonly string[] | undefined;
  /** Source ids of turns of the case. A question without any does not count for recall. */
  readonly evidenceTurns: readonly string[];
  /** Sessions, by the names in the turns. */
  readonly evidenceSessions: readonly string[];
}

export interface DatasetOptions {
  readonly signal?: AbortSignal;
}

export interface DatasetReader {
  readonly name: string;
  /** Throws FileUnreadableError if the file as a whole cannot be read. */
  read(path: string, options?: DatasetOptions): Promise<EvaluationDataset>;
  /** Reads the data set without a file, if it ships with the package. */
  readBundled?(options?: DatasetOptions): Promise<EvaluationDataset>;
  /** The usual names of its file, by which it is found in a folder of data sets: a pattern of the path, "/" between folders. */
  readonly fileName?: RegExp;
  /** Written after the code and never to be tuned on: a suite runs it only if it is named. */
  readonly heldOut?: boolean;
  /** Another view of a file that a suite reads already, or never tried on real files: a suite runs it only if it is named. */
  readonly onlyNamed?: boolean;
}

/** Returns the turns of an entry's records and adds the rest to `rejected`. */
export function keepTurns(records: Iterable<ImportRecord>, rejected: RejectedRecord[]): TurnInput[] {
  const turns: TurnInput[] = [];
  for (const record of records) {
    if (record.kind === 'turn') turns.push(record.turn);
    else rejected.push(record);
  }
  return turns;
}

export function sourceIdsOf(turns: readonly TurnInput[]): Set<string> {
  return new Set(turns.flatMap((turn) => turn.sourceId ?? []));
}

/** Distinct sessions of the turns with these source ids, in the turns' order. */
export function sessionsOf(turns: readonly TurnInput[], sourceIds: readonly string[]): string[] {
  const wanted = new Set(sourceIds);
  const sessions = turns.flatMap((turn) => (wanted.has(turn.sourceId ?? '') ? (turn.session ?? []) : []));
  return [...new Set(sessions)];
}

/** Finds the source id of a turn of a case by its session and index, as results name turns. */
export type SourceIdAt = (turn: { readonly session: string; readonly index: number }) => string | undefined;

export function sourceIdsByPlace(turns: readonly TurnInput[]): SourceIdAt {
  const next = new Map<string, number>();
  const known = new Map<string, string | undefined>();
  for (const { session = 'main', index = next.get(session) ?? 0, sourceId } of turns) {
    next.set(session, index + 1);
    known.set(place(session, index), sourceId);
  }
  return ({ session, index }) => known.get(place(session, index));
}

function place(session: string, index: number): string {
  return JSON.stringify([session, index]);
}

/** Null if the entry is unusable; its reason is then added to `rejected`. */
export type CaseBuilder<Data> = (entry: Entry<Data>, rejected: RejectedRecord[]) => EvaluationCase | null;

/** Builds a case with one question. An entry without a valid question is rejected. */
export function caseOfQuestion<Data, Schema extends z.ZodType>(
  format: JsonFormat<Data>,
  schema: Schema,
  questionOf: (
    entry: Entry<Data>,
    written: z.output<Schema>,
    turns: readonly TurnInput[],
  ) => EvaluationQuestion,
): CaseBuilder<Data> {
  return (entry, rejections) => {
    const parsed = schema.safeParse(entry.data);
    if (!parsed.success) {
      rejections.push(rejected(entry.where, describeIssues(parsed.error)));
      return null;
    }
    const turns = keepTurns(format.records(entry, { prefixed: false }), rejections);
    return { scope: entry.id, turns, facts: [], questions: [questionOf(entry, parsed.data, turns)] };
  };
}

/** A data set of a JSON format: each entry is a case with its own scope. */
export async function readCases<Data>(
  format: JsonFormat<Data>,
  path: string,
  options: CaseOptions<Data>,
): Promise<EvaluationDataset> {
  return casesOf(format, await readEntryList(format, path, options.signal), options);
}

interface CaseOptions<Data> extends DatasetOptions {
  readonly build: CaseBuilder<Data>;
}

/** The same of entries that are read already. */
export async function casesOf<Data>(
  format: JsonFormat<Data>,
  list: readonly unknown[],
  { build, signal }: CaseOptions<Data>,
): Promise<EvaluationDataset> {
  const cases: EvaluationCase[] = [];
  const rejections: RejectedRecord[] = [];
  for (const entry of parseEntries(format, list)) {
    throwIfCancelled(signal);
    if (entry.kind === 'rejected') rejections.push(entry);
    else {
      const built = build(entry, rejections);
      if (built !== null) cases.push(built);
    }
    await breathe();
  }
  return { name: format.name, cases, rejected: rejections };
}

/** The cost of ingesting cases. */
export interface Ingested {
  readonly turns: number;
  readonly seconds: number;
  /** Turns that could not be read for facts. */
  readonly setAside: number;
  readonly usage: Usage;
}

export const NOTHING_INGESTED: Ingested = { turns: 0, seconds: 0, setAside: 0, usage: NO_USAGE };

export function plusIngested(a: Ingested, b: Ingested): Ingested {
  return {
    turns: a.turns + b.turns,
    seconds: a.seconds + b.seconds,
    setAside: a.setAside + b.setAside,
    usage: plusUsage(a.usage, b.usage),
  };
}

/** Adds a case to its scope and consolidates it. */
export async function ingestCase(
  memory: MemoryScope,
  { turns }: EvaluationCase,
  { signal, budget }: FlushOptions,
): Promise<Ingested> {
  const started = performance.now();
  const records = turns.map((turn, line) => ({ kind: 'turn' as const, turn, where: `turn ${line + 1}` }));
  let done: { readonly setAside: number; readonly usage: Usage } = NOTHING_INGESTED;
  try {
    for await (const event of memory.import(records, { signal, budget }))
      if (event.type === 'done') done = { setAside: event.counts.setAside, usage: event.usage };
    const rest = await memory.flush({ signal, budget });
    return {
      turns: turns.length,
      seconds: (performance.now() - started) / 1000,
      setAside: done.setAside + rest.counts.setAside,
      usage: plusUsage(done.usage, rest.usage),
    };
  } catch (error) {
    throw CancelledError.isInstance(error) ? cancelledEvaluation(signal) : error;
  }
}

export function cancelledEvaluation(signal: AbortSignal | undefined): CancelledError {
  return new CancelledError('no figures were printed', signal?.reason);
}

import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TurnInput } from '../src/model/turn-input.ts';
import { makeFolder } from '../src/util/files.ts';
import { isoDay } from '../src/util/iso-day.ts';
import { parseTimestamp } from '../src/util/parse-timestamp.ts';
import type { AnswerResult } from './answers-report.ts';
import type { EvaluationDataset } from './datasets/dataset.ts';
import type { Verdict } from './judge-answer.ts';
import { randomNumbers } from './metrics/random-numbers.ts';
import { withFileErrors } from './run-log.ts';

/**
 * One answer for a person to judge. It names neither who answered nor what other measures say, so that sheets of two
 * runs without `--judge` can be judged blind.
 */
export interface SheetRow {
  /** Names the question when sheets of several runs are compared. */
  readonly id: string;
  readonly question: string;
  /** Earlier questions that it follows up. */
  readonly earlier: readonly string[];
  /** Empty if memory has no answer. */
  readonly gold: string;
  /** Empty if it was declined. */
  readonly answer: string;
  readonly quotes: readonly string[];
  /** The gold evidence turns: day, speaker and words. */
  readonly evidence: readonly string[];
  /** The judge's; without one, empty for the person who judges: right, partly, wrong or declined. */
  readonly verdict: Verdict | '';
}

const COLUMNS = [
  ...['id', 'question', 'earlier', 'gold', 'answer', 'quotes', 'evidence', 'verdict'],
] as readonly (keyof SheetRow)[];

/** Rows in an order that depends only on the seed and on the questions. */
export function sheetRows(
  { cases }: Pick<EvaluationDataset, 'cases'>,
  results: readonly AnswerResult[],
  seed: number,
): SheetRow[] {
  const turns = new Map(cases.flatMap((each) => each.turns).map((turn) => [turn.sourceId, turn]));
  return shuffled(results, seed).map(({ question, answered, text, quotes, verdict }) => ({
    id: question.id,
    question: question.text,
    earlier: question.earlier ?? [],
    gold: question.answer ?? '',
    answer: answered ? text : '',
    quotes: quotes.map((quote) => quote.text),
    evidence: question.evidenceTurns.flatMap((id) => {
      const turn = turns.get(id);
      return turn === undefined ? [] : [turnText(turn)];
    }),
    verdict: verdict ?? '',
  }));
}

/** Day, speaker and words. */
export function turnText({ at = '', speaker = '', content }: TurnInput): string {
  const time = parseTimestamp(at);
  return `${time === null ? '' : `${isoDay(time)}, `}${speaker}: ${content}`;
}

/** Whether a path names a sheet, by its ending; other paths name the folder of the raw results. */
export function isSheet(path: string): boolean {
  return /\.(?:csv|jsonl)$/i.test(path);
}

/** Writes rows as CSV (RFC 4180, UTF-8) or JSON lines, by the ending. @throws StoreWriteError, DiskFullError */
export async function writeSheet(file: string, rows: readonly SheetRow[]): Promise<void> {
  const lines = file.toLowerCase().endsWith('.csv')
    ? [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((column) => cell(row[column])).join(','))]
    : rows.map((row) => JSON.stringify(row));
  await withFileErrors(file, async () => {
    await makeFolder(dirname(file));
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  });
}

/** A text that begins as a formula gets a space, so that a spreadsheet shows it as text. */
function cell(value: string | readonly string[]): string {
  const text = typeof value === 'string' ? value : value.join('\n');
  return `"${text.replace(/^[=+\-@]/, ' $&').replaceAll('"', '""')}"`;
}

/** Fisher and Yates's shuffle. */
function shuffled<T>(values: readonly T[], seed: number): T[] {
  const order = [...values];
  const random = randomNumbers(seed);
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

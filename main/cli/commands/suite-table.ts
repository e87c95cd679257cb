import type { Estimate } from '../../../eval/metrics/estimate.ts';
import type { SuiteReport, SuiteSet } from '../../../eval/suite.ts';
import type { CommandConsole } from '../console.ts';

const HEAD = ['data set', 'embedder', 'ranking', 'turn@3', '@5', '@10', 'session@10', 'p50 ms'];

/** A table over data sets. */
export interface SuiteTable {
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
  /** How many columns hold names: that of the data set, then names as the command line takes them. */
  readonly names: number;
  readonly notes: readonly string[];
}

export function tableInLines({ head, lines, names, notes }: SuiteTable, console: CommandConsole): string[] {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...lines.map((line) => line[column]!.length)),
  );
  const [first, ...rows] = [head, ...lines].map((line) =>
    line
      .map((cell, column) => (column < names ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
  return [console.style('bold', first!), ...rows, '', ...notes.map((note) => console.style('dim', note))];
}

export function tableInMarkdown({ head, lines, names, notes }: SuiteTable): string {
  const isName = (cell: string, column: number) =>
    column > 0 && column < names && cell !== '' && cell !== '–';
  const rows = lines.map((line) => line.map((cell, column) => (isName(cell, column) ? `\`${cell}\`` : cell)));
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...table, '', notes.join(' ')].join('\n');
}

export function absentSets({ skipped }: Pick<SuiteReport, 'skipped'>): string[] {
  return skipped.map(({ name, reason }) => `Without ${name}: ${reason}.`);
}

export function retrievalTable(report: SuiteReport): SuiteTable {
  return { head: HEAD, lines: report.sets.flatMap(linesOf), names: 3, notes: notesOf(report) };
}

/** The name of a set stands in its first line. */
function linesOf({ name, questions, rows }: SuiteSet): string[][] {
  return rows.map(({ embedder, ranking, turnRecall, sessionRecall, search }, position) => [
    position === 0 ? `${name} (${questions})` : '',
    embedder ?? '–',
    ranking,
    ...[turnRecall['3'], turnRecall['5'], turnRecall['10'], sessionRecall['10']].map(inWords),
    search.p50Ms?.toFixed(1) ?? '–',
  ]);
}

function inWords(estimate: Estimate | null): string {
  if (estimate === null) return '–';
  const [mean, low, high] = [estimate.mean, estimate.low, estimate.high].map((value) => value.toFixed(1));
  return `${mean} (${low}–${high})`;
}

function notesOf(report: SuiteReport): string[] {
  const { sets, intervals } = report;
  const { percent, resamples, seed } = intervals;
  const drawnBy = (unit: SuiteSet['resampled']) => {
    const names = sets.flatMap(({ name, resampled }) => (resampled === unit ? [name] : []));
    return names.length === 0 ? [] : [`${unit} (${names.join(', ')})`];
  };
  const units = [...drawnBy('conversations'), ...drawnBy('questions')].join(' or of ');
  return [
    'Recall in percent; beside a data set, its questions with evidence.',
    `In brackets ${percent} % intervals from ${resamples} resamples (seed ${seed}) of ${units}.`,
    ...absentSets(report),
  ];
}

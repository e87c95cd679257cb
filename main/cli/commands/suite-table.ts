import type { Estimate } from '../../../eval/metrics/estimate.ts';
import type { SuiteReport, SuiteSet } from '../../../eval/suite.ts';
import type { CommandConsole } from '../console.ts';

const HEAD = ['data set', 'embedder', 'ranking', 'turn@3', '@5', '@10', 'session@10', 'p50 ms'];

export function describeSuite(report: SuiteReport, console: CommandConsole): string[] {
  const lines = [HEAD, ...report.sets.flatMap(linesOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const [head, ...rows] = lines.map((line) =>
    line.map((cell, column) => (column < 3 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))),
  );
  return [
    console.style('bold', head!.join('  ')),
    ...rows.map((row) => row.join('  ')),
    '',
    ...notesOf(report).map((note) => console.style('dim', note)),
  ];
}

export function suiteInMarkdown(report: SuiteReport): string {
  const code = (cell: string) => (cell === '' || cell === '–' ? cell : `\`${cell}\``);
  const lines = report.sets.flatMap(linesOf);
  const rows = lines.map(([set, embedder, ranking, ...figures]) => [
    set!,
    code(embedder!),
    code(ranking!),
    ...figures,
  ]);
  const table = [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...table, '', notesOf(report).join(' ')].join('\n');
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

function notesOf({ sets, skipped, intervals: { percent, resamples, seed } }: SuiteReport): string[] {
  const drawnBy = (unit: SuiteSet['resampled']) => {
    const names = sets.flatMap(({ name, resampled }) => (resampled === unit ? [name] : []));
    return names.length === 0 ? [] : [`${unit} (${names.join(', ')})`];
  };
  const units = [...drawnBy('conversations'), ...drawnBy('questions')].join(' or of ');
  return [
    'Recall in percent; beside a data set, its questions with evidence.',
    `In brackets ${percent} % intervals from ${resamples} resamples (seed ${seed}) of ${units}.`,
    ...skipped.map(({ name, reason }) => `Without ${name}: ${reason}.`),
  ];
}

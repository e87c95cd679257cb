import type { RetrievalReport } from '../../../eval/evaluate-retrieval.ts';
import type { CommandConsole } from '../console.ts';

const WIDEST = 36;

export function describeReports(reports: readonly RetrievalReport[], console: CommandConsole): string[] {
  const [first] = reports;
  if (first === undefined) return [];
  const { ingest } = first;
  const calls = reports.reduce((sum, { usage }) => sum + usage.calls, 0);
  return [
    console.style('bold', `${first.dataset}, tier ${first.tier}: ${first.questions} questions with evidence`),
    `ingested ${ingest.turns} turns in ${ingest.seconds.toFixed(1)} s (${ingest.turnsPerSecond}/s), ${calls === 0 ? 'no' : calls} model calls`,
    '',
    ...recallTable(reports.map((report) => ({ name: report.recipe, report }))),
    '',
    ...categoryTable(reports),
    ...routeTable(reports.map((report) => ({ name: report.recipe, report }))),
    ...(first.note === undefined ? [] : ['', console.style('dim', first.note)]),
  ];
}

interface NamedReport {
  readonly name: string;
  readonly report: RetrievalReport;
}

function recallTable(lines: readonly NamedReport[]): string[] {
  const columns = ['turn@3', '@5', '@10', '@20', '@30', '@50', 'session@3', '@5', '@10', 'p50 ms', 'p95 ms'];
  return [
    row('recall in percent', columns),
    ...lines.map(({ name, report: { turnRecall: turn, sessionRecall: session, search } }) =>
      row(name, [
        ...[turn['3'], turn['5'], turn['10'], turn['20'], turn['30'], turn['50']],
        ...[session['3'], session['5'], session['10'], search.p50Ms, search.p95Ms],
      ]),
    ),
  ];
}

/** Empty unless a walk, a traversal or PageRank ran. */
function routeTable(lines: readonly NamedReport[]): string[] {
  const cells = lines.map(({ name, report }) => ({
    name,
    figures: [
      ...[report.system2HitRate, report.noAnswerRate, report.subgraphCoverage],
      ...[report.pagerankMs?.p50 ?? null, report.pagerankMs?.p95 ?? null],
    ],
  }));
  const measured = cells.filter(({ figures }) => figures.some((figure) => figure !== null));
  const widths = [14, 14, 10, 16, 10];
  if (measured.length === 0) return [];
  return [
    '',
    row('routes', ['System-2 hits', 'no answer', 'coverage', 'PageRank p50 ms', 'p95 ms'], widths),
    ...measured.map(({ name, figures }) => row(name, figures, widths)),
  ];
}

function categoryTable(reports: readonly RetrievalReport[]): string[] {
  const tables = reports.map(({ recipe, byCategory, withoutCategory5 }) => {
    const parts = '5' in byCategory ? { ...byCategory, 'without 5': withoutCategory5 } : byCategory;
    return { recipe, parts };
  });
  const names = Object.keys(tables[0]!.parts);
  const widths = names.map((name) => Math.max(10, name.length + 2));
  return [
    row('turn recall@10 by category', names, widths),
    ...tables.map(({ recipe, parts }) =>
      row(
        recipe,
        Object.values(parts).map((part) => part.turnRecall['10']),
        widths,
      ),
    ),
  ];
}

function row(
  name: string,
  cells: readonly (string | number | null)[],
  widths: readonly number[] = [],
): string {
  const text = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : (cell ?? '–')));
  return name.padEnd(WIDEST) + text.map((cell, column) => cell.padStart(widths[column] ?? 10)).join('');
}

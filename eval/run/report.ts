import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Usage } from '../../src/model/retrieved-item.ts';
import { makeFolder } from '../../src/util/files.ts';
import { INTERVALS } from '../metrics/estimate.ts';
import { withFileErrors } from '../run-log.ts';
import { type Figure, figuresOfLine, METRICS } from './metrics.ts';
import { barChart } from './plot.ts';
import type { EvaluationResult, LineResult } from './run-evaluation.ts';
import type { ResolvedRow, Spec } from './spec.ts';

/** What one memory cost to write. */
export interface WrittenMemory {
  readonly name: string;
  readonly profile: string;
  readonly turns: number;
  readonly seconds: number;
  readonly setAside: number;
  readonly usage: Usage;
}

/** A table with its figures. */
export interface TableReport {
  readonly name: string;
  readonly title: string;
  readonly notes: readonly string[];
  /** Lines of the setting: data set, models, seeds. */
  readonly setting: Readonly<Record<string, string>>;
  readonly lines: readonly ReportLine[];
  readonly memories: readonly WrittenMemory[];
  readonly skipped: EvaluationResult['skipped'];
}

interface ReportLine {
  readonly label: string;
  readonly profile: string;
  readonly recipe: string;
  readonly context: string;
  readonly answerer: string;
  readonly judge: string | null;
  readonly questions: number;
  readonly figures: Readonly<Record<string, Figure>>;
  /** The paper's figures, by metric. */
  readonly paper: Readonly<Record<string, number>>;
}

export function reportOf(
  { name, title = name, note }: Spec,
  results: readonly LineResult[],
  more: Pick<TableReport, 'setting' | 'memories' | 'skipped'> & { readonly datasetNote?: string | undefined },
): TableReport {
  const notes = [note, more.datasetNote].filter((each) => each !== undefined);
  const lines = results.map(({ row, answers }) => ({
    ...wordsOf(row),
    questions: new Set(answers.map(({ scope, id }) => JSON.stringify([scope, id]))).size,
    figures: Object.fromEntries(figuresOfLine(answers)),
    paper: row.paper,
  }));
  const { setting, memories, skipped } = more;
  return { name, title, notes, setting, lines, memories, skipped };
}

function wordsOf({ label, profile, recipe, context, answerer, judge }: ResolvedRow) {
  return {
    label,
    profile: typeof recipe === 'string' ? 'none' : profile.name,
    recipe: typeof recipe === 'string' ? recipe : recipe.name,
    context:
      context === 'filled'
        ? context
        : `${context.turns} turns, ${context.facts} facts, ${context.entities} entities`,
    answerer,
    judge,
  };
}

/** Files of a report in its folder. */
export const REPORT_FILES = { json: 'table.json', csv: 'table.csv', markdown: 'table.md' } as const;

/** Writes the table as JSON, CSV and Markdown, and a plot of each metric that the paper prints or a judge gave. */
export async function writeReport(folder: string, report: TableReport): Promise<readonly string[]> {
  const plots = plotted(report);
  const files: Record<string, string> = {
    [REPORT_FILES.json]: `${JSON.stringify(report, null, 2)}\n`,
    [REPORT_FILES.csv]: csvOf(report),
    [REPORT_FILES.markdown]: markdownOf(report, plots),
    ...Object.fromEntries(plots.map((metric) => [plotFile(metric), plotOf(report, metric)])),
  };
  await makeFolder(folder);
  const paths: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    const known = await readFile(path, 'utf8').catch(() => null);
    if (known !== text) await withFileErrors(path, () => writeFile(path, text, { mode: 0o600 }));
    paths.push(path);
  }
  return paths;
}

/** One line per metric: fit for any program that draws. */
export function csvOf({ name, lines }: TableReport): string {
  const rows = lines.flatMap(({ figures, paper, ...line }) =>
    columnsOf([{ figures, paper }]).map((metric) => {
      const figure = figures[metric];
      return [
        ...[name, line.label, line.profile, line.recipe, line.context, line.answerer, line.judge ?? ''],
        ...[
          line.questions,
          metric,
          figure?.mean ?? '',
          figure?.low ?? '',
          figure?.high ?? '',
          paper[metric] ?? '',
        ],
      ];
    }),
  );
  const head = ['table', 'line', 'profile', 'recipe', 'context', 'answerer', 'judge', 'questions'];
  return [[...head, 'metric', 'value', 'low', 'high', 'paper'], ...rows]
    .map((row) => `${row.map(cell).join(',')}\n`)
    .join('');
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Metrics that a line has, in the order of `METRICS`; those of the paper alone come last. */
function columnsOf(lines: readonly Pick<ReportLine, 'figures' | 'paper'>[]): string[] {
  const has = (metric: string) => lines.some(({ figures, paper }) => metric in figures || metric in paper);
  const known: string[] = METRICS.map(({ name }) => name).filter(has);
  const further = lines
    .flatMap(({ paper }) => Object.keys(paper))
    .filter((metric) => !known.includes(metric));
  return [...known, ...new Set(further)];
}

/** Columns that a reader looks at; the others are in the CSV. */
const SHOWN = new Set([
  ...[
    'turn@5',
    'turn@10',
    'session@10',
    'context',
    'context or facts',
    'F1',
    'BLEU-1',
    'exact match',
    'judge',
    'declined',
  ],
  ...['context tokens', 'prompt tokens', 'ms'],
]);

export function markdownOf(report: TableReport, plots: readonly string[] = []): string {
  const { title, setting, notes, memories } = report;
  return [
    `# ${title}\n`,
    ...Object.entries(setting).map(([key, value]) => `- ${key}: ${value}`),
    `- intervals: ${INTERVALS.percent} %, bootstrap over conversations, ${INTERVALS.resamples} samples\n`,
    ...notes.map((note) => `${note}\n`),
    tableInMarkdown(report),
    ...memoriesOf(memories),
    ...(plots.length === 0 ? [] : ['', ...plots.map((metric) => `![${metric}](${plotFile(metric)})`)]),
    '',
  ].join('\n');
}

/** The figures that a reader looks at, the paper's beside ours, and what was skipped. */
export function tableInMarkdown({ lines, skipped }: TableReport): string {
  const ofPaper = new Set(lines.flatMap(({ paper }) => Object.keys(paper)));
  const columns = columnsOf(lines).filter((metric) => SHOWN.has(metric) || ofPaper.has(metric));
  const head = [
    'line',
    'questions',
    ...columns.flatMap((metric) => (ofPaper.has(metric) ? [metric, 'paper'] : [metric])),
  ];
  const rows = lines.map(({ label, questions, figures, paper }) => [
    label,
    String(questions),
    ...columns.flatMap((metric) => [
      figureText(figures[metric]),
      ...(ofPaper.has(metric) ? [paper[metric] === undefined ? '–' : String(paper[metric])] : []),
    ]),
  ]);
  return [
    ...tableOf(head, rows),
    ...skipped.map(({ label, reason }) => `\nskipped: ${label}. ${reason}`),
  ].join('\n');
}

function memoriesOf(memories: readonly WrittenMemory[]): string[] {
  if (memories.length === 0) return [];
  const rows = memories.map(({ profile, turns, seconds, setAside, usage }) =>
    [
      profile,
      turns,
      seconds.toFixed(0),
      setAside,
      usage.calls,
      usage.promptTokens,
      usage.completionTokens,
    ].map(String),
  );
  const head = ['memory of', 'turns', 'seconds', 'set aside', 'calls', 'prompt tokens', 'completion tokens'];
  return ['', ...tableOf(head, rows)];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map((_, at) => (at === 0 ? '---' : '---:')).join('|')}|`, ...rows.map(line)];
}

function figureText(figure: Figure | undefined): string {
  if (figure === undefined) return '–';
  const { mean, low, high } = figure;
  return low === null ? mean.toFixed(1) : `${mean.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)})`;
}

const ALWAYS_PLOTTED = ['judge', 'F1', 'turn@10', 'context'];

function plotted({ lines }: TableReport): string[] {
  const ofPaper = lines.flatMap(({ paper }) => Object.keys(paper));
  const wanted = new Set([...ALWAYS_PLOTTED, ...ofPaper]);
  return columnsOf(lines).filter(
    (metric) => wanted.has(metric) && lines.some(({ figures }) => metric in figures),
  );
}

function plotFile(metric: string): string {
  return `${metric.replaceAll(/[^\w-]+/g, '-')}.svg`;
}

function plotOf({ title, lines }: TableReport, metric: string): string {
  const isShare = METRICS.find(({ name }) => name === metric)?.isShare ?? false;
  const bars = lines.map(({ label, figures, paper }) => ({
    label,
    figure: figures[metric] ?? null,
    mark: paper[metric] ?? null,
  }));
  return barChart(bars, { title: `${title}: ${metric}`, most: isShare ? 100 : null });
}

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { mnemisVersion } from '../main/version.ts';
import { FIGURES, type Figure, type FigureGroup } from './guard/figures.ts';

const KEPT = join(import.meta.dirname, 'guard.json');
const MEASURE = join(import.meta.dirname, 'guard/measure.ts');
const BUILT = join(import.meta.dirname, '../dist/main/cli/main.js');

const figuresSchema = z.record(z.string(), z.number().positive());
const keptSchema = z.strictObject({ version: z.string(), figures: figuresSchema });
type Figures = Readonly<Record<string, number>>;

/** How much a figure may exceed the kept one. */
const TOLERANCE = 0.15;
/** A group is measured so often, and a group with a figure that exceeds its limit so often again. */
const [REPEATS, MORE_REPEATS] = [2, 3];
/** For figures to keep: their median, which the least of a few exceeds only where more was spent. */
const REPEATS_TO_KEEP = 3;

export interface GuardOptions {
  /** Part of the names of the figures to measure; default: all. */
  readonly only?: string | undefined;
  /** Keeps the figures as measured now, instead of a comparison. */
  readonly update: boolean;
}

/** A figure beside the kept one; `limit` is null for one that was never kept. */
export interface GuardedFigure {
  readonly figure: string;
  readonly before: number | null;
  readonly now: number;
  readonly ratio: number | null;
  readonly limit: number | null;
  readonly isWithin: boolean;
}

/** Compares what matters of speed and size with the figures of the last release in `guard.json`. */
export function benchGuard({ only = '', update }: GuardOptions): readonly GuardedFigure[] {
  if (!existsSync(BUILT)) throw new TypeError('The package is not built; run: npm run build');
  const kept = keptSchema.parse(JSON.parse(readFileSync(KEPT, 'utf8')));
  const wanted = (figure: string) => figure.includes(only);
  const groups = (Object.keys(FIGURES) as FigureGroup[]).filter((group) => FIGURES[group].some(wanted));
  const rows = groups.flatMap((group) => {
    const names = FIGURES[group].filter(wanted);
    return update ? measured(group, names) : compared(group, { names, kept: kept.figures });
  });
  if (rows.length === 0) throw new TypeError(`No figure has "${only}" in its name`);
  if (update) {
    const now = Object.fromEntries(rows.map(({ figure, now: value }) => [figure, value]));
    const figures = { ...(only === '' ? {} : kept.figures), ...now };
    writeFileSync(KEPT, `${JSON.stringify({ version: mnemisVersion(), figures }, null, 2)}\n`);
  }
  return rows;
}

function measured(group: FigureGroup, names: readonly Figure[]): GuardedFigure[] {
  const runs = Array.from({ length: REPEATS_TO_KEEP }, (_, run) => measure(group, run));
  return names.map((figure) => {
    const values = runs.map((run) => run[figure]!).toSorted((a, b) => a - b);
    return row(figure, Number(values[values.length >> 1]!.toPrecision(4)), null);
  });
}

/** The least of all runs counts: other programs only add. */
function compared(
  group: FigureGroup,
  { names, kept }: { readonly names: readonly Figure[]; readonly kept: Figures },
): GuardedFigure[] {
  const runs: Figures[] = [];
  const rows = () =>
    names.map((figure) => row(figure, Math.min(...runs.map((run) => run[figure]!)), kept[figure] ?? null));
  while (runs.length < REPEATS) runs.push(measure(group, runs.length));
  const isRepeated = () => rows().some(({ isWithin, before }) => !isWithin && before !== null);
  while (runs.length < REPEATS + MORE_REPEATS && isRepeated()) runs.push(measure(group, runs.length));
  return rows();
}

function row(figure: string, now: number, before: number | null): GuardedFigure {
  const limit = before === null ? null : before * (1 + TOLERANCE);
  const ratio = before === null ? null : now / before;
  return { figure, before, now, ratio, limit, isWithin: limit !== null && now <= limit };
}

function measure(group: FigureGroup, run: number): Figures {
  process.stderr.write(`${group}, run ${run + 1}\n`);
  const argv = ['--import', 'tsx', MEASURE, group];
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  if (status !== 0) throw new TypeError(`The figures of ${group} could not be measured: ${stderr}`);
  return figuresSchema.parse(JSON.parse(stdout));
}

/** A table of the figures, less being better. */
export function describeGuard(rows: readonly GuardedFigure[]): string {
  const number = (value: number | null) => (value === null ? 'none' : String(Number(value.toPrecision(3))));
  const lines = rows.map(({ figure, before, now, ratio, limit, isWithin }) => [
    figure,
    ...[before, now, ratio, limit].map(number),
    isWithin ? '' : limit === null ? 'not kept' : 'EXCEEDED',
  ]);
  const table = [['figure', 'then', 'now', 'ratio', 'limit', ''], ...lines];
  const widths = table[0]!.map((_, at) => Math.max(...table.map((line) => line[at]!.length)));
  const cell = (text: string, at: number) =>
    at === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[at]!);
  return table.map((line) => line.map(cell).join('  ').trimEnd()).join('\n');
}

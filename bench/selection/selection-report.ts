import { percentile } from '../../eval/metrics/numbers.ts';
import { round } from '../temporary-memory.ts';
import type { Outcome } from './asked-question.ts';
import { DEAREST } from './levers.ts';
import { REHEARSALS, type RehearsalName } from './rehearsed-picks.ts';

/** One question, asked with one lever. */
export interface Measured extends Outcome {
  readonly calls: number;
  readonly prompt: number;
  readonly completion: number;
  /** Prompt tokens in a common prefix with an earlier prompt of the same memory. */
  readonly shared: number;
  /** The part of them that a provider caches. */
  readonly held: number;
}

export interface MemorySize {
  readonly size: string;
  readonly memories: number;
  readonly questions: number;
  readonly turns: number;
  readonly entities: number;
  readonly categories: number;
  readonly topNodes: number;
}

/** Means over questions; tokens are of prompts. */
export interface SelectionRow {
  readonly size: string;
  readonly rehearsal: RehearsalName | 'none';
  readonly lever: string;
  readonly questions: number;
  readonly calls: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly shared: number;
  readonly held: number;
  readonly completion: number;
  /** In percent, as are the following. */
  readonly coverage: number;
  readonly recallAt10: number;
  readonly found: number;
}

/** The cheapest levers without a loss, by size of memory and by the metric to keep. */
export interface Cheapest {
  readonly size: string;
  readonly keepingCoverage: string;
  readonly keepingRecallToo: string;
}

export interface SelectionReport {
  readonly questionsPerMemory: number;
  readonly seed: number;
  readonly sizes: readonly MemorySize[];
  readonly rows: readonly SelectionRow[];
  readonly cheapest: readonly Cheapest[];
}

/** Tolerance in percentage points. */
const SLACK = 1;

export function summaryOf(all: readonly Measured[]): Omit<SelectionRow, 'size' | 'rehearsal' | 'lever'> {
  const mean = (of: (each: Measured) => number) => all.reduce((sum, each) => sum + of(each), 0) / all.length;
  const prompts = all.map(({ prompt }) => prompt);
  return {
    questions: all.length,
    calls: round(mean(({ calls }) => calls)),
    mean: Math.round(mean(({ prompt }) => prompt)),
    p50: Math.round(percentile(prompts, 50)!),
    p90: Math.round(percentile(prompts, 90)!),
    shared: Math.round(mean(({ shared }) => shared)),
    held: Math.round(mean(({ held }) => held)),
    completion: Math.round(mean(({ completion }) => completion)),
    coverage: percent(mean(({ coverage }) => coverage)),
    recallAt10: percent(mean(({ recall }) => recall)),
    found: percent(mean(({ found }) => (found ? 1 : 0))),
  };
}

/**
 * A lever has no loss if it finds as much as the most expensive one with every simulated model; its cost is the highest
 * of them.
 */
export function cheapestLevers(rows: readonly SelectionRow[]): Cheapest[] {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  return sizes.map((size) => {
    const here = rows.filter((row) => row.size === size && row.rehearsal !== 'none');
    const least = (figures: readonly ('coverage' | 'recallAt10')[]) => {
      const keeps = ({ lever }: SelectionRow) =>
        REHEARSALS.every((rehearsal) => {
          const of = (name: string) => here.find((row) => row.lever === name && row.rehearsal === rehearsal)!;
          return figures.every((figure) => of(lever)[figure] >= of(DEAREST)[figure] - SLACK);
        });
      const cost = ({ lever }: SelectionRow) =>
        Math.max(...here.filter((row) => row.lever === lever).map(({ mean }) => mean));
      return here.filter(keeps).toSorted((a, b) => cost(a) - cost(b))[0]!.lever;
    };
    return {
      size,
      keepingCoverage: least(['coverage']),
      keepingRecallToo: least(['coverage', 'recallAt10']),
    };
  });
}

/** Tables in Markdown. */
export function describeReport({ sizes, rows, cheapest, ...run }: SelectionReport): string {
  const memories = table(
    ['sessions', 'memories', 'questions', 'turns', 'entities', 'categories', 'top nodes'],
    sizes.map((size) => Object.values(size)),
  );
  const costs = sizes.flatMap(({ size }) => [
    `Sessions: ${size}`,
    table(
      [
        'picks',
        'lever',
        'calls',
        'prompt p50',
        'p90',
        'mean',
        'of it shared',
        'held',
        'completion',
        ...SHARES,
      ],
      rows
        .filter((row) => row.size === size)
        .map((row) => [
          ...[row.rehearsal, row.lever, row.calls, row.p50, row.p90, row.mean, row.shared, row.held],
          ...[row.completion, row.coverage.toFixed(1), row.recallAt10.toFixed(1), row.found.toFixed(1)],
        ]),
    ),
  ]);
  const best = table(
    ['sessions', 'least tokens, coverage kept', 'least tokens, recall kept too'],
    cheapest.map((each) => Object.values(each)),
  );
  return [
    `At most ${run.questionsPerMemory} questions of a memory, seed ${run.seed}`,
    ...[memories, ...costs, best],
  ].join('\n\n');
}

const SHARES = ['coverage', 'recall@10', 'found'];

function table(head: readonly string[], lines: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) => (typeof value === 'number' ? value.toLocaleString('en') : value);
  const row = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [row(head), `|${head.map(() => '---|').join('')}`, ...lines.map(row)].join('\n');
}

function percent(share: number): number {
  return Math.round(1_000 * share) / 10;
}

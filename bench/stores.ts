import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { calibrate } from './calibration.ts';
import type { StoreFigures } from './stores/measure.ts';
import { type BenchSize, inTemporaryFolder, round } from './temporary-memory.ts';

interface StoresOptions extends BenchSize {
  readonly runs: number;
}

/** Endings of the memory's file, which decide on the store. */
const ENDINGS = { kuzu: '.db', sqlite: '.sqlite' } as const;
type StoreName = keyof typeof ENDINGS;

const MEASURE = fileURLToPath(new URL('./stores/measure.ts', import.meta.url));

/**
 * The same turns, openings, questions and compaction with each store that keeps a memory in a file: the figures of each
 * run, and of SQLite as a multiple of Kùzu, by the medians of the runs. The stores take turns.
 */
export async function benchStores({ episodes, dimension, runs }: StoresOptions) {
  const calibration = await calibrate();
  const figures: Record<StoreName, StoreFigures[]> = { kuzu: [], sqlite: [] };
  for (let run = 1; run <= runs; run += 1)
    for (const name of ['kuzu', 'sqlite'] as const) {
      process.stderr.write(`Run ${run} of ${runs}: ${name}\n`);
      figures[name].push(await measure(name, { episodes, dimension }));
    }
  const names = Object.keys(figures.kuzu[0] ?? {}) as (keyof StoreFigures)[];
  const medians = (name: StoreName) =>
    Object.fromEntries(names.map((figure) => [figure, median(figures[name].map((each) => each[figure]))]));
  const [kuzu, sqlite] = [medians('kuzu'), medians('sqlite')];
  const ratios = Object.fromEntries(names.map((name) => [name, round(sqlite[name]! / kuzu[name]!)]));
  return { episodes, dimension, runs, medians: { kuzu, sqlite }, sqliteToKuzu: ratios, figures, calibration };
}

function measure(name: StoreName, { episodes, dimension }: BenchSize): Promise<StoreFigures> {
  return inTemporaryFolder(async (file) => {
    const path = file.replace(/\.db$/, ENDINGS[name]);
    const step = (step: string) => runStep([step, path, String(episodes), String(dimension)]);
    const [ingest, search] = [step('ingest'), step('search')];
    await rm(`${path}.indexes`, { recursive: true });
    return { ...ingest, ...search, ...step('rebuild'), ...step('compact') } as StoreFigures;
  });
}

/** Runs a step of `stores/measure.ts` in a process of its own: its name, path, episodes and dimension. */
export function runStep(argv: readonly string[]): Partial<StoreFigures> {
  const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', MEASURE, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new TypeError(`The step ${argv[0]} failed`);
  return JSON.parse(stdout) as Partial<StoreFigures>;
}

/** Of an odd number of values; of an even number the lower one in the middle. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1]!;
}

import { rm } from 'node:fs/promises';
import { calibrate } from './calibration.ts';
import type { StoreFigures } from './stores/measure.ts';
import { runStep } from './stores.ts';
import { inTemporaryFolder, round } from './temporary-memory.ts';

interface GrowthOptions {
  /** Numbers of episodes, ascending. */
  readonly sizes: readonly number[];
  readonly dimension: number;
  /** Whether turns are only stored and searched, not consolidated. */
  readonly storedOnly: boolean;
  readonly ending: '.db' | '.sqlite';
}

/**
 * What a memory costs by its size: ingestion, opening, searches, memory and file, each step in a process of its own; and
 * by how much each figure grows while the memory grows from the smallest size.
 */
export async function benchGrowth({ sizes, dimension, storedOnly, ending }: GrowthOptions) {
  const calibration = await calibrate();
  const bySize: Record<string, Partial<StoreFigures>> = {};
  for (const episodes of sizes) {
    process.stderr.write(`${episodes} episodes\n`);
    bySize[episodes] = await measure(episodes, { dimension, storedOnly, ending });
  }
  const first = bySize[sizes[0]!]!;
  const growth = Object.fromEntries(
    sizes.slice(1).map((size) => [size, ratios(bySize[size]!, first)] as const),
  );
  return { dimension, storedOnly, ending, bySize, growth, calibration };
}

function measure(
  episodes: number,
  { dimension, storedOnly, ending }: Omit<GrowthOptions, 'sizes'>,
): Promise<Partial<StoreFigures>> {
  return inTemporaryFolder(async (file) => {
    const path = file.replace(/\.db$/, ending);
    const step = (name: string) => runStep([name, path, String(episodes), String(dimension)]);
    const [written, searched] = [step(storedOnly ? 'store' : 'ingest'), step('search')];
    await rm(`${path}.indexes`, { recursive: true });
    return { ...written, ...searched, ...step('rebuild') };
  });
}

function ratios(figures: Partial<StoreFigures>, first: Partial<StoreFigures>) {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, round(value / first[name as keyof StoreFigures]!)]),
  );
}

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mnemis } from '../src/engine.ts';
import { HashingEmbedder } from '../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../src/search/analyzer.ts';
import { syntheticTurns } from './synthetic-turns.ts';

export interface BenchSize {
  readonly episodes: number;
  readonly dimension: number;
}

export const SCOPE = 'bench';

interface BenchMemory {
  /** Whether waiting turns are consolidated when the memory is closed. Default true. */
  readonly isAutomatic?: boolean;
}

export function openBench(
  path: string,
  dimension: number,
  { isAutomatic: automatic = true }: BenchMemory = {},
): Promise<Mnemis> {
  const embedder = new HashingEmbedder({ dimension, analyze });
  return Mnemis.open({ path, embedder, automatic });
}

/**
 * Fills a new memory with synthetic turns and returns the seconds it took. With `enrich` false they are stored and
 * searchable, but not consolidated.
 */
export async function fill(engine: Mnemis, episodes: number, { enrich = true } = {}): Promise<number> {
  let line = 0;
  function* records() {
    for (const turn of syntheticTurns(episodes))
      yield { kind: 'turn' as const, turn, where: `turn ${++line}` };
  }
  const started = performance.now();
  let shown = started;
  for await (const event of engine.scope(SCOPE).import(records(), { enrich })) {
    if (performance.now() - shown < 5_000 || event.type === 'rejected') continue;
    shown = performance.now();
    process.stderr.write(`${event.counts.added} of ${episodes} turns\n`);
  }
  return (performance.now() - started) / 1000;
}

export async function inTemporaryFolder<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-bench-'));
  try {
    return await work(join(folder, 'bench.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function megabytesOf(path: string): Promise<number> {
  const { size } = await stat(path);
  return Math.round(size / 1e5) / 10;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';
import { currentTier, type Tier } from './test/tier.ts';

const SLOW = 'test/**/*.slow.test.ts';

// Kùzu's threads each get a heap of glibc's, which grows by a page at a time: an open takes ten times the processor time
// and 200 MB more. Read when a process starts, so it reaches the workers and their children.
process.env.MALLOC_ARENA_MAX ??= '1';

export default defineConfig({
  test: {
    ...filesOf(currentTier()),
    // Kùzu is a native add-on: worker threads of one process would share it, forks do not.
    pool: 'forks',
    maxWorkers: 3,
    // Modules are loaded once in each worker, a third of the time otherwise; they have no state to share.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    globalSetup: 'test/temporary-folder.ts',
    setupFiles: ['test/unstub-after-file.ts', 'test/allocator-of-children.ts'],
    experimental: { fsModuleCache: true },
    // Ends what hangs, on the slowest machine; how fast something is, is no matter of these limits.
    ...limits(currentTier()),
    // On a busy machine a worker that has opened hundreds of databases takes more than the usual ten seconds to end.
    teardownTimeout: 60_000,
  },
});

function filesOf(tier: Tier): { include: string[]; exclude: string[] } {
  if (tier === 'fast') return { include: ['test/**/*.test.ts'], exclude: [SLOW] };
  const counted = countedFiles();
  return { include: tier === 'slow' ? [SLOW, ...counted] : counted, exclude: [] };
}

/** In milliseconds. A test names its own only if it takes longer. */
function limits(tier: Tier): Partial<InlineConfig> {
  const limit = tier === 'fast' ? 120_000 : 900_000;
  return { testTimeout: limit, hookTimeout: limit, expect: { poll: { timeout: 60_000 } } };
}

/** Test files whose counts depend on the tier. */
function countedFiles(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((name) => /from '(\.\.?\/)+tier\.ts'/.test(readFileSync(name, 'utf8')));
}

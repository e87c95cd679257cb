import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programArguments } from '../child-program.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const folder = freshFolder();
const PROGRAM = join(import.meta.dirname, 'open-memory-program.ts');
const MEGABYTE = 1e6;

/** What a process prints, with the allocator as a user has it (see `allocator-of-children.ts`). */
function printed(argv: readonly string[]): number {
  const { GLIBC_TUNABLES: _1, MALLOC_TOP_PAD_: _2, MALLOC_TRIM_THRESHOLD_: _3, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, [...argv], { encoding: 'utf8', env });
  expect(stderr).toBe('');
  return Number(stdout);
}

it.each(['memory.db', 'memory.sqlite'])('an empty memory, %s, takes at most 120 MB above Node.js', (name) => {
  const idle = printed(['-e', 'process.stdout.write(String(process.memoryUsage.rss()))']);
  const opened = printed([...programArguments(PROGRAM), join(folder, name)]);
  expect(opened - idle).toBeGreaterThan(10 * MEGABYTE);
  expect(opened - idle).toBeLessThan(120 * MEGABYTE);
});

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const folder = freshFolder();
const PROGRAM = join(import.meta.dirname, 'loaded-modules-program.ts');

/** Packages and models by stage. */
function loadedFor(path: string): Readonly<Record<string, readonly string[]>> {
  const argv = ['--import', import.meta.resolve('tsx'), PROGRAM, path];
  const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const stages = z.record(z.string(), z.array(z.string())).parse(JSON.parse(stdout));
  const named = (url: string) =>
    /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? /^models\/.*/.exec(url)?.[0] ?? [];
  return Object.fromEntries(
    Object.entries(stages).map(([stage, urls]) => [stage, [...new Set(urls.flatMap(named))].sort()]),
  );
}

it('each stage of a memory loads the packages and models that it needs, and nothing before', () => {
  const { import: imported, ...stages } = loadedFor(join(folder, 'a.sqlite'));
  expect(imported).toEqual([
    'chrono-node',
    'eventemitter3',
    'is-network-error',
    'jsonrepair',
    'lru-cache',
    'p-queue',
    'p-retry',
    'p-timeout',
    'stemmer',
    'uuid',
    'zod',
  ]);
  expect(stages).toEqual({
    open: ['node-sqlite3-wasm'],
    search: ['models/static-en.bin'],
    flush: ['models/nouns-en.bin', 'models/tagger-en.bin', 'wink-eng-lite-web-model', 'wink-nlp'],
    ask: [],
  });
});

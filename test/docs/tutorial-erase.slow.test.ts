import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { examplesOf } from '../examples-of.ts';
import { ROOT } from '../main/cli/fake-terminal.ts';

/** Words of the session that the tutorial forgets; one that a remaining turn holds. */
const FORGOTTEN = ['cello', 'orchestra', 'Antwerp', 'Lena'];
const REMAINING = 'Ghent';
const ERASES = 'await engine.compact();';

/** Runs a program in a new folder, and returns which of the words its memory's files hold. */
function wordsLeftBy(program: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tutorial-'));
  const source = pathToFileURL(join(ROOT, 'src/index.ts')).href;
  const file = join(folder, 'tutorial.mts');
  writeFileSync(file, program.replace("from 'mnemis'", `from '${source}'`));
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', pathToFileURL(join(ROOT, 'node_modules/tsx/dist/loader.mjs')).href, file],
    { cwd: folder, encoding: 'utf8', timeout: 60_000 },
  );
  expect([status, stderr]).toEqual([0, '']);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== 'tutorial.mts',
  );
  expect(files.length).toBeGreaterThan(0);
  const bytes = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
  return [...FORGOTTEN, REMAINING].filter((word) => bytes.includes(word));
}

describe('the erase of the tutorial', () => {
  const [program = ''] = examplesOf(readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8'));

  it('leaves no byte of the forgotten turns in any file', () => {
    expect(program).toContain(ERASES);
    expect(wordsLeftBy(program)).toEqual([REMAINING]);
  });

  it('is what removes them', () => {
    expect(wordsLeftBy(program.replace(ERASES, ''))).toEqual([...FORGOTTEN, REMAINING]);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The most lines that the TypeScript of a folder may have; `css` counts the style sheets of the app. */
const CEILINGS = {
  src: 118_320,
  main: 33_080,
  renderer: 24_720,
  graphs: 3_220,
  eval: 8_800,
  bench: 8_220,
  scripts: 2_720,
  test: 117_790,
  css: 4_920,
};
const ADVICE =
  'Lower the ceiling when a folder shrinks. To raise it, add a line to CHANGELOG.md that says what users get for it.';

describe('size', () => {
  it.each(Object.entries(CEILINGS))('keeps %s within %d lines', (folder, ceiling) => {
    const lines = folder === 'css' ? linesIn('renderer', /\.css$/) : linesIn(folder, /\.tsx?$/);
    expect(lines, `${folder} has ${lines} lines. ${ADVICE}`).toBeLessThanOrEqual(ceiling);
    expect(lines).toBeGreaterThan(ceiling / 2); // the count works
  });
});

function linesIn(folder: string, files: RegExp): number {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => files.test(name))
    .reduce((sum, name) => sum + readFileSync(join(ROOT, folder, name), 'utf8').split('\n').length - 1, 0);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const PAGE = join(import.meta.dirname, '../../dist/renderer');
/** Kilobytes that the first screen may wait for. */
const MOST = 420;

/** The scripts of the built page without those that are loaded on demand: what the entry names, and imports of these. */
function initialScripts(): ReadonlyMap<string, string> {
  const entry = readFileSync(join(PAGE, 'index.html'), 'utf8');
  const waiting = Array.from(entry.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g), ([, path]) => path!);
  const found = new Map<string, string>();
  for (const path of waiting) {
    if (found.has(path)) continue;
    const code = readFileSync(join(PAGE, path), 'utf8');
    found.set(path, code);
    const imports = code.matchAll(
      /(?:^|[;}])\s*(?:import|export)\s*(?:[^"'();]*?\bfrom\s*)?["']\.\/([^"']+\.js)["']/g,
    );
    for (const [, name] of imports) waiting.push(`assets/${name}`);
  }
  return found;
}

test('the code that the first screen waits for is small', () => {
  const scripts = initialScripts();
  const kilobytes = [...scripts.values()].reduce((sum, code) => sum + gzipSync(code).length, 0) / 1_000;
  expect(scripts.size).toBeGreaterThan(5);
  expect(kilobytes).toBeGreaterThan(MOST / 2); // the count works
  expect(kilobytes).toBeLessThanOrEqual(MOST);
});

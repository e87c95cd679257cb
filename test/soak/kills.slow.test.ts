import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inTier } from '../tier.ts';
import { runKills } from './kills.ts';

const COUNT = inTier({ fast: 2, slow: 8, long: 200 });
const folder = mkdtempSync(join(tmpdir(), 'mnemis-kills-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(`a memory comes through ${COUNT} kills with every acknowledged turn, and verify finds nothing`, {
  timeout: COUNT * 60_000,
}, async () => {
  const report = await runKills({ count: COUNT, seed: 7, folder });
  expect(report.kills).toBe(COUNT);
  expect(report.acknowledged).toBeGreaterThan(0);
  expect(Object.keys(report.during).length).toBeGreaterThan(1);
});

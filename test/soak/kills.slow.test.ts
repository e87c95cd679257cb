import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { FILE_STORES } from '../store/file-stores.ts';
import { inTier } from '../tier.ts';
import { runKills } from './kills.ts';

const COUNT = inTier({ fast: 2, slow: 24, long: 200 });

it.each(FILE_STORES)(
  `a memory in $name comes through ${COUNT} kills with every acknowledged turn, and verify finds nothing`,
  { timeout: COUNT * 60_000 },
  async ({ ending }) => {
    const folder = freshFolder();
    const report = await runKills({ count: COUNT, seed: 7, folder, ending });
    expect(report.kills).toBe(COUNT);
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(Object.keys(report.during).length).toBeGreaterThan(1);
  },
);

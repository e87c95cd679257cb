import { expect, it } from 'vitest';
import type { Measured } from '../../bench/peers/measure.ts';
import { installTable, taskTable } from '../../bench/peers/report.ts';
import { batches, textOf } from '../../bench/peers/task.ts';

const MEASURED: Measured = {
  ...{ turns: 2_760, searches: 997, recallAt10: 84.1, openMs: 700 },
  ...{
    addsPerSecond: 3_196.4,
    addCpuMs: 0.514,
    prepareSeconds: null,
    prepareCpuSeconds: 0,
    p50Ms: 2,
    p95Ms: 4.567,
    searchCpuMs: 2.5,
  },
  ...{ closeSeconds: 0.2, diskMb: 25.81, peakMb: 1_518, aboveMb: 377 },
};

it('compares each line with the first, and says why a line has no figures', () => {
  const cells = [
    { peer: 'a', measured: MEASURED },
    {
      peer: 'b',
      measured: { ...MEASURED, searchCpuMs: 125, prepareSeconds: 12.34, prepareCpuSeconds: 9, diskMb: null },
    },
    { peer: 'c', measured: { missed: 'not within 10 min (7 turns added)' } },
  ];
  expect(taskTable(cells).split('\n').slice(2)).toEqual([
    '| `a` | 84.1 | 3,196 | 0.51 ms |  | 2; 4.57 ms | 2.5 ms | 1 | 25.8 MB | 1,518 (377) MB |',
    '| `b` | 84.1 | 3,196 | 0.51 ms | 12.3 (9) s | 2; 4.57 ms | 125 ms | 50 | none | 1,518 (377) MB |',
    '| `c` | not within 10 min (7 turns added) |  |  |  |  |  |  |  |  |',
  ]);
});

it('leaves out what was not measured', () => {
  const synthetic = taskTable([{ peer: 'a', measured: { ...MEASURED, recallAt10: null } }]);
  expect(synthetic).not.toContain('recall');
  const installed = { peer: 'a', versions: 'a 1.0.0', settings: 'none' };
  expect(installTable([installed])).toBe(
    '|  | version | how it is used |\n| --- | --- | --- |\n| `a` | a 1.0.0 | none |',
  );
  expect(installTable([{ ...installed, packages: 3, megabytes: 5 }])).toContain(
    '| a 1.0.0 | 3 | 5 MB | none |',
  );
});

it('gives libraries that take texts what Mnemis knows of a turn', () => {
  const turn = { speaker: 'Ana', content: 'Look!', at: Date.UTC(2023, 4, 8) };
  expect(textOf(turn)).toBe('8 May 2023, Ana: Look!');
  const attachments = [{ kind: 'image', description: 'a red boat' }];
  expect(textOf({ ...turn, attachments })).toBe('8 May 2023, Ana: Look!\na red boat');
});

it('cuts turns into batches', () => {
  expect([...batches([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...batches([], 2)]).toEqual([]);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FactsReport, JudgedReport } from '../../eval/evaluate-facts.ts';
import type { FactRow } from '../../eval/fact-verdicts.ts';
import { CommandLab } from '../main/cli/fake-terminal.ts';

const EVAL = ['eval', 'facts', '--dataset', 'facts'];

describe('mnemis eval facts', () => {
  it('writes a sheet, and counts the verdicts in it when it is filled in', async () => {
    using lab = new CommandLab();
    const { exitCode, out } = await lab.run(...EVAL, '--out', 'sheet.json', '--sample', '5');
    expect(exitCode).toBe(0);
    expect(out).toMatch(
      /^facts, tier local \(profile local\): \d+ facts of 420 turns\n\n +facts +golden +kept, in %\n/,
    );
    expect(out).toMatch(/\nto judge by hand: .*sheet\.json\n$/);
    const rows = JSON.parse(readFileSync(join(lab.folder, 'sheet.json'), 'utf8')) as FactRow[];
    expect(rows).toHaveLength(15);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['id', 'fact', 'from', 'to', 'turns', 'true', 'whole', 'worth']);
      expect(row).toMatchObject({ true: '', whole: '', worth: '' });
      expect(row.turns[0]).toMatch(/^2025-\d\d-\d\d, \w*: ./);
    }
    const filled = (whole: string) =>
      JSON.stringify(
        rows.map((row, at) => ({ ...row, true: 'yes', whole: at < 9 ? 'yes' : whole, worth: 'no' })),
      );
    writeFileSync(join(lab.folder, 'a.json'), filled('no'));
    writeFileSync(join(lab.folder, 'b.json'), filled('yes'));
    const alone = (
      await lab.run('eval', 'facts', '--verdicts', 'a.json,b.json', '--json')
    ).json<JudgedReport>();
    expect(alone).toMatchObject({
      readers: [
        { gone: 0, overall: { judged: 15, true: { mean: 100 }, whole: { mean: 60 }, all: { mean: 0 } } },
        { gone: 0, overall: { judged: 15, whole: { mean: 100 } } },
      ],
      agreement: { facts: 15, byQuestion: { true: { percent: 100 }, whole: { percent: 60, kappa: 0 } } },
    });
    const again = (await lab.run(...EVAL, '--verdicts', 'a.json,b.json', '--json')).json<FactsReport>();
    expect(again.judged).toEqual(alone);
    const words = await lab.run('eval', 'facts', '--verdicts', 'a.json,b.json');
    expect(words.out).toMatch(/\nall +15 +100\.0 \(79\.6–100\.0\) +60\.0 /);
    expect(words.out).toMatch(/\ntwo readers, 15 facts:\n/);
  });

  it('needs a data set or verdicts', async () => {
    using lab = new CommandLab();
    const { exitCode, err } = await lab.run('eval', 'facts');
    expect(exitCode).toBe(2);
    expect(err).toContain('--dataset <name> is missing');
  });
});

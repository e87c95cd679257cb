import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SheetRow, writeSheet } from '../../eval/judging-sheet.ts';
import { temporaryFolder } from '../importers/temporary-file.ts';

const ROW: SheetRow = {
  ...{ id: 'a/1', question: 'Which "two", please?', earlier: [], gold: '=1+1', answer: 'two\nthree [1]' },
  ...{ quotes: ['two', 'three'], evidence: ['2024-05-01, Ann: two, three'], verdict: '' },
};

describe('a sheet to judge by hand', () => {
  it('is CSV that a spreadsheet reads as text', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'new', 'sheet.csv');
    await writeSheet(file, [ROW]);
    expect(readFileSync(file, 'utf8')).toBe(
      `id,question,earlier,gold,answer,quotes,evidence,verdict\n` +
        `"a/1","Which ""two"", please?",""," =1+1","two\nthree [1]","two\nthree","2024-05-01, Ann: two, three",""\n`,
    );
  });

  it('is JSON lines by its ending', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'sheet.jsonl');
    await writeSheet(file, [ROW, { ...ROW, id: 'a/2' }]);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([ROW, { ...ROW, id: 'a/2' }]);
  });
});

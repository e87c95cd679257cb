import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgeNamed } from '../../../eval/judges/registry.ts';
import { StoreClosedError } from '../../../src/errors/index.ts';

import { Lab, ROWS } from './evaluation-lab.ts';

describe('an evaluation', () => {
  it('asks every question of every line, and asks nothing again', async () => {
    const lab = new Lab();
    const first = await lab.run(ROWS);
    const questions = first.lines[0]!.answers.length;
    expect(questions).toBeGreaterThan(5);
    expect(first.lines.map(({ answers }) => answers.length)).toEqual(Array(4).fill(questions));
    expect(first.csv).toMatch(/^lab,model,memorai-paper,memorai-paper,.*,locomo,\d+,judge,\d/m);
    expect(first.csv).toMatch(/^lab,plain,none,BM25,filled,none,,\d+,turn@10,/m);
    const { asked, opened } = lab;
    expect(asked).toBeGreaterThan(20);
    // Each of the two memories: once to read, once to ask.
    expect(opened).toHaveLength(4);
    expect(new Set(opened).size).toBe(2);
    const second = await lab.run(ROWS);
    expect(second).toEqual(first);
    expect([lab.asked, lab.opened.length]).toEqual([asked, 4]);
  });

  it('judges the answers of a judge again whose prompt has changed, and no others', async () => {
    const lab = new Lab();
    mkdirSync(lab.folder);
    const write = (name: string, text: string) => writeFileSync(lab.pathOf(name), text);
    const rows = ['file:a.txt', 'file:b.txt', 'locomo'].map((judge) => ({
      ...{ label: judge, recipe: 'system1', judge },
    }));
    let graded: string[] = [];
    const run = async () => {
      graded = [];
      return lab.run(rows, {
        judgeOf: async (name) => {
          const judge = await judgeNamed(name, lab.pathOf);
          return {
            ...judge,
            grade: (...asked) => {
              graded.push(name);
              return judge.grade(...asked);
            },
          };
        },
      });
    };
    for (const name of ['a.txt', 'b.txt']) write(name, 'Of {gold}, is {answer} right?');
    await run();
    expect(new Set(graded).size).toBe(3);
    write('a.txt', 'Is {answer} the same as {gold}?');
    const { lines } = await run();
    expect(graded).toEqual(lines[0]!.answers.map(() => 'file:a.txt'));
    await run();
    expect(graded).toEqual([]);
  });

  it('leaves out lines whose model is missing, and says why', async () => {
    const rows = [
      ...ROWS.slice(1, 2),
      { label: 'reranked', reranker: 'qwen3-reranker-8b', answerer: 'none' as const },
    ];
    const { lines, skipped } = await new Lab().run(rows);
    expect(lines.map(({ row }) => row.label)).toEqual(['rules']);
    expect(skipped).toEqual([{ label: 'reranked', reason: expect.stringContaining('mnemis models pull') }]);
  });

  it('ends with any other error', async () => {
    const openMemory = async () => {
      throw new StoreClosedError();
    };
    await expect(new Lab().run(ROWS, { openMemory })).rejects.toSatisfy(StoreClosedError.isInstance);
  });
});

import { describe, expect, it } from 'vitest';
import { priceOf } from '../../../eval/run/price.ts';
import { BudgetExhaustedError, CancelledError } from '../../../src/errors/index.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';

import { Lab, ROWS } from './evaluation-lab.ts';

describe('an evaluation', () => {
  it('goes on with further lines and questions over the same memory', async () => {
    const lab = new Lab();
    await lab.run(ROWS.slice(2, 3));
    const { asked } = lab;
    const prepared = await lab.prepare(ROWS.slice(2));
    const price = await priceOf(prepared);
    await prepared.results.close();
    await prepared.replies?.close();
    expect(price.parts.map(({ what }) => what)).toEqual(['answers']);
    const { lines } = await lab.run(ROWS.slice(2));
    // Only the answers of the second line: a question without a word of memory needs none.
    expect(lab.asked - asked).toBeGreaterThan(0);
    expect(lab.asked - asked).toBeLessThanOrEqual(lines[1]!.answers.length);
  });

  it('that is cancelled keeps what is done, says so, and ends with the same table', async () => {
    const [undisturbed, lab] = [new Lab(), new Lab()];
    const expected = await undisturbed.run(ROWS);
    for (const after of [1, 2, 9, 14]) {
      const stop = new AbortController();
      let told = 0;
      const cancelled = lab.run(ROWS, {
        signal: stop.signal,
        onProgress: () => {
          if (++told === after) stop.abort();
        },
      });
      await expect(cancelled).rejects.toSatisfy(CancelledError.isInstance);
      await expect(cancelled).rejects.toThrow(
        /\d+ of 28 questions are done and kept; the same command goes on/,
      );
    }
    expect((await lab.run(ROWS)).csv).toBe(expected.csv);
    expect(lab.asked).toBe(undisturbed.asked);
  });

  it('ends when its token budget is used, and goes on with another', async () => {
    const lab = new Lab();
    const run = lab.run(ROWS, { budget: new TokenBudget(12_000) });
    await expect(run).rejects.toSatisfy(BudgetExhaustedError.isInstance);
    const { lines } = await lab.run(ROWS);
    expect(new Set(lines.map(({ answers }) => answers.length)).size).toBe(1);
  });

  it('answers each question once with each seed', async () => {
    const lab = new Lab();
    const { lines } = await lab.run(ROWS.slice(2, 3), { seeds: [1, 2] });
    const seeds = lines[0]!.answers.map(({ seed }) => seed);
    expect(seeds.slice(0, 4)).toEqual([1, 2, 1, 2]);
  });

  it.each<[string, Lab['refuses']]>([
    ['the model that writes', (_, asked) => asked >= 2],
    ['the model that answers', (part, asked) => part === 'memory' && asked >= 14],
    ['the judge', (part) => part === 'judge'],
  ])(
    'ends when %s refuses, keeps nothing that was done without it, and goes on later',
    async (_, refuses) => {
      const [undisturbed, lab] = [new Lab(), new Lab()];
      const expected = await undisturbed.run(ROWS);
      lab.refuses = refuses;
      const run = lab.run(ROWS);
      await expect(run).rejects.toMatchObject({
        code: expect.stringMatching(/evaluation-stopped|model-key/),
      });
      await expect(run).rejects.toThrow(/kept|stored/);
      lab.refuses = () => false;
      expect((await lab.run(ROWS)).csv).toBe(expected.csv);
    },
  );
});

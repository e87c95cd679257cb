import { describe, expect, it } from 'vitest';
import { PAPER_TABLES, paperTableNamed, specOfTable } from '../../../eval/papers/tables.ts';
import { METRICS } from '../../../eval/run/metrics.ts';
import { parseSpec, rowsOf, settingsOf } from '../../../eval/run/spec.ts';
import { profileSchema } from '../../../src/ingest/profile.ts';
import { parseRecipe } from '../../../src/retrieve/recipes/recipe.ts';

const table = (rows: object[], more: object = {}) => parseSpec({ name: 't', rows, ...more });

describe('a specification', () => {
  it('has a line with our defaults where it says nothing', () => {
    const [row] = rowsOf(table([{}]));
    expect(row).toMatchObject({
      ...{ label: 'local, auto, filled', context: 'filled', answerer: 'local', judge: null, paper: {} },
      profile: { name: 'local' },
      recipe: { name: 'auto' },
    });
  });

  it('resolves names, sizes and changes', () => {
    const [row] = rowsOf(
      table([
        {
          ...{ label: 'x', profile: 'memorai-paper', recipe: 'memorai-paper', context: 'memorai', k: 5 },
          ...{ judge: 'locomo', changes: { gate: false, partition: { by: 'turns', turns: 4 } } },
        },
      ]),
    );
    expect(row).toMatchObject({
      ...{ answerer: 'llm', judge: 'locomo', context: { turns: 5, facts: 'citing', entities: 0 } },
      profile: { name: 'memorai-paper (partition turns 4, gate false)', gate: false },
    });
  });

  it('makes a grid of every combination, each named by what differs, baselines once', () => {
    const rows = rowsOf(
      parseSpec({
        name: 't',
        grid: { recipe: ['auto', 'BM25'], context: ['mnemis', 'turns'], k: [5, 10], answerer: ['none'] },
      }),
    );
    expect(rows.map(({ label }) => label)).toEqual([
      ...['auto, mnemis, k = 5', 'auto, mnemis, k = 10', 'auto, turns, k = 5', 'auto, turns, k = 10', 'BM25'],
    ]);
    expect(rows[1]!.context).toEqual({ turns: 10, facts: 20, entities: 20 });
  });

  it('gives equal settings to lines that differ in their label and the paper’s figures alone', () => {
    const [one, other, third] = rowsOf(
      table([{ label: 'a' }, { label: 'b', paper: { judge: 1 } }, { label: 'c', recipe: 'system1' }]),
    );
    expect(settingsOf(one!)).toEqual(settingsOf(other!));
    expect(settingsOf(one!)).not.toEqual(settingsOf(third!));
  });

  it.each([
    ['neither rows nor a grid', { name: 't' }, /neither rows nor a grid/],
    ['an unknown key', { name: 't', rows: [{ recipes: 'auto' }] }, /rows\.0.*recipes/],
    ['no name', { rows: [{}] }, /name/],
    ['a wrong context', { name: 't', rows: [{ context: { turns: -1, facts: 0, entities: 0 } }] }, /context/],
    ['a large k', { name: 't', rows: [{ k: 101 }] }, /k/],
    ['two seeds too many', { name: 't', rows: [{}], seeds: Array(21).fill(1) }, /seeds/],
  ])('is refused with %s', (_, given, message) => expect(() => parseSpec(given)).toThrow(message));

  it.each([
    ['recipe', { recipe: 'sytem1' }, /no recipe named "sytem1"/],
    ['profile', { profile: 'x' }, /ingest profile/],
    ['context', { context: 'x' }, /context.*filled, mnemis/],
  ])('says which names there are for a wrong %s', (_, row, message) =>
    expect(() => rowsOf(table([row]))).toThrow(message),
  );

  it('is refused with two lines of one name', () =>
    expect(() => rowsOf(table([{ label: 'a' }, { label: 'a', k: 2 }]))).toThrow('Two lines are called "a"'));
});

describe('the papers’ tables', () => {
  it('are found by name', () => {
    expect(PAPER_TABLES.map(({ name }) => name)).toEqual([
      ...['mnemis-table1', 'mnemis-table4', 'mnemis-table5', 'mnemis-table6', 'mnemis-table9'],
      ...['memorai-table1', 'memorai-table4', 'memorai-table5', 'memorai-table6', 'memorai-table8'],
      ...['gam-table1', 'gam-table3', 'gam-partitions', 'gam-sweeps'],
      ...['personalai-table3', 'personalai-table16', 'leaderboard'],
    ]);
    expect(() => paperTableNamed('mnemis-table2')).toThrow(/mnemis-table1/);
  });

  const runs = PAPER_TABLES.flatMap((each) =>
    each.datasets.flatMap((dataset) => (['local', 'llm'] as const).map((tier) => ({ each, dataset, tier }))),
  );
  it.each(runs)('$each.name on $dataset, $tier, has valid lines that differ', ({ each, dataset, tier }) => {
    const rows = rowsOf(parseSpec(specOfTable(each, { dataset, tier })));
    expect(rows).toHaveLength(each.rows.length);
    const metrics = METRICS.map(({ name }) => name as string);
    for (const { profile, recipe, answerer, judge, paper } of rows) {
      expect(profileSchema.parse(profile)).toEqual(profile);
      if (typeof recipe !== 'string') parseRecipe(recipe);
      expect(metrics).toEqual(expect.arrayContaining(Object.keys(paper)));
      const isModel = tier === 'llm' && typeof recipe !== 'string';
      expect([profile.tier === 'llm' || typeof recipe === 'string', answerer, judge !== null]).toEqual(
        isModel ? [true, 'llm', true] : [typeof recipe === 'string', 'none', false],
      );
    }
    expect(new Set(rows.map((row) => JSON.stringify(settingsOf(row)))).size).toBe(rows.length);
  });
});

import { describe, expect, it } from 'vitest';
import { numberIn } from '../../../renderer/kit/form.tsx';
import { environmentName, groupModels } from '../../../renderer/settings/setting-text.ts';
import { dayBars, grouped, totalsOf, type UsageRow } from '../../../renderer/settings/usage-totals.ts';

describe('texts of settings', () => {
  it('names the environment variable of a setting', () => {
    expect(environmentName('llmBaseUrl')).toBe('MNEMIS_LLM_BASE_URL');
  });

  it('reads a number as people type it', () => {
    expect(['', ' 128,000 ', "4'096", '0.15', 'many', '-3'].map(numberIn)).toEqual([
      null,
      128_000,
      4096,
      0.15,
      undefined,
      undefined,
    ]);
  });

  it('groups the variants of a model', () => {
    const names = ['static', 'bge-m3', 'bge-m3:int8', 'local:qwen3-8b', 'local:qwen3-1.7b'];
    const groups = groupModels(names.map((name) => ({ name })));
    expect(groups.map(({ name, variants }) => [name, variants.map(({ precision }) => precision)])).toEqual([
      ['static', [null]],
      ['bge-m3', [null, 'int8']],
      ['local:qwen3-8b', [null]],
      ['local:qwen3-1.7b', [null]],
    ]);
  });
});

describe('totals of usage', () => {
  const row = (day: string, model: string, more: Partial<UsageRow> = {}): UsageRow => ({
    ...{ day, model, purpose: 'chat', calls: 1, promptTokens: 100, completionTokens: 10, cost: null },
    ...more,
  });
  const rows = [
    row('2026-03-02', 'small'),
    row('2026-03-02', 'large', { promptTokens: 900, purpose: 'reading', cost: 0.5 }),
    row('2026-02-28', 'small'),
  ];

  it('adds what is known, and says that a price is missing', () => {
    expect(totalsOf(rows)).toEqual({
      calls: 3,
      promptTokens: 1_100,
      completionTokens: 30,
      cost: 0.5,
      isPart: true,
    });
    expect(totalsOf([]).cost).toBeNull();
    expect(grouped(rows, ({ model }) => model).map(({ name }) => name)).toEqual(['large', 'small']);
  });

  it('shows days without any use too', () => {
    expect(dayBars(rows, 3, '2026-03-02')).toEqual([
      { day: '2026-02-28', chat: 110, other: 0 },
      { day: '2026-03-01', chat: 0, other: 0 },
      { day: '2026-03-02', chat: 110, other: 910 },
    ]);
  });
});

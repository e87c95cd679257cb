import { describe, expect, it } from 'vitest';
import { readPicks } from '../../../src/retrieve/categories/llm-selector.ts';
import { node } from '../../contract/selector.ts';

const LIST = ['Cities', 'Pets', 'Instruments', 'Plants', 'Tools'].map((name) => node(name));

const read = (open: readonly string[], nodes = LIST) => {
  const { picks, notes } = readPicks({ open, all: [] }, nodes);
  return [picks.map(({ id }) => id).join(' '), notes.length] as const;
};

describe('numbers in one text', () => {
  it.each([
    ['1 3', 'Cities Instruments'],
    ['1, 3', 'Cities Instruments'],
    ['1,3,5', 'Cities Instruments Tools'],
    ['#1 and #3', 'Cities Instruments'],
    ['2-4', 'Pets Instruments Plants'],
    ['1, 3 – 5.', 'Cities Instruments Plants Tools'],
    ['3 to 4', 'Instruments Plants'],
    ['node 2', 'Pets'],
    ['Entry #2', 'Pets'],
    ['nodes 1, 2 & 4', 'Cities Pets Plants'],
    ['4-999999999', 'Plants Tools'],
    ['0-2', 'Cities Pets'],
    ['2 99', 'Pets'],
    ['3-1', 'Instruments'],
    ['1-', 'Cities'],
    ['3. Instruments', 'Instruments'],
    ['- 2', 'Pets'],
    ['E3 Instruments (music, 2 of 4)', 'Instruments'],
  ])('are read: %s', (said, wanted) => expect(read([said])).toEqual([wanted, 0]));

  it.each(['7-9', '0', '-1', '99', 'Atlantis 2', 'node'])('are none: %s', (said) =>
    expect(read([said])).toEqual(['', 1]),
  );

  it('do not affect names that are or begin with numbers', () => {
    const nodes = ['2022', '3. Cities', '1 3', '2-4', 'Node 2', '1984, 2001'].map((name) => node(name));
    for (const { name } of nodes) expect(read([name], nodes)).toEqual([name, 0]);
    expect(read(['1', '2'], nodes)).toEqual(['2022 3. Cities', 0]);
    expect(read(['4 5'], nodes)).toEqual(['2-4 Node 2', 0]);
  });

  it('are bounded, for every text', () => {
    const long = Array.from({ length: 5_000 }, () => '1-999999999').join(' ');
    expect(read([long, '2'])[0]).toContain('Pets');
    expect(read([`${'1 '.repeat(900)}x`.repeat(9), '2 '.repeat(90_000)])[0]).not.toContain('Tools');
  });
});

import { describe, expect, it } from 'vitest';
import { categorizeNodes } from '../../../../src/hierarchy/categorize/llm/categorize-nodes-prompt.ts';

const INPUT = { nodes: [], known: [], below: [], minimumChildren: 3 };
const rulesOf = (layer: number, within?: string) =>
  categorizeNodes.render({ ...INPUT, layer, within }).system.split('\n')[1];

describe('categorize-nodes', () => {
  it('states at each layer how fine its categories are', () => {
    expect(rulesOf(1)).toBe(
      'Reply with the categories of layer 1. It is the finest; its nodes are people, places, things and dates.',
    );
    expect(rulesOf(2)).toBe(
      'Reply with the categories of layer 2. Its nodes are categories of layer 1: name what several of them are kinds or parts of, one step wider and no more.',
    );
    expect(rulesOf(4)).toContain('Its nodes are categories of layer 3, groups of groups: name what');
    expect(rulesOf(1, 'Pets')).toContain('grew too large: find at least 2 narrower ones, of 3 nodes or more');
  });

  it('shows informative tags only: no empty list, no plain kind, at most four', () => {
    const nodes = [
      { name: 'Oslo', tags: ['place', 'a', 'b', 'c', 'd'] },
      { name: 'violin', tags: ['thing'] },
      { name: 'one\n2 two', tags: [] },
    ];
    const { user } = categorizeNodes.render({ ...INPUT, layer: 1, nodes });
    expect(user).toBe('<data-1>\n1 Oslo [place, a, b, c]\n2 violin\n3 one 2 two\n</data-1>');
  });
});

import { describe, expect, it } from 'vitest';
import { contract } from '../../main/contract.ts';
import { forgetPreview, targetOf } from '../../src/tools/forget.ts';

const read = (input: object) => targetOf(forgetPreview.input.parse(input));

describe('targetOf', () => {
  it('gives what the engine takes', () => {
    const inputs: readonly (readonly [object, object])[] = [
      [{ turns: ['a', 'b'] }, { episodes: ['a', 'b'] }],
      [{ entity: 'Rex' }, { entity: 'Rex' }],
      [
        { entity: 'Rex', entity_turns: true },
        { entity: 'Rex', episodes: true },
      ],
      [{ session: 's1' }, { session: 's1' }],
      [
        { query: 'owls', limit: 3 },
        { query: 'owls', limit: 3 },
      ],
      [{ before: '2024-01-01' }, { before: '2024-01-01' }],
      [
        { after: '2023', before: '2024' },
        { after: '2023', before: '2024' },
      ],
      [{ everything: true }, { all: true }],
    ];
    for (const [input, target] of inputs) {
      expect(read(input)).toEqual(target);
      expect(contract.previewForget.input.safeParse({ scope: 'a', target: read(input) }).success).toBe(true);
    }
  });

  it('takes one thing at a time', () => {
    const wrong = [
      {},
      { turns: ['a'], session: 's' },
      { session: 's', before: '2024' },
      { session: 's', everything: true },
      { limit: 3 },
      { session: 's', limit: 3 },
      { session: 's', entity_turns: true },
      { entity_turns: false },
    ];
    for (const input of wrong)
      expect(() => read(input), JSON.stringify(input)).toThrow(
        expect.objectContaining({ code: 'invalid-input' }),
      );
  });
});

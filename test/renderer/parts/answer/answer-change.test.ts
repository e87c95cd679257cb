import { describe, expect, it } from 'vitest';
import type { GivenAnswer } from '../../../../main/contract.ts';
import { changeSince, relationOf } from '../../../../renderer/parts/answer/answer-change.ts';

const answer = (text: string, ...cited: readonly string[]) =>
  ({ answered: cited.length > 0, text, citations: cited.map((id) => ({ item: { id } })) }) as unknown as Pick<
    GivenAnswer,
    'answered' | 'text' | 'citations'
  >;
const PORTO = answer('Ana lives in Porto. [1]', 'porto');
const LISBON = answer('Ana lives in Lisbon. [1] (before: Porto [2])', 'lisbon', 'porto');
const NOTHING = answer('There is not enough in memory.');

describe('two answers to one question', () => {
  it('are the same if they cite the same thing first, or say the same', () => {
    expect(relationOf(LISBON, answer('Ana lives in Lisbon. [1]', 'lisbon'))).toBe('same');
    expect(relationOf(PORTO, answer('Ana lives  in Porto. [1, 2]', 'turn', 'porto'))).toBe('same');
    expect(relationOf(PORTO, LISBON)).toBe('other');
  });

  it('may be missing on either side', () => {
    expect(relationOf(PORTO, NOTHING)).toBe('only-first');
    expect(relationOf(NOTHING, PORTO)).toBe('only-second');
    expect(relationOf(NOTHING, NOTHING)).toBe('neither');
    expect(changeSince(NOTHING, PORTO)).toBe('only-now');
    expect(changeSince(PORTO, NOTHING)).toBe('only-then');
    expect(changeSince(PORTO, LISBON)).toBe('other');
  });
});

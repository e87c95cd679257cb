import { describe, expect, it } from 'vitest';
import { quoteParts } from '../../../../renderer/parts/answer/quote-parts.ts';
import { turnLine } from '../../../../src/answer/source-lines.ts';

describe('quoteParts', () => {
  it('reads a turn as the context of an answer writes it', () => {
    const at = Date.UTC(2026, 10, 23, 14, 5);
    const line = turnLine({
      ...{ validAt: at, speaker: 'Ann', role: 'user', content: 'At 5: tea', attachments: [] },
    } as unknown as Parameters<typeof turnLine>[0]);
    expect(quoteParts(line)).toEqual({ words: 'At 5: tea', who: 'Ann', at });
  });

  it('leaves the kind of a fact or a name out', () => {
    expect(quoteParts('fact: Ann lives in Lisbon (since May 2026)').words).toBe(
      'Ann lives in Lisbon (since May 2026)',
    );
    expect(quoteParts('about: Ann: a cellist').words).toBe('Ann: a cellist');
  });

  it('takes anything else as it is', () => {
    expect(quoteParts('Ann said: no')).toEqual({ words: 'Ann said: no', who: null, at: null });
    expect(quoteParts('')).toEqual({ words: '', who: null, at: null });
  });
});

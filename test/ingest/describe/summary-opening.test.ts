import { describe, expect, it } from 'vitest';
import { topicText, writeOpening } from '../../../src/ingest/describe/local-summarizer.ts';

const opening = { speakers: ['Gina', 'Jon'], topics: ['a store'], date: '8 May 2023', hasStatements: true };

it.each([
  [{}, 'Gina and Jon talked about a store on 8 May 2023.'],
  [{ speakers: ['gina'] }, 'Gina spoke about a store on 8 May 2023.'],
  [{ topics: ['a', 'b', 'c'] }, 'Gina and Jon talked about a, b and c on 8 May 2023.'],
  [{ topics: [] }, 'Gina and Jon talked on 8 May 2023.'],
  [{ topics: [], hasStatements: false }, 'Gina and Jon made small talk on 8 May 2023.'],
])('an opening %#', (change, expected) => expect(writeOpening({ ...opening, ...change })).toBe(expected));

describe('the text of a topic', () => {
  it('has keywords, topics and statements, without speakers and date', () => {
    const summary = `${writeOpening(opening)} Gina opened Gina's store. Jonas helped Jon.`;
    expect(topicText({ keywords: ['store'], summary })).toBe('store. a store. opened store. Jonas helped .');
  });

  it('is empty for small talk', () => {
    const summary = writeOpening({ ...opening, topics: [], hasStatements: false });
    expect(topicText({ keywords: [], summary })).toBe('');
  });

  it('takes names with signs as written', () => {
    const summary = `${writeOpening({ ...opening, speakers: ['A.*', 'B(|'] })} A.* met B(| and Al.`;
    expect(topicText({ keywords: [], summary })).toBe('a store. met and Al.');
  });

  it('does not change a summary in another form', () => {
    expect(topicText({ keywords: ['store', 'ad'], summary: 'Gina plans a store.' })).toBe(
      'store, ad. Gina plans a store.',
    );
  });

  it('reads a summary that nearly matches in linear time', () => {
    const summary = `${' talked about x on 1'.repeat(40)}`;
    expect(topicText({ keywords: [], summary })).toBe(summary.trim());
  });
});

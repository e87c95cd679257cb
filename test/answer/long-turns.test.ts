import { describe, expect, it } from 'vitest';
import { hostileText } from '../../bench/hostile-texts/shapes.ts';
import { extractiveAnswer } from '../../src/answer/extractive-answer.ts';
import { episodeItem, found } from './items.ts';

const knowledge = { weight: () => 1, isSpeaker: () => false };
const said = 'The piano teacher lives in Lisbon.';

describe('an answer from the words of a long turn', () => {
  it('lets others in while it is read', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    const content = hostileText('sentences with new names', 240_000);
    const query = 'Where does the piano teacher live?';
    const episodes = [episodeItem('long', { content }), episodeItem('short', { content: said })];
    const { citations } = await extractiveAnswer(found({ query, episodes }), knowledge);
    clearInterval(timer);
    expect(citations.map(({ quote }) => quote).join(' ')).toContain(said);
    expect(turns).toBeGreaterThan(5);
  });

  it('is quoted once, however often the turn says it', async () => {
    const answer = await extractiveAnswer(
      found({ query: 'piano teacher', episodes: [episodeItem('long', { content: `${said} `.repeat(500) })] }),
      knowledge,
    );
    expect(answer.citations.map(({ quote }) => quote)).toEqual([expect.stringContaining(said)]);
  });

  it('is quoted from its passage, where two sentences say as much', async () => {
    const passage = 'The piano is old. The teacher lives in Lisbon.';
    const content = `The teacher lives in Rome. ${'Budgets and chairs were discussed. '.repeat(30)}${passage}`;
    const place = { start: content.length - passage.length, end: content.length };
    const quoteOf = async (more: object) => {
      const episodes = [episodeItem('long', { content, ...more })];
      const query = 'Where does the teacher with the piano live?';
      return (await extractiveAnswer(found({ query, episodes }), knowledge)).citations[0]?.quote;
    };
    expect(await quoteOf({})).toContain('Rome');
    expect(await quoteOf({ passage: place })).toContain('Lisbon');
  });
});

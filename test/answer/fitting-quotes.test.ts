import { describe, expect, it } from 'vitest';
import { extractiveAnswer } from '../../src/answer/extractive-answer.ts';
import { episodeItem, factItem, found } from './items.ts';
import { told } from './told.ts';

const UNWEIGHTED = { weight: () => 1, isSpeaker: () => false };

describe('the sort that is asked for', () => {
  const shed = episodeItem('shed', {
    content: 'The roof of the shed was mended on a quiet evening.',
    index: 3,
  });
  const roofer = episodeItem('roofer', { content: 'The roof of the shed was mended by old Lund.', index: 9 });
  const ranked = [shed, roofer].map((turn, at) => ({ ...turn, rank: at + 1, score: 1 - 0.02 * at }));
  const answer = (query: string) => extractiveAnswer(found({ query, episodes: ranked }), UNWEIGHTED);

  it('comes first, before a quote that has it not and is about as good', async () => {
    expect((await answer('Who mended the roof of the shed?')).citations[0]!.quote).toMatch(/Lund/);
  });

  it('moves nothing where the first quote has it, or no sort is asked for', async () => {
    expect((await answer('When was the roof of the shed mended?')).citations[0]!.quote).toMatch(/evening/);
    expect((await answer('Was the roof of the shed mended?')).citations[0]!.quote).toMatch(/evening/);
  });
});

describe('a statement', () => {
  const turn = episodeItem('kettle', { content: 'I bought a kettle for camping. It holds two litres.' });
  const sources = [{ episode: 'kettle' as never, session: 's', index: 0 }];
  const kettle = factItem('fact', 'Ann bought a kettle for camping', { sources });
  const answer = (query: string) =>
    extractiveAnswer(found({ query, episodes: [turn], facts: [kettle] }), UNWEIGHTED);

  it('without the sort that is asked for gives its place to a sentence of its turn that has it', async () => {
    expect((await answer('How much does the kettle for camping hold?')).text).toMatch(/two litres/);
  });

  it('keeps its place where it has it', async () => {
    expect((await answer('What did Ann buy for camping?')).text).toMatch(/bought a kettle/);
  });
});

it('tells what happened on a day also if no speaker is its subject', async () => {
  const memory = await told([
    ['2026-03-03', 'Kay', 'The lift is broken again.'],
    ['2026-03-04', 'Kay', 'The lift was repaired today.'],
    ['2026-03-04', 'Joss', 'I baked two loaves today.'],
  ]);
  expect((await memory.ask('What happened on 4 March?')).text).toMatch(/lift was repaired/);
  const { text } = await memory.ask('What did Joss do on 4 March?');
  expect(text).toMatch(/loaves/);
  expect(text).not.toMatch(/lift/);
});

import { describe, expect, it } from 'vitest';
import { HoldMeter, threadTime } from '../../bench/hostile-texts/hold-meter.ts';
import { hostileText, ordinaryProse } from '../../bench/hostile-texts/shapes.ts';
import { extractiveAnswer } from '../../src/answer/extractive-answer.ts';
import { episodeItem, found } from './items.ts';

const LENGTH = 60_000;
const knowledge = { weight: () => 1, isSpeaker: () => false };
const said = 'The piano teacher lives in Lisbon.';

async function timeToAnswer(content: string): Promise<number> {
  const search = found({
    query: 'Where does the piano teacher live?',
    episodes: [episodeItem('long', { content }), episodeItem('short', { content: said })],
  });
  const started = threadTime();
  const answer = await extractiveAnswer(search, knowledge);
  expect(answer.citations.map(({ quote }) => quote).join(' ')).toContain(said);
  return threadTime() - started;
}

describe('an answer from the words of a long turn', () => {
  // A turn of 5,000 sentences took 5,000 times as long as one: it was read again for each of them.
  it.each([
    'full stops apart',
    'Mr.',
    'short sentences',
    'sentences with new names',
    'sentences with two new names',
  ])(
    'takes about as long for the shape "%s" as for prose',
    async (shape) => {
      await timeToAnswer(ordinaryProse(LENGTH));
      const ordinary = await timeToAnswer(ordinaryProse(LENGTH));
      expect(await timeToAnswer(hostileText(shape, LENGTH))).toBeLessThan(500 + 20 * ordinary);
    },
    30_000,
  );

  it('lets others in while it is read', async () => {
    const meter = new HoldMeter();
    await timeToAnswer(hostileText('sentences with new names', 4 * LENGTH));
    const held = meter.take();
    meter.stop();
    expect(held).toBeLessThan(250);
  }, 30_000);

  it('is quoted once, however often the turn says it', async () => {
    const answer = await extractiveAnswer(
      found({ query: 'piano teacher', episodes: [episodeItem('long', { content: `${said} `.repeat(500) })] }),
      knowledge,
    );
    expect(answer.citations.map(({ quote }) => quote)).toEqual([expect.stringContaining(said)]);
  });
});

import { describe, expect, it } from 'vitest';
import { changesAsked } from '../../src/answer/changes-answer.ts';
import { told } from './told.ts';

const memory = await told([
  ['2025-01-12', 'Ada', 'I moved to Bern in March 2021.'],
  ['2025-02-10', 'Ada', 'I take the bus to work every day.'],
  ['2025-02-10', 'Ada', 'I ate a very good soup.'],
  ['2025-02-10', 'Bo', 'I play the cello in a small orchestra.'],
  ['2025-02-11', 'Bo', 'I work at Acme.'],
  ['2025-02-11', 'Cleo', 'I have a red bicycle.'],
  ['2025-05-04', 'Ada', 'I moved to Basel on 30 April 2025.'],
  ['2025-06-01', 'Ada', 'My neighbour waters the plants.'],
  ['2025-07-01', 'Bo', 'I no longer play the cello.'],
  ['2025-07-02', 'Bo', 'I would have quit the choir.'],
  ['2025-08-02', 'Bo', 'I got engaged last Saturday.'],
  ['2025-08-03', 'Bo', 'I joined Quay Robotics in July 2025.'],
  ['2025-09-01', 'Ada', 'I switched from the bus to cycling.'],
]);

describe('what has changed for somebody', () => {
  it('is told as what held before and what holds since, the newest first, without trifles', async () => {
    const { text, citations } = await memory.ask('What has changed for Ada?');
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/^- 1 September 2025: .*bus to work.* \[1\] → .*switched from the bus.* \[2\]$/);
    expect(lines[1]).toMatch(/^- 30 April 2025: .*Bern.* \[3\] → .*Basel.* \[4\]$/);
    expect(text).not.toMatch(/soup|neighbour|cello/);
    expect(citations.every(({ item }) => item.sources.length > 0)).toBe(true);
  });

  it.each([
    ['What has changed for Bo since the middle of July 2025?', ['engaged'], ['cello', 'choir']],
    ['What’s new with Bo?', ['cello', 'engaged', 'Quay'], ['choir']],
    ['What has changed in Bo’s life since April 2025?', ['cello'], ['choir']],
    ['What has changed for Ada since June 2025?', ['cycling'], ['Basel']],
  ])('%s', async (question, has, lacks) => {
    const { text } = await memory.ask(question);
    for (const word of has) expect(text).toContain(word);
    for (const word of lacks) expect(text).not.toContain(word);
  });

  it('has what only a turn tells, with what the speaker said before', async () => {
    const own = await told([
      ['2025-01-12', 'Ada', 'Oh, and I drink that smoky lapsang every morning now.'],
      ['2025-02-12', 'Bo', 'Blue at all?'],
      [
        '2025-02-12',
        'Ada',
        'Lilac at most. I gave up the lapsang though, my stomach hated it. Peppermint now.',
      ],
      ['2025-02-13', 'Bo', 'I gave up the lapsang too.'],
    ]);
    const { text } = await own.ask('What has changed for Ada?');
    expect(text).toMatch(
      /^- 12 February 2025: .*every morning.* \[1\] → .*Ada: “I gave up the lapsang.* \[2\]$/,
    );
  });

  it('is for the asker where nobody is named', async () => {
    expect((await memory.ask('What has changed since June 2025?', { asker: 'Ada' })).text).toMatch(/cycling/);
  });

  it('is what had changed at the time of which it is asked', async () => {
    const own = await told([
      ['2025-01-12', 'Ada', 'I live in Bern.'],
      ['2025-03-04', 'Ada', 'I moved to Basel on 1 March 2025.'],
      ['2025-08-04', 'Ada', 'I moved to Chur on 1 August 2025.'],
    ]);
    const { text } = await own.ask('What has changed for Ada?', { asOf: '2025-05-01' });
    expect(text).toMatch(/^- 1 March 2025: .*Bern.* \[1\] → .*Basel.* \[2\]$/);
  });

  it('is nothing where nothing changed', async () => {
    expect((await memory.ask('What has changed for Cleo?')).answered).toBe(false);
  });

  it('is read from questions for changes only', () => {
    const now = Date.UTC(2026, 5, 1);
    expect(changesAsked('What has changed for Bo since March?', now)).toStrictEqual({
      name: 'Bo',
      since: Date.UTC(2026, 2, 1),
    });
    expect(changesAsked('What is new?', now)).toStrictEqual({ name: null, since: null });
    expect(changesAsked('What is different about the new kitchen with the two windows?', now)).toBeNull();
    expect(changesAsked('What changed since the capsizing?', now)).toBeNull();
    expect(changesAsked('What new car has Bo bought?', now)).toBeNull();
  });
});

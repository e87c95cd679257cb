import { describe, expect, it } from 'vitest';
import { LocalExtractor } from '../../../../src/ingest/extract/local/local-extractor.ts';

const extractor = new LocalExtractor();

/** The statements of a turn of Ines, who talks with Tom, after turns of hers in the same talk. */
async function statementsOf(...contents: string[]): Promise<string[]> {
  const unit = ['Hello.', ...contents].map((content, at) => ({
    content,
    speaker: at === 0 ? 'Tom' : 'Ines',
    role: 'user' as const,
    validAt: Date.UTC(2026, 2, 2, 9, at),
    attachments: [],
  }));
  const { facts } = await extractor.extract(unit, { known: () => false });
  return facts.filter(({ turns }) => turns.includes(unit.length - 1)).map(({ statement }) => statement);
}

describe('a statement that lacks something is no fact', () => {
  it.each([
    // A complement.
    'My sister decided.',
    'I bought.',
    'Lena moved in.',
    'Lena wants 60.',
    // Which thing it is.
    'Nora found the key.',
    'The engineer comes.',
    'I saw the papers.',
    'I paint the maps that drowned.',
    'I needed that money.',
    'Kenji proposed the same to his boss.',
    // Whom or what a pronoun means.
    'I will make the one with dates.',
    'My husband calls it a collection.',
    'I do research for it.',
    'I envy her and she knows.',
    // A verb.
    'A greyhound called Fuse.',
    'A railway map of Saxony.',
    'House meeting in the chat, because Tom is hiding.',
    'Fingers crossed.',
    'I am working on something exciting.',
  ])('%s', async (said) => expect(await statementsOf(said)).toEqual([]));
});

describe('a statement that reads alone is a fact', () => {
  it.each([
    'My brother Callum died.',
    'I row.',
    'We know each other from school in Lund.',
    'I sold the car to Piet.',
    'I take the bus to work.',
    'I play the piano.',
    'I live by the harbour.',
    'I work at the bakery in Mill Street.',
    'I spoke to the solicitor in Ghent.',
    'My sister Lena is older than Tom.',
    'My flight leaves on Friday.',
    'I lost the ring I got from my aunt.',
    'I am a nurse on the burns ward.',
    'My whetstone is in the blue tin.',
  ])('%s', async (said) => expect(await statementsOf(said)).toHaveLength(1));

  it('even with a gap, if it says much', async () => {
    expect(await statementsOf('I sold it to Piet in Ghent for 200 euros on Friday.')).toEqual([
      'Ines sold it to Piet in Ghent for 200 euros on Friday (27 February 2026)',
    ]);
  });
});

describe('what a statement lacks', () => {
  it.each([
    [
      'is cut off with the part that lacks it',
      ['I teach geography, he cannot help it.'],
      'Ines teaches geography',
    ],
    [
      'is cut off where words to the listener begin',
      ['I got a flat in Ghent, so please be quiet.'],
      'Ines got a flat in Ghent',
    ],
    [
      'does not hide what reads alone after it',
      ['The run is off, my physio says no running till October.'],
      "Ines's physio says no running till October",
    ],
    [
      'is whose a thing is',
      ['Grace got a bench.', 'The bench stands in Bute Park.'],
      "Grace's bench stands in Bute Park",
    ],
    [
      'is what a thing was called at first',
      ['I applied for the flight nurse course.', 'The course costs 900 euros.'],
      'The flight nurse course costs 900 euros',
    ],
    ['is no "this" where a thing is named first', ['I adopted this puppy.'], 'Ines adopted a puppy'],
  ])('%s', async (_, said, statement) => expect(await statementsOf(...said)).toContain(statement));

  it('is not guessed where two have one', async () => {
    const said = ['Grace got a bench.', 'Piet got a bench.', 'I painted the bench in Bute Park.'];
    expect(await statementsOf(...said)).toEqual(['Ines painted the bench in Bute Park']);
  });
});

it('takes a time that grows with the length of a clause, not with its square', async () => {
  const start = performance.now();
  await statementsOf(`I bought ${'the thing it needs and '.repeat(2_600)}`);
  expect(performance.now() - start).toBeLessThan(10_000);
});

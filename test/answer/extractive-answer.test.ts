import { describe, expect, it } from 'vitest';
import { NOT_ENOUGH } from '../../src/answer/extractive-answer.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { Answer } from '../../src/model/retrieved-item.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { CONVERSATION, open, QUERIES, remember, turn } from '../engine/memory-fixture.ts';

async function memoryOf(turns: readonly TurnInput[]): Promise<MemoryScope> {
  const memory = (await open(':memory:')).scope('a');
  await remember(memory, turns);
  return memory;
}

const memory = await memoryOf(CONVERSATION);

const RESOLVED_DATE = / \((?:week of |said on )?\d[^)]*\)/g;

const SPOKEN = /([^“”–]+): “([^”]*)”/gu;

/** The text has the quotes with their numbers; each utterance of a quote stands in a stored turn, and none only asks. */
function expectHonest({ answered, text, citations }: Answer, turns: readonly TurnInput[]): void {
  expect(answered).toBe(citations.length > 0);
  expect(citations.map(({ number }) => number)).toEqual(citations.map((_, at) => at + 1));
  if (answered) expect(text.match(/\[\d+\]/g)).toEqual(citations.map(({ number }) => `[${number}]`));
  else expect(text).toBe(NOT_ENOUGH);
  for (const { quote: whole, item } of citations) {
    const quote = whole.replace(RESOLVED_DATE, '');
    expect(quote).not.toMatch(/\?”?$/);
    const statement = item.kind === 'fact' ? item.statement.replace(RESOLVED_DATE, '') : '';
    expect(quote).toContain(statement);
    for (const [, speaker, words] of quote.replace(statement, '').matchAll(SPOKEN)) {
      const said = turns.filter((each) => each.speaker === speaker!.trim()).map(({ content }) => content);
      expect(said.some((content) => content.includes(words!))).toBe(true);
    }
    expect(item.sources.length).toBeGreaterThan(0);
    for (const { session } of item.sources)
      expect(turns.map((input) => input.session ?? 'main')).toContain(session);
  }
}

describe('ask', () => {
  it.each(QUERIES)('%s: verbatim, numbered, with its turns', async (question) => {
    const answer = await memory.ask(question);
    expect(answer.question).toBe(question);
    expectHonest(answer, CONVERSATION);
  });

  it.each([
    ['What did Ann adopt?', /puppy/],
    ['Where does Carla work?', /Lisbon/],
    ['When did Bob start piano lessons?', /March 2022/],
    ['When did Ann move to Oslo?', /12 June 2023/],
  ])('%s: %s', async (question, words) => {
    const { text, citations } = await memory.ask(question);
    expect(text).toMatch(words);
    const cited = citations[0]!.item.sources[0]!;
    const input = CONVERSATION.filter(({ session }) => session === cited.session)[cited.index]!;
    expect(`${input.content}`).toMatch(words);
  });

  it.each([
    'What is the airspeed of an unladen swallow?',
    'Which quantum chromodynamics textbook won the prize?',
    '',
    '???',
  ])('abstains: %j', async (question) => {
    const answer = await memory.ask(question);
    expect(answer).toMatchObject({ answered: false, text: NOT_ENOUGH, citations: [] });
  });

  it('abstains on an empty memory', async () => {
    const empty = (await open(':memory:')).scope('a');
    expect(await empty.ask('Who is Ann?')).toMatchObject({ answered: false, text: NOT_ENOUGH });
  });

  it('never answers with a question, whoever asked it', async () => {
    const turns = [
      turn('Where did I put the xylophone?', { speaker: 'Ann' }),
      turn('Where is the xylophone?!', { speaker: 'Bob' }),
      turn('Is the xylophone lost (or stolen?)', { speaker: 'Bob' }),
    ];
    const asking = await memoryOf(turns);
    await asking.addFacts([
      { statement: 'Where is the xylophone?', evidence: [{ session: 'main', index: 0 }] },
    ]);
    expect(await asking.ask('Where is the xylophone?')).toMatchObject({ answered: false });
    turns.push(turn('The xylophone is in the attic. Or is it?', { speaker: 'Ann' }));
    await remember(asking, turns.at(-1)!);
    const answer = await asking.ask('Where is the xylophone?');
    expect(answer.text).toContain('attic');
    expectHonest(answer, turns);
  });

  it('prefers the newest when the question asks about now', async () => {
    const turns = [
      turn('My favourite tea is oolong tea.', { speaker: 'Ann', at: '2021-01-01', session: 'a' }),
      turn('Nice weather.', { speaker: 'Bob', at: '2022-01-01', session: 'b' }),
      turn('My favourite tea is sencha tea.', { speaker: 'Ann', at: '2023-01-01', session: 'c' }),
    ];
    for (const input of [turns, turns.toReversed()]) {
      const { citations } = await (await memoryOf(input)).ask('What is the favourite tea of Ann now?');
      expect(citations[0]!.quote).toContain('sencha');
    }
  });

  it('quotes nothing about somebody else than the question names', async () => {
    const two = await memoryOf([
      turn('I play the accordion on the deck every evening.', { speaker: 'Tomas', index: 0 }),
      turn('I bake bread before dawn.', { speaker: 'Priya', index: 1 }),
    ]);
    expect((await two.ask('What does Priya play every evening?')).text).not.toContain('accordion');
    expect((await two.ask('What does Tomas play every evening?')).text).toContain('accordion');
  });

  it('does not take what is no more for what is now', async () => {
    const moved = await memoryOf([
      turn('I live on a houseboat.', { speaker: 'Tomas', index: 0 }),
      turn('I no longer live near the fish market.', { speaker: 'Tomas', index: 1, at: '2023-06-01' }),
    ]);
    const { citations } = await moved.ask('Where does Tomas live now?');
    expect(citations[0]?.quote).toContain('houseboat');
  });

  it('gives several when the question enumerates', async () => {
    const places = ['Rome', 'Paris', 'Lima', 'Kyoto', 'Cairo'];
    const turns = places.map((place, number) =>
      turn(`I visited the city ${place}.`, { speaker: 'Ann', session: `s${number}` }),
    );
    const answer = await (await memoryOf(turns)).ask('Which cities has Ann visited?');
    expectHonest(answer, turns);
    expect(places.filter((place) => answer.text.includes(place)).length).toBeGreaterThanOrEqual(4);
    const one = await (await memoryOf(turns)).ask('Has Ann visited a city?');
    expect(one.citations.length).toBeLessThanOrEqual(3);
  });

  it('does not cite one turn twice', async () => {
    const answer = await memory.ask('Where does Carla work as a nurse?');
    const turns = answer.citations.flatMap(({ item }) => item.sources.map(({ episode }) => episode));
    expect(new Set(turns).size).toBe(turns.length);
  });

  it('does not quote what was superseded', async () => {
    const corrected = await memoryOf([turn('My code word is heron.', { speaker: 'Ann', index: 0 })]);
    await remember(corrected, turn('My code word is osprey.', { speaker: 'Ann', index: 0 }));
    const { text } = await corrected.ask('What is the code word of Ann?');
    expect(text).toContain('osprey');
    expect(text).not.toContain('heron');
  });

  it('cuts a long sentence and says so', async () => {
    const long = await memoryOf([
      turn(`My heron ${'sees many fishes and '.repeat(40)}flies.`, { speaker: 'Ann' }),
    ]);
    const { citations } = await long.ask('What does the heron of Ann see?');
    for (const { quote } of citations) expect(quote.length).toBeLessThan(400);
  });
});

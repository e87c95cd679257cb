import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/index.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { timesTold } from '../../src/search/turn-text.ts';
import { contents, freshPath, open, remember } from '../engine/memory-fixture.ts';
import { growth, LINEAR } from '../fixtures/growth.ts';

const NOW = Date.parse('2024-04-01T12:00:00Z');
const SMALL_TALK = ['Good evening.', 'The kettle is on.', 'It rains again.', 'See you soon.', 'Sleep well.'];

function session(name: string, at: string, turns: readonly (readonly [string, string])[]): TurnInput[] {
  const all = [...turns, ...SMALL_TALK.map((content) => ['Bo', content] as const)];
  return all.map(([speaker, content]) => ({ speaker, content, at, session: name }));
}

const TURNS = [
  ...session('a', '2023-08-20T18:00:00Z', [
    ['Ida', 'I moved into the flat over the bakery on Friday.'],
    ['Bo', 'The train to the coast was late today.'],
  ]),
  ...session('b', '2023-09-02T18:00:00Z', [
    ['Ida', 'Yesterday I came back from Porto.'],
    ['Bo', 'I was in the cinema on 30 August.'],
  ]),
  ...session('c', '2023-10-08T18:00:00Z', [
    ['Bo', 'Yesterday I went to the beekeepers’ fair.'],
    ['Ida', 'I have started to draw boats.'],
  ]),
  ...session('d', '2024-01-18T18:00:00Z', [
    ['Ida', 'I glazed ninety tiles for the school.'],
    ['Bo', 'I had an interview at the hotel this morning. Afterwards I walked to the lighthouse.'],
  ]),
];

async function memoryOf(): Promise<MemoryScope> {
  const memory = (await open(':memory:', { clock: () => NOW })).scope('a');
  await remember(memory, TURNS);
  return memory;
}

const first = async (memory: MemoryScope, query: string, k = 1) =>
  contents(await memory.search(query, { k }));

describe('a question that names a time', () => {
  it.each([
    ['What did Bo do on the first weekend of October?', 'Yesterday I went to the beekeepers’ fair.'],
    ['Where was Bo at the end of August?', 'I was in the cinema on 30 August.'],
    ['Where was Ida on 1 September?', 'Yesterday I came back from Porto.'],
    ['What did Ida do last autumn?', 'I have started to draw boats.'],
  ])('finds what happened then, though it was told later: %s', async (query, wanted) => {
    expect(await first(await memoryOf(), query, 2)).toContain(wanted);
  });

  it('finds a turn told soon after a period before those of other days', async () => {
    const found = await first(
      await memoryOf(),
      'Which city did Ida see in the last two weeks of August?',
      12,
    );
    expect(found.indexOf('Yesterday I came back from Porto.')).toBeLessThan(
      found.indexOf('I glazed ninety tiles for the school.') >>> 0,
    );
  });

  it('finds a state that began before and held then', async () => {
    const found = await first(await memoryOf(), 'Where was Ida living as of December 2023?', 3);
    expect(found).toContain('I moved into the flat over the bakery on Friday.');
  });

  it('raises what happened then and leaves nothing out', async () => {
    const memory = await memoryOf();
    const all = await memory.search('Who walked to the lighthouse in August 2023?', { k: 1 });
    expect(contents(all)[0]).toContain('lighthouse');
  });

  it('finds the same after the memory was opened again', async () => {
    const path = freshPath();
    const query = 'What did Bo do on the first weekend of October?';
    const asked = async () => {
      await using engine = await open(path, { clock: () => NOW });
      const memory = engine.scope('a');
      if ((await memory.stats()).episode === 0) await remember(memory, TURNS);
      return (await memory.search(query)).ranked.episodes;
    };
    const before = await asked();
    expect(await asked()).toEqual(before);
  });
});

describe('an answer without a model', () => {
  it('has the statements of a day by the person who is asked about', async () => {
    const memory = await memoryOf();
    const { answered, text, confidence } = await memory.ask('What did Bo do on 18 January?');
    expect(answered).toBe(true);
    expect(text).toMatch(/interview at the hotel/);
    expect(text).toMatch(/lighthouse/);
    expect(text).not.toMatch(/tiles/);
    expect(confidence).toBeGreaterThan(0.5);
    expect((await memory.ask('What did Ida do on January 18, 2024?')).text).toMatch(/tiles/);
  });

  it('has what all said on a day, whenever it happened', async () => {
    const { text } = await (await memoryOf()).ask('What did Ida and Bo talk about on 8 October 2023?');
    expect(text).toMatch(/beekeepers/);
    expect(text).toMatch(/boats/);
  });

  it('does not need the words of the time', async () => {
    const { answered, text } = await (await memoryOf()).ask('What did Ida glaze in January 2024?');
    expect(answered).toBe(true);
    expect(text).toMatch(/ninety tiles/);
  });

  it.each(['What did Bo do on 19 July 2022?', 'Where was Bo on 19 July 2022?'])(
    'declines where nothing was said of the day: %s',
    async (question) => expect((await (await memoryOf()).ask(question)).answered).toBe(false),
  );
});

describe('the times that a turn mentions', () => {
  const at = Date.parse('2024-03-17T16:25:00Z');
  const days = (content: string) =>
    timesTold({ content, validAt: at }).map(({ start }) => new Date(start).toISOString().slice(0, 10));

  it.each([
    ['Yesterday I climbed the hill.', ['2024-03-16']],
    ['I was ill last week, and on Friday I got up.', ['2024-03-04', '2024-03-15']],
    ['We were there for all of July, did I tell you?', ['2023-07-01']],
    ['Were you there yesterday?', []],
    ['Nice. Are we going out tomorrow? I lost my ring on Monday.', ['2024-03-11']],
    ['I like tea.', []],
  ])('%s', (content, wanted) => expect(days(content)).toEqual(wanted));

  it('are at most eight, read in linear time', () => {
    const long = (size: number) => days('On 3 May 2023 we met. '.repeat(size));
    expect(long(5_000).length).toBeLessThanOrEqual(9);
    expect(growth(long, 600)).toBeLessThan(LINEAR);
  });
});

import { describe, expect, it } from 'vitest';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { READINGS, SYSTEM1 } from '../../../src/retrieve/similarity/defaults.ts';
import { EpisodeIndex } from '../../../src/search/episode-index.ts';
import { readTalks, TALKS } from '../../../src/search/talk.ts';
import { episode } from '../../contract/graph-rows.ts';
import { contents, open } from '../../engine/memory-fixture.ts';

type Turn = Partial<Parameters<typeof episode>[1]>;

function indexOf(sessions: Readonly<Record<string, readonly Turn[]>>): EpisodeIndex {
  const index = EpisodeIndex.empty(2);
  for (const [session, turns] of Object.entries(sessions))
    for (const [at, turn] of turns.entries())
      index.add(episode(`${session}${at}`, { session, index: at, role: 'user', content: 'words', ...turn }));
  return index;
}

function talksOf(sessions: Readonly<Record<string, readonly Turn[]>>) {
  const index = indexOf(sessions);
  const { ofSessions, isTitle } = readTalks(index);
  return {
    talks: Object.fromEntries(
      index.timeline.sessions.map((name, number) => [name, TALKS[ofSessions[number]!]]),
    ),
    titles: index.timeline.speakers.filter((_, number) => isTitle[number] === 1),
  };
}

const by = (speaker: string, more: Turn = {}): Turn => ({ speaker, ...more });

describe('the kind of talk of a session', () => {
  it('is read from roles, names and the number of speakers', () => {
    const { talks } = talksOf({
      friends: [by('Ann'), by('Bob'), by('Ann')],
      party: [by('Ann'), by('Bob'), by('Cy'), by('Dee')],
      chat: [by('Ann'), by('assistant', { role: 'assistant' })],
      export: [by('Ann'), by('ChatGPT')],
      diary: [by('Ann'), by('Ann')],
    });
    expect(talks).toEqual({
      friends: 'people',
      party: 'group',
      chat: 'assistant',
      export: 'assistant',
      diary: 'notes',
    });
  });

  it('is read from the lengths where nothing else tells an assistant', () => {
    const asks = by('Ann', { content: 'How do I roast an aubergine?' });
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');
    const replies = by('Pip', { content: words });
    const { talks } = talksOf({
      chat: [asks, replies, asks, replies],
      short: [asks, replies],
      friends: [asks, by('Pip', { content: 'In the oven, with salt.' }), asks, by('Pip')],
      letters: [by('Ann', { content: words }), replies, by('Ann', { content: words }), replies],
      group: [asks, replies, by('Cy'), replies],
    });
    expect(talks).toEqual({
      chat: 'assistant',
      short: 'people',
      friends: 'people',
      letters: 'people',
      group: 'group',
    });
  });

  it('is what the metadata of its turns say', () => {
    const { talks } = talksOf({
      a: [by('Ann', { metadata: { talk: 'notes' } }), by('Bob')],
      b: [by('Ann', { metadata: { talk: 'a lot' } }), by('Bob')],
    });
    expect(talks).toEqual({ a: 'notes', b: 'people' });
  });

  it('is that of the turns that are left', () => {
    const index = indexOf({ a: [by('Ann'), by('assistant', { role: 'assistant' })] });
    index.remove('a1');
    expect(TALKS[readTalks(index).ofSessions[0]!]).toBe('notes');
  });

  it('knows titles: speakers of notes alone, beside others', () => {
    expect(talksOf({ a: [by('Rome')], b: [by('Oslo')], c: [by('Ann'), by('Bob')] }).titles).toEqual([
      'Rome',
      'Oslo',
    ]);
    expect(talksOf({ a: [by('Ann')], b: [by('Ann')] }).titles).toEqual([]);
    expect(talksOf({ a: [by('Ann')], b: [by('Bob')], c: [by('Ann'), by('Bob')] }).titles).toEqual([]);
  });
});

async function memoryOf(turns: readonly TurnInput[], metadata: Record<string, string> = {}) {
  const memory = (await open(':memory:', { automatic: false })).scope('a');
  await memory.add(turns, { metadata });
  return memory;
}

const say = (content: string, more: Partial<TurnInput> = {}): TurnInput => ({
  content,
  speaker: 'Ann',
  session: 's',
  at: '2024-01-01',
  ...more,
});

describe('readings by the kind of talk', () => {
  const AROUND = [
    say('The trumpet needs a new valve.'),
    say('Rain is likely tomorrow.'),
    say('Two eggs and some flour.'),
  ];
  const scoreOfNext = async (metadata: Record<string, string>, chosen: typeof SYSTEM1 = SYSTEM1) => {
    const memory = await memoryOf(AROUND, metadata);
    const words = { ...chosen, lists: { lexical: 1, vector: 0 } };
    const { ranked, episodes } = await memory.search('trumpet valve', {
      recipe: recipe('mine', 'words', { routes: [words] }),
    });
    return episodes.some(({ content }) => content === AROUND[1]!.content) ? ranked.episodes[1]!.score : 0;
  };

  it('lend a note’s score to no neighbour, unless add says that it is talk', async () => {
    expect(await scoreOfNext({})).toBe(0);
    expect(await scoreOfNext({ talk: 'people' })).toBeGreaterThan(0);
  });

  it('are one for all where a recipe says so', async () => {
    expect(await scoreOfNext({}, { ...SYSTEM1, reading: READINGS.people })).toBeGreaterThan(0);
  });

  it('differ within one memory', async () => {
    const memory = await memoryOf([
      ...AROUND,
      say('Which trumpet do you want?', { session: 'chat', speaker: 'user' }),
      say('A trumpet with three valves.', { session: 'chat', speaker: 'assistant', role: 'assistant' }),
    ]);
    const found = contents(await memory.search('trumpet valve', { recipe: 'system1-lexical' }));
    expect(found).not.toContain('Rain is likely tomorrow.');
    expect(found).toHaveLength(3);
  });

  it('count what the person said more than what the assistant repeats, unless that is asked for', async () => {
    const memory = await memoryOf([
      say('A red canoe in Oslo.', { speaker: 'user' }),
      say('A red canoe in Oslo.', { speaker: 'assistant', role: 'assistant' }),
    ]);
    const scoresOf = async (question: string) => {
      const { episodes } = await memory.search(question, { recipe: 'system1-lexical' });
      const scoreOf = (speaker: string) => episodes.find((turn) => turn.speaker === speaker)!.why[0]!.score;
      return scoreOf('user') / scoreOf('assistant');
    };
    const [own, other] = [
      await scoresOf('Where is the red canoe?'),
      await scoresOf('What did you say of the red canoe?'),
    ];
    expect(own / other).toBeCloseTo(READINGS.assistant.user, 3);
  });
});

describe('titles of documents', () => {
  it('are words of a question', async () => {
    const memory = await memoryOf([
      say('It has a harbour and many bridges.', { speaker: 'Oslo', session: 'Oslo' }),
      say('A harbour lies far away from it, beyond bridges.', { speaker: 'Rome', session: 'Rome' }),
      say('Rome once sent a letter to a harbour.', { speaker: 'Letters of Pliny', session: 'Letters' }),
    ]);
    const found = contents(await memory.search('Does Rome have a harbour?'));
    expect(found.slice(0, 2)).toContain('A harbour lies far away from it, beyond bridges.');
    expect(contents(await memory.search('Which letters were sent?'))[0]).toContain('letter');
  });
});

import { describe, expect, it } from 'vitest';
import { paperRecipeNamed } from '../../eval/papers/recipes.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import type { Recipe } from '../../src/retrieve/recipes/recipe.ts';
import { recipeNamed } from '../../src/retrieve/recipes/recipes.ts';
import { type ConversationReading, READINGS, SYSTEM1 } from '../../src/retrieve/similarity/defaults.ts';
import { contents, open, remember, turn } from '../engine/memory-fixture.ts';

async function memoryOf(turns: readonly TurnInput[]) {
  const memory = (await open(':memory:')).scope('a');
  await remember(memory, turns);
  return memory;
}

const WORDS = { lexical: 1, vector: 0 };

/** The default recipe, words alone, with some signals changed. */
function reading(more: Partial<ConversationReading>): Recipe {
  const recipe = recipeNamed('system1-lexical');
  return { ...recipe, routes: [{ ...SYSTEM1, reading: { ...READINGS.people, ...more }, lists: WORDS }] };
}

async function ranks(turns: readonly TurnInput[], query: string, recipe: string | Recipe = 'system1') {
  const memory = await memoryOf(turns);
  return contents(await memory.search(query, { recipe, k: 50 }));
}

const says = (speaker: string, content: string, more: Partial<TurnInput> = {}) =>
  turn(content, { speaker, ...more });

const FILLER = ['Good morning to you.', 'The weather is grey.', 'See you soon then.', 'Thanks a lot.'];
const padded = (session: string, turns: readonly TurnInput[], at = '2023-01-01') =>
  [...turns, ...FILLER.map((content) => says('Bob', content, { at }))].map((input) => ({
    ...input,
    session,
  }));

describe('a turn in its conversation', () => {
  it('ranks an answer above its question', async () => {
    const turns = padded('s', [
      says('Bob', 'Which breed is your puppy?'),
      says('Ann', 'He is a beagle, very lively.'),
    ]);
    for (const recipe of ['system1', 'system1-lexical', 'system1-vector']) {
      const found = await ranks(turns, 'Which breed is the puppy?', recipe);
      expect(found.indexOf('He is a beagle, very lively.')).toBeLessThan(
        found.indexOf('Which breed is your puppy?'),
      );
    }
    const alone = await ranks(turns, 'Which breed is the puppy?', paperRecipeNamed('system1-paper'));
    expect(alone[0]).toBe('Which breed is your puppy?');
  });

  it('favours a session that is about the question throughout', async () => {
    const turns = [
      ...padded('another', [says('Ann', 'The garden is big.')]),
      ...padded('garden', [
        says('Ann', 'The garden is wet.'),
        ...FILLER.map((content) => says('Ann', content)),
        says('Ann', 'Some garden chairs came.'),
        ...FILLER.map((content) => says('Ann', content)),
        says('Ann', 'Our garden gnome fell.'),
      ]),
    ];
    const weak = await ranks(turns, 'garden', reading({ session: 0, topic: 0 }));
    const strong = await ranks(turns, 'garden', reading({ session: 1, topic: 0 }));
    const place = (list: readonly string[]) => list.indexOf('The garden is wet.');
    expect(place(weak)).toBeGreaterThan(weak.indexOf('The garden is big.'));
    expect(place(strong)).toBeLessThan(strong.indexOf('The garden is big.'));
  });

  it('favours a session on the asked date', async () => {
    const turns = [
      ...padded('may', [says('Ann', 'We went hiking.', { at: '2023-05-07' })]),
      ...padded('june', [says('Ann', 'We went hiking again.', { at: '2023-06-20' })], '2023-06-20'),
    ];
    const on = (query: string, date: number) => ranks(turns, query, reading({ date }));
    expect((await on('Where did we go hiking on 7 May 2023?', 3))[0]).toBe('We went hiking.');
    expect((await on('Where did we go hiking on 20 June?', 3))[0]).toBe('We went hiking again.');
    const [first, second] = [await on('hiking on 7 May 2023', 0), await on('hiking on 20 June 2023', 0)];
    expect(first[0]).toBe(second[0]);
  });

  it('finds a day by its date alone', async () => {
    const turns = [
      ...padded('a', [says('Ann', 'Nothing much.', { at: '2023-05-07' })]),
      ...padded('b', [says('Ann', 'Still nothing.', { at: '2021-02-03' })], '2021-02-03'),
    ];
    expect(contents(await (await memoryOf(turns)).search('What about 7 May 2023?', { k: 1 }))).toEqual([
      'Nothing much.',
    ]);
  });

  it('favours the speaker whom the question names', async () => {
    const turns = [
      says('Ann', 'I like chess.', { session: 'a' }),
      says('Bob', 'I like chess.', { session: 'b' }),
      says('Carla', 'I like tea.', { session: 'c' }),
    ];
    const memory = await memoryOf(turns);
    for (const name of ['Ann', 'Bob']) {
      const { episodes } = await memory.search(`Does ${name} like chess?`, { recipe: 'system1' });
      expect(episodes[0]).toMatchObject({ speaker: name, content: 'I like chess.' });
    }
    const blind = reading({ namedSpeaker: 1 });
    const [ann, bob] = await Promise.all(
      ['Ann', 'Bob'].map((name) => memory.search(`Does ${name} like chess?`, { recipe: blind })),
    );
    expect(ann!.ranked.episodes).toEqual(bob!.ranked.episodes);
  });

  it('favours nobody when the question names all', async () => {
    const memory = await memoryOf([
      says('Ann', 'I like chess.', { session: 'a' }),
      says('Bob', 'I like chess.', { session: 'b' }),
    ]);
    const scores = async (query: string) =>
      (await memory.search(query, { recipe: reading({}) })).episodes.map(({ why }) => why[0]!.score);
    const [both, nobody] = [await scores('Ann Bob chess'), await scores('chess')];
    expect(both).toEqual(nobody);
  });

  it('favours a turn that mentions a time if the question asks for one', async () => {
    const turns = [
      says('Ann', 'I painted the fence green.', { session: 'a' }),
      says('Ann', 'I painted the fence yesterday.', { session: 'b' }),
    ];
    expect((await ranks(turns, 'When did you paint the fence?'))[0]).toContain('yesterday');
    const blind = await ranks(turns, 'When did you paint the fence?', reading({ temporal: 1 }));
    expect(blind[0]).toContain('green');
  });

  it('favours a turn with a name if the question asks for one', async () => {
    const turns = [
      says('Ann', 'The holiday in the mountains was cold.', { session: 'a' }),
      says('Ann', 'The holiday in Andorra was cold.', { session: 'b' }),
    ];
    expect((await ranks(turns, 'Where was the cold holiday?', reading({})))[0]).toContain('Andorra');
    const blind = await ranks(turns, 'Where was the cold holiday?', reading({ naming: 1 }));
    expect(blind[0]).toContain('mountains');
    expect((await ranks(turns, 'How was the cold holiday?', reading({})))[0]).toContain('mountains');
  });

  it('favours a topic that is about the question throughout, in a session of several topics', async () => {
    const chat = (hour: string, contents: readonly string[]) =>
      [...contents, ...FILLER, ...FILLER].map((content) =>
        says('Ann', content, { session: 's', at: `2023-05-08T${hour}:00:00Z` }),
      );
    const turns = [
      ...['02', '04', '06'].flatMap((hour) => chat(hour, ['Nothing new.'])),
      ...chat('08', ['My garden is big.']),
      ...chat('12', ['The garden is wet.', 'Some garden chairs came.', 'A garden gnome fell.']),
    ];
    const apart = { forward: [], backward: [] };
    const without = await ranks(turns, 'garden', reading({ ...apart, topic: 0 }));
    const found = await ranks(turns, 'garden', reading({ ...apart, topic: 1 }));
    const place = (list: readonly string[], text: string) => list.indexOf(text);
    expect(place(without, 'My garden is big.')).toBeLessThan(place(without, 'The garden is wet.'));
    expect(place(found, 'The garden is wet.')).toBeLessThan(place(found, 'My garden is big.'));
  });

  it('ranks equal turns by session and place, whatever the order of arrival', async () => {
    const turns = [2, 0, 1].flatMap((index) =>
      ['x', 'y'].map((session) => says('Ann', 'kiwi', { session, index: index * 10 })),
    );
    const alone = reading({ forward: [], backward: [], session: 0, topic: 0 });
    for (let time = 0; time < 2; time++) {
      const { ranked } = await (await memoryOf(turns)).search('kiwi', { recipe: alone });
      expect(ranked.episodes.map(({ session, index }) => `${session}${index}`)).toEqual([
        'x0',
        'x10',
        'x20',
        'y0',
        'y10',
        'y20',
      ]);
    }
  });

  it.each(['', '   ', '???', 'the of and', 'xylophone', '\u0000\ud800', 'x'.repeat(10_000)])(
    'accepts an odd query: %j',
    async (query) => {
      const memory = await memoryOf([says('Ann', 'kiwi')]);
      expect((await memory.search(query)).episodes.length).toBeLessThanOrEqual(1);
    },
  );
});

describe('facts lift the turns that they cite', () => {
  const ASKED = 'Who looks after the veterinary practice?';
  const turns = [
    says('Ann', 'It was me all along.', { session: 'a', sourceId: '1' }),
    says('Ann', 'The practice of the piano takes hours.', { session: 'b', sourceId: '2' }),
  ];
  const fact = {
    statement: 'Ann looks after the veterinary practice',
    evidence: [{ sourceId: '1' }],
  };

  it.each(['system1', 'auto', 'mnemis-local'])(
    'a turn without a word of the question: %s',
    async (recipe) => {
      const memory = await memoryOf(turns);
      const before = contents(await memory.search(ASKED, { recipe }));
      expect(before).not.toContain('It was me all along.');
      await memory.addFacts([fact]);
      expect(contents(await memory.search(ASKED, { recipe }))).toContain('It was me all along.');
    },
  );

  it('not where the recipe reads turns alone, and not by a fact that has ended', async () => {
    const memory = await memoryOf(turns);
    await memory.addFacts([{ ...fact, validAt: '2020-01-01', invalidAt: '2021-01-01' }]);
    expect(contents(await memory.search(ASKED, { recipe: 'system1' }))).not.toContain('It was me all along.');
    await memory.addFacts([fact]);
    const alone = await memory.search(ASKED, { recipe: paperRecipeNamed('system1-paper') });
    expect(contents(alone)).not.toContain('It was me all along.');
  });
});

describe('a period in the question', () => {
  const chat = (session: string, at: string, said: readonly string[]) =>
    said.map((content, index) =>
      says('Ann', content, { session, at, index, sourceId: `${session}${index}` }),
    );
  const LUNCHES = Array.from({ length: 12 }, (_, place) => `Lunch number ${place + 1} was rice with beans.`);
  const MONTHS = ['08', '09', '10', '11', '12'];
  const turns = [
    ...chat('july', '2023-07-28', LUNCHES),
    ...MONTHS.flatMap((month) =>
      chat(month, `2023-${month}-20`, ['We took a trip.', ...FILLER, 'A trip it was.', ...FILLER]),
    ),
  ];
  const ASKED = 'Which trip was it in July 2023?';

  it('does not decide over turns about what was asked', async () => {
    const found = await ranks(turns, ASKED, reading({}));
    expect(found.filter((content) => content.includes('trip'))).toHaveLength(10);
    expect(found.slice(0, 3).filter((content) => content.includes('trip'))).toHaveLength(3);
  });

  it('also means when something happened that was told later', async () => {
    const memory = await memoryOf(turns);
    const first = async () => (await memory.search(ASKED)).episodes[0]!;
    expect((await first()).session).not.toBe('10');
    const evidence = [{ sourceId: '105' }];
    await memory.addFacts([{ statement: 'Ann was in the desert', validAt: '2023-07-11', evidence }]);
    expect(await first()).toMatchObject({ session: '10', content: 'A trip it was.' });
  });
});

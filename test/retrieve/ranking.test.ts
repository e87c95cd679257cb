import { describe, expect, it } from 'vitest';
import { paperRecipeNamed } from '../../eval/papers/recipes.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import type { Recipe } from '../../src/retrieve/recipes/recipe.ts';
import { recipeNamed } from '../../src/retrieve/recipes/recipes.ts';
import { type ConversationReading, SYSTEM1 } from '../../src/retrieve/similarity/defaults.ts';
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
  return { ...recipe, routes: [{ ...SYSTEM1, reading: { ...SYSTEM1.reading, ...more }, lists: WORDS }] };
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
      ...padded('other', [says('Ann', 'The garden is big.')]),
      ...padded('garden', [
        says('Ann', 'The garden is wet.'),
        ...FILLER.map((content) => says('Ann', content)),
        says('Ann', 'Some garden chairs came.'),
        ...FILLER.map((content) => says('Ann', content)),
        says('Ann', 'Our garden gnome fell.'),
      ]),
    ];
    const weak = await ranks(turns, 'garden', reading({ session: 0 }));
    const strong = await ranks(turns, 'garden', reading({ session: 1 }));
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

  it('ranks equal turns by arrival, deterministically', async () => {
    const turns = [2, 0, 1].flatMap((index) =>
      ['x', 'y'].map((session) => says('Ann', 'kiwi', { session, index: index * 10 })),
    );
    const alone = reading({ forward: [], backward: [], session: 0 });
    for (let time = 0; time < 2; time++) {
      const { ranked } = await (await memoryOf(turns)).search('kiwi', { recipe: alone });
      expect(ranked.episodes.map(({ session, index }) => `${session}${index}`)).toEqual(
        turns.map(({ session, index }) => `${session}${index}`),
      );
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

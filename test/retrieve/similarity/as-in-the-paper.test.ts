import { describe, expect, it } from 'vitest';
import { paperRecipeNamed } from '../../../eval/papers/recipes.ts';
import type { Embedder, Mnemis } from '../../../src/index.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { SYSTEM2 } from '../../../src/retrieve/categories/defaults.ts';
import type { Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { preparedAgain, prepareQuery } from '../../../src/retrieve/search.ts';
import {
  ALONE,
  type ConversationReading,
  READINGS,
  SYSTEM1,
} from '../../../src/retrieve/similarity/defaults.ts';
import { TOPICS } from '../../../src/retrieve/topics/defaults.ts';
import { TRAVERSAL } from '../../../src/retrieve/traversal/defaults.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { roundedVector } from '../../../src/util/rounded-vector.ts';
import { HandMade } from '../../browse/history/hand-made.ts';
import { episode } from '../../contract/graph-rows.ts';
import { open, remember, turn } from '../../engine/memory-fixture.ts';

const PAPER = paperRecipeNamed('system1-paper');

async function memoryOf(turns: readonly TurnInput[], embedder?: Embedder) {
  const engine: Mnemis = await open(':memory:', { ...(embedder && { embedder }) });
  const memory = engine.scope('a');
  await remember(memory, turns);
  return memory;
}

const alone = (content: string, at: number) => turn(content, { speaker: 'Ann', session: `s${at}` });

/** Texts of one direction, of one and of four index terms, and others. */
const SHORT = 'Chess.';
const LONG = 'Chess, chess, chess and chess.';
const TURNS = [SHORT, LONG, 'The garden is wet.', 'A train to Oslo leaves at noon.', 'Thanks.'].map(alone);

/** The scores of turns in the list of vectors. */
async function scoresOf(reading: ConversationReading): Promise<(content: string) => number> {
  const memory = await memoryOf(TURNS);
  const vectors = { ...SYSTEM1, reading, fusion: 'ranks', lists: { lexical: 0, vector: 1 } } as const;
  const { episodes } = await memory.search('Is it chess?', { recipe: { ...PAPER, routes: [vectors] } });
  return (content) =>
    episodes.find((each) => each.content === content)!.why.find(({ list }) => list === 'vector')!.score;
}

describe('the cosine of a turn', () => {
  it.each([
    ['plain', 0],
    ['by-length', 0.5],
    ['calibrated', 0.25],
  ] as const)('%s, grows with the length of the turn to the power of %d', async (cosines, power) => {
    const score = await scoresOf({ ...ALONE, cosines });
    expect(score(LONG) / score(SHORT)).toBeCloseTo(((4 + 1) / (1 + 1)) ** power, 4);
  });

  it('is itself in the papers’ recipes, calibrated in system1, and by length where a graph is followed', () => {
    expect(ALONE.cosines).toBe('plain');
    for (const name of ['system1-paper', 'mnemis-paper'])
      expect(paperRecipeNamed(name).routes[0]).toMatchObject({ fusion: 'ranks', reading: ALONE });
    expect(new Set(Object.values(READINGS).map(({ cosines }) => cosines))).toEqual(new Set(['calibrated']));
    for (const { reading } of [SYSTEM2, TOPICS, TRAVERSAL]) expect(reading.cosines).toBe('by-length');
  });

  it('is that of the whole question and the whole turn in system1-paper', async () => {
    const embedder = new HashingEmbedder({ dimension: 64, analyze });
    const memory = await memoryOf(TURNS, embedder);
    const question = 'Does Ann play chess on a train?';
    const { episodes } = await memory.search(question, { recipe: PAPER, k: 50 });
    const [asked, ...texts] = await embedder.embed([question, ...episodes.map(({ content }) => content)], {
      as: 'passage',
    });
    const found = episodes.flatMap(({ why }, at) => {
      const cosine = asked!.reduce((sum, value, place) => sum + value * roundedVector(texts[at]!)[place]!, 0);
      const vote = why.find(({ list }) => list === 'vector');
      return vote === undefined ? [] : [{ score: vote.score, cosine }];
    });
    expect(found.length).toBeGreaterThan(2);
    for (const { score, cosine } of found) expect(score).toBeCloseTo(cosine, 4);
  });
});

describe('the question', () => {
  const QUESTION = 'Where did Ann go in May 2023?';

  /** The texts that were embedded as questions. */
  async function embedded(recipe: Recipe): Promise<readonly string[]> {
    const inner = new HashingEmbedder({ dimension: 64, analyze });
    const texts: string[] = [];
    const memory = await memoryOf(TURNS, {
      fingerprint: inner.fingerprint,
      embed: (given, options) => {
        if (options?.as === 'query') texts.push(...given);
        return inner.embed(given, options);
      },
    });
    await memory.search(QUESTION, { recipe });
    return texts;
  }

  it.each(['system1-paper', 'mnemis-paper', 'memorai-paper', 'gam-paper'])(
    'is embedded as it was asked by %s',
    async (name) => {
      expect((await embedded(paperRecipeNamed(name)))[0]).toBe(QUESTION);
    },
  );

  it('is embedded without names of speakers and times by default', async () => {
    const [text] = await embedded(recipeNamed('auto'));
    expect(text).toMatch(/^Where did\s+go/);
    expect(text).not.toMatch(/Ann|2023/);
  });

  it('is searched for the names of speakers too in the papers’ recipes', async () => {
    const memory = await memoryOf([
      turn('The garden is wet.', { speaker: 'Ann', session: 's' }),
      turn('Ann has a red kite.', { speaker: 'Bob', session: 's' }),
      turn('A train to Oslo leaves at noon.', { speaker: 'Ann', session: 's' }),
      turn('So it does.', { speaker: 'Bob', session: 's' }),
    ]);
    const byWords = async (recipe: Recipe) => {
      const { episodes } = await memory.search('Does Ann like gardens?', { recipe });
      return episodes
        .filter(({ why }) => why.some(({ list }) => list === 'lexical'))
        .map((each) => each.content);
    };
    expect(await byWords(PAPER)).toEqual(
      expect.arrayContaining(['Ann has a red kite.', 'The garden is wet.']),
    );
    expect(await byWords(paperRecipeNamed('system1-paper-cut'))).toEqual(['The garden is wet.']);
  });

  it('is embedded again for a recipe that searches more or less of it, and only then', async () => {
    const memory = new HandMade();
    await memory.commit({ nodes: { episode: [episode('t', { content: 'Chess.', speaker: 'Ann' })] } });
    const view = await memory.view();
    const prepared = await prepareQuery(view, 'Does Ann like chess?', { recipe: PAPER, k: 3 });
    const same = await preparedAgain(prepared, { recipe: paperRecipeNamed('gam-paper'), k: 4 });
    expect(same.queryVector).toBe(prepared.queryVector);
    const cut = await preparedAgain(prepared, { recipe: recipeNamed('system1'), k: 5 });
    expect([same, cut].map(({ k, question }) => [k, question.embedded])).toEqual([
      [4, 'Does Ann like chess?'],
      [5, 'Does like chess?'],
    ]);
    expect(cut.queryVector).not.toEqual(prepared.queryVector);
    const back = await preparedAgain(cut, { recipe: PAPER, k: 3 });
    expect(back.queryVector).toEqual(prepared.queryVector);
  });
});

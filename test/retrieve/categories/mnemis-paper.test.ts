import { describe, expect, it } from 'vitest';
import { paperRecipeNamed } from '../../../eval/papers/recipes.ts';
import type { Reranker } from '../../../src/inference/reranker.ts';
import type { Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { HandMade } from '../../browse/history/hand-made.ts';
import { edge, episode } from '../../contract/graph-rows.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import { hierarchyRows } from '../../hierarchy/traverse/hand-made-hierarchy.ts';
import { search } from '../run-search.ts';

const PAPER = paperRecipeNamed('mnemis-paper');
const GROUPS = 320;

/** A layer of more categories than our own recipes show, each with two entities, of which a turn mentions one. */
async function wideMemory(): Promise<HandMade> {
  const rows = hierarchyRows(
    Array.from(
      { length: GROUPS },
      (_, at) => `1 Group ${at} (tag ${at}, kind ${at}): thing ${at}, part ${at}`,
    ),
  );
  const memory = new HandMade();
  await memory.commit({
    nodes: {
      ...rows.nodes,
      episode: Array.from({ length: GROUPS }, (_, at) =>
        episode(`t${at}`, {
          content: at < 30 ? `The kettle was on, round ${at}.` : `Nothing much, round ${at}.`,
          index: at,
          speaker: at % 2 === 0 ? 'Ann' : 'Bob',
          session: 's',
          status: 'extracted',
        }),
      ),
    },
    relationships: [
      ...rows.relationships!,
      ...Array.from({ length: GROUPS }, (_, at) => edge('MENTIONS', `t${at}`, `thing ${at}`)),
    ],
  });
  return memory;
}

const memory = await wideMemory();

interface Asked {
  readonly recipe?: Recipe;
  readonly k?: number;
  /** Whether the model picks a line. */
  readonly picks?: (line: string) => boolean;
}

/** A search, with what a model and a reranker read. */
async function ask({ recipe = PAPER, k = 10, picks = () => true }: Asked) {
  const shown: string[][] = [];
  const languageModel = new FakeLanguageModel(({ user }) => {
    const lines = user.split('\n').filter((line) => /^\s*\d+ /.test(line));
    shown.push(lines);
    return { open: lines.filter(picks).map((line) => Number.parseInt(line, 10)), all: [] };
  });
  const read: number[] = [];
  const reranker: Reranker = {
    model: 'counting',
    rerank: async (_, texts) => {
      read.push(texts.length);
      return texts.map((_text, at) => (texts.length - at) / texts.length);
    },
  };
  const view = { ...(await memory.view()), languageModel, reranker };
  const result = await search(view, 'Was the kettle on?', { recipe, k });
  return { ...result, shown, read };
}

describe('mnemis-paper', () => {
  it('shows the model names and tags of every node in one list, and follows every pick', async () => {
    const { shown, routes } = await ask({});
    expect(shown.map(({ length }) => length)).toEqual([GROUPS, 2 * GROUPS]);
    expect(shown[0]!.map((line) => line.replace(/^\d+ /, ''))).toContain('Group 7 (tag 7, kind 7)');
    const [, selection] = routes;
    expect(selection!.walk!.steps.map(({ offered, picked }) => [offered, picked])).toEqual([
      [GROUPS, GROUPS],
      [2 * GROUPS, 2 * GROUPS],
    ]);
    const ours = await ask({ recipe: recipeNamed('mnemis') });
    expect(ours.shown[0]!.length).toBeLessThan(GROUPS);
    expect(ours.shown[0]![0]).not.toContain('tag');
  });

  it('reranks all that both routes found: the best k turns, 2k entities and facts of similarity, and the selection', async () => {
    const all = await ask({});
    expect(all.read).toEqual([GROUPS, 3 * GROUPS]);
    const few = await ask({ k: 10, picks: (line) => /Group 30[0-3]|thing 30[0-3]/.test(line) });
    // 10 of the 30 turns with the word, and the turns of 4 selected entities.
    expect(few.read[0]).toBe(14);
    expect(few.ranked.episodes).toHaveLength(14);
    expect((await ask({ k: 5, picks: () => false })).read[0]).toBe(5);
  });

  it('fuses by reciprocal ranks without a constant', async () => {
    const { routes } = PAPER;
    const { episodes } = await ask({ recipe: { ...PAPER, routes: [routes[0]!], rerank: undefined } });
    expect(episodes).toHaveLength(10);
    for (const { score, why } of episodes)
      expect(score).toBeCloseTo(
        why.reduce((sum, { rank }) => sum + 1 / rank, 0),
        10,
      );
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { EVERY_RECIPE, paperRecipeNamed } from '../../eval/papers/recipes.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { parseRecipe } from '../../src/retrieve/recipes/recipe.ts';
import { DEFAULT_RECIPE, RECIPE_ALIASES, RECIPES, recipeNamed } from '../../src/retrieve/recipes/recipes.ts';
import { CONVERSATION, open, QUERIES, remember, turn } from '../engine/memory-fixture.ts';

let memory: MemoryScope;
beforeAll(async () => {
  memory = (await open(':memory:')).scope('a');
  await remember(memory, CONVERSATION);
});

describe('recipes', () => {
  it('have distinct names, descriptions, and budgets', () => {
    expect(new Set(EVERY_RECIPE.map(({ name }) => name)).size).toBe(EVERY_RECIPE.length);
    for (const recipe of EVERY_RECIPE) {
      expect(recipe.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(recipe.description).toMatch(/\w{3}/);
      expect(recipe.depth).toBeGreaterThan(0);
      expect(recipe.rankConstant).toBeGreaterThanOrEqual(0);
      expect(recipe.routes.length).toBeGreaterThan(0);
      expect(paperRecipeNamed(recipe.name)).toBe(recipe);
      // A recipe is data: it survives serialization.
      expect(JSON.parse(JSON.stringify(recipe))).toEqual(recipe);
      for (const route of recipe.routes) {
        const { kinds } = route;
        expect(new Set(kinds).size).toBe(kinds.length);
        expect(kinds.length).toBeGreaterThan(0);
        if (route.route === 'system1')
          expect(Math.max(route.lists.lexical, route.lists.vector)).toBeGreaterThan(0);
        else if (route.route === 'system2') expect(route.weights.enumerating).toBeGreaterThan(0);
        else expect(route.weight).toBeGreaterThan(0);
        expect(parseRecipe(recipe)).toEqual(recipe);
      }
    }
    for (const recipe of RECIPES) expect(recipeNamed(recipe.name)).toBe(recipe);
    expect(recipeNamed(DEFAULT_RECIPE).name).toBe(DEFAULT_RECIPE);
    for (const named of [recipeNamed, paperRecipeNamed])
      expect(() => named('nope')).toThrow(expect.objectContaining({ code: 'unknown-name' }));
  });

  it('have plain names beside those of the papers', async () => {
    for (const [alias, name] of Object.entries(RECIPE_ALIASES)) {
      expect(recipeNamed(alias)).toBe(recipeNamed(name));
      expect(paperRecipeNamed(alias)).toBe(recipeNamed(name));
    }
    const { recipe } = await memory.search('Rex', { recipe: 'similarity' });
    expect(recipe).toBe('system1');
    expect(() => recipeNamed('toString')).toThrow(expect.objectContaining({ code: 'unknown-name' }));
  });

  // Recipes of System-2 alone need a hierarchy: test/retrieve/categories.
  const withSystem1 = EVERY_RECIPE.filter(({ routes }) => routes.some(({ route }) => route === 'system1'));
  it.each(withSystem1)('$name runs, and returns the kinds that it names', async (recipe) => {
    const kinds = new Set(recipe.routes.flatMap((route) => route.kinds));
    for (const query of QUERIES) {
      const result = await memory.search(query, { recipe, k: 3 });
      expect(result.recipe).toBe(recipe.name);
      expect(result.episodes.length).toBeGreaterThan(0);
      expect(result.entities.length > 0).toBe(kinds.has('entity'));
      expect(result.facts.length > 0).toBe(kinds.has('fact'));
      for (const { why, rank, score } of [...result.episodes, ...result.entities, ...result.facts]) {
        expect(why.length).toBeGreaterThan(0);
        expect(score).toBeGreaterThan(0);
        expect(rank).toBeGreaterThan(0);
      }
      expect(result.ranked.episodes.slice(0, 3).map(({ id }) => id)).toEqual(
        result.episodes.map(({ id }) => id),
      );
    }
  });

  it('omit a list of weight 0', async () => {
    const lists = async (recipe: string) => {
      const { episodes } = await memory.search('Which breed is Rex?', { recipe });
      return [...new Set(episodes.flatMap(({ why }) => why.map(({ list }) => list)))].sort();
    };
    expect(await lists('system1')).toEqual(['lexical+vector']);
    expect(await lists('system1-balanced')).toEqual(['lexical', 'vector']);
    expect(await lists('system1-lexical')).toEqual(['lexical']);
    expect(await lists('system1-vector')).toEqual(['vector']);
  });

  it('may be provided by the caller', async () => {
    const own = { ...recipeNamed('system1'), name: 'own', depth: 2 };
    const { recipe, ranked } = await memory.search('Rex', { recipe: own });
    expect([recipe, ranked.episodes.length]).toEqual(['own', 2]);
  });
});

describe('system1-graph', () => {
  it('ranks each source turn once, best first, and only turns that support something', async () => {
    for (const query of QUERIES) {
      const { ranked, facts, entities } = await memory.search(query, {
        recipe: paperRecipeNamed('system1-graph'),
      });
      const ids = ranked.episodes.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const scores = ranked.episodes.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      const sources = new Set([...facts, ...entities].flatMap((item) => item.sources.map((s) => s.episode)));
      for (const id of sources) expect(ids).toContain(id);
      expect(ids[0]).toBe(facts[0]?.sources[0]?.episode);
    }
  });

  it('does not rank a superseded turn', async () => {
    const other = (await open(':memory:')).scope('b');
    await remember(other, turn('I love kiwi.', { speaker: 'Ann', index: 0 }));
    await remember(other, turn('I love mango.', { speaker: 'Ann', index: 0 }));
    const { episodes } = await other.search('What does Ann love?', {
      recipe: paperRecipeNamed('system1-graph'),
    });
    expect(episodes.map(({ content }) => content)).toEqual(['I love mango.']);
  });
});

it('a question of names only returns the evidence of facts about them', async () => {
  const { episodes, facts } = await memory.search('Ann?', { recipe: 'system1-lexical' });
  expect(facts.length).toBeGreaterThan(0);
  expect(episodes.map(({ id }) => id)).toContain(facts[0]?.sources[0]?.episode);
  for (const { why } of episodes)
    for (const { list } of why) expect(['facts', 'entities', 'speaker']).toContain(list);
});

it.each(['system1', 'auto'])(
  'budgets are k turns, 2k entities and 2k facts from rankings with the depth of %s',
  async (recipe) => {
    const { depth } = recipeNamed(recipe);
    const large = (await open(':memory:')).scope('c');
    await remember(
      large,
      Array.from({ length: 150 }, (_, number) =>
        turn(`I bought kiwi${number} and a melon in Town${number}.`, {
          speaker: 'Ann',
          session: `s${number % 7}`,
        }),
      ),
    );
    for (const k of [1, 5, 10, 100]) {
      const result = await large.search('Which melon and kiwi7 has Ann bought?', { recipe, k });
      const { episodes, entities, facts, ranked } = result;
      expect([episodes.length, entities.length, facts.length]).toEqual([
        k,
        Math.min(2 * k, depth),
        Math.min(2 * k, depth, 150),
      ]);
      // There are more entities than that, and 150 turns and facts.
      expect(ranked.entities).toHaveLength(depth);
      for (const list of [ranked.episodes, ranked.entities, ranked.facts]) {
        expect(list.length).toBeGreaterThanOrEqual(Math.min(depth, 150));
        expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
      }
      expect(episodes.map(({ rank }) => rank)).toEqual(episodes.map((_, at) => at + 1));
    }
  },
);

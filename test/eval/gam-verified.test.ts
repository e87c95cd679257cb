import { expect, it } from 'vitest';
import { paperProfileNamed } from '../../eval/papers/profiles.ts';
import { paperRecipeNamed } from '../../eval/papers/recipes.ts';
import { RehearsalModel } from '../../eval/rehearsal/rehearsal-model.ts';
import type { TopicsRoute } from '../../src/retrieve/topics/defaults.ts';
import { graphOf, open, remember, turn } from '../engine/memory-fixture.ts';
import { counter } from '../fakes/openai-server/tokens.ts';

const RECIPE = paperRecipeNamed('gam-paper');
const TURNS = [
  'We adopted a puppy from the shelter in Oslo last week.',
  'Oh lovely, a puppy, what a thing to have around the whole house all day long!',
  'Her name is Luna and the puppy sleeps in the kitchen.',
  'I planted tomatoes and beans in the garden on Sunday.',
  'The garden is getting sun at last, the tomatoes will like it.',
  'I have to call the plumber about the kitchen sink.',
];

/** `gam-paper` with another factor for verified turns. */
function withConfidence(confidence: number) {
  const [route] = RECIPE.routes as readonly [TopicsRoute];
  return { ...RECIPE, routes: [{ ...route, factors: { ...route.factors, confidence } }] };
}

it('gam-paper verifies turns at encoding, and the factor of confidence raises these and no others', async () => {
  const engine = await open(':memory:', {
    languageModel: new RehearsalModel({ counter }),
    profile: paperProfileNamed('gam-paper'),
  });
  const memory = engine.scope('a');
  await remember(
    memory,
    TURNS.map((content, at) => turn(content, { speaker: at % 2 === 0 ? 'Ann' : 'Bob', session: 's' })),
  );
  const { nodes } = await graphOf(memory);
  const verified = nodes.episode.filter((each) => each.verified).map(({ content }) => content);
  expect(nodes.fact).toEqual([]);
  expect([verified.length > 0, verified.length < TURNS.length]).toEqual([true, true]);
  const scores = async (confidence: number) => {
    const recipe = withConfidence(confidence);
    const { episodes } = await memory.search('puppy kitchen garden', { recipe });
    return new Map(episodes.map(({ content, why }) => [content, why[0]!.score]));
  };
  const [without, paper, strong] = [await scores(1), await scores(1.2), await scores(10)];
  expect([...paper.keys()].sort()).toEqual([...without.keys()].sort());
  for (const [content, score] of paper)
    expect(score / without.get(content)!).toBeCloseTo(verified.includes(content) ? 1.2 : 1, 6);
  expect([...strong.keys()]).not.toEqual([...without.keys()]);
});

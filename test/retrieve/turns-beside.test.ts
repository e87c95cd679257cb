import { expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { BESIDE_FOUND } from '../../src/model/retrieved-item.ts';
import { recipe } from '../../src/retrieve/recipes/recipe.ts';
import { ALONE, SYSTEM1 } from '../../src/retrieve/similarity/defaults.ts';
import { FakeLanguageModel } from '../fakes/language-model/fake-language-model.ts';

/** Each turn alone, by its words, so that neighbours are not found themselves. */
const BY_WORDS = recipe('by-words', 'turns by their words', {
  routes: [{ ...SYSTEM1, kinds: ['episode'], lists: { lexical: 1, vector: 0 }, reading: ALONE }],
});

const TALK = [
  ['Ira', 'Good morning, Ken.'],
  ['Ken', 'I bought a red kayak at the harbour.'],
  ['Ira', 'Where will you take the kayak first?'],
  ['Ken', 'To the fjord behind Voss.'],
  ['Ira', 'Lovely.'],
  ['Ken', 'My grandmother knitted a green sweater.'],
  ['Ira', 'It looks warm, that sweater of hers.'],
  ['Ken', 'She is ninety.'],
] as const;

/** What a model that answers is given: the turns, with what each stands beside. */
async function evidenceOf(question: string, options: { readonly k?: number; readonly asOf?: string } = {}) {
  const languageModel = new FakeLanguageModel(() => ({}));
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false, languageModel });
  const memory = engine.scope('a');
  await memory.add(
    TALK.map(([speaker, content], at) => ({
      ...{ speaker, content, session: 's', at: `2024-03-05T10:0${at}:00Z` },
    })),
  );
  const steps = await memory.retrievalSteps(question, { begins: true, recipe: BY_WORDS, ...options });
  const { episodes } = await steps.evidence({});
  const { episodes: shown } = await steps.rerank({});
  const beside = episodes.filter(({ why }) => why[0]?.route === BESIDE_FOUND);
  return {
    found: episodes.filter((each) => !beside.includes(each)).map(({ content }) => content),
    shown: shown.map(({ content }) => content),
    beside: beside.map(({ content, why }) => [content, why[0]!.list]),
    ranks: episodes.map(({ rank }) => rank),
  };
}

it.each<[question: string, beside: string[][]]>([
  ['kayak', [['To the fjord behind Voss.', 'reply']]],
  ['looks warm', [['My grandmother knitted a green sweater.', 'before']]],
  ['grandmother', []],
])(
  '%s: the reply to a found question, and the turn before one that leans on it',
  async (question, beside) => {
    expect((await evidenceOf(question)).beside).toEqual(beside);
  },
);

it('comes after the found turns, and not into what a search returns', async () => {
  const { found, shown, beside, ranks } = await evidenceOf('kayak', { k: 1 });
  expect(found).toHaveLength(2);
  expect(shown).toEqual(found.slice(0, 1));
  expect(beside).toHaveLength(1);
  expect(ranks).toEqual([1, 2, 3]);
});

it('does not show what was said after the time asked about', async () => {
  const { found, beside } = await evidenceOf('kayak', { asOf: '2024-03-05T10:02:30Z' });
  expect([found.length, beside]).toEqual([2, []]);
});

import { expect, it } from 'vitest';
import { InvalidInputError } from '../../src/errors/index.ts';
import { checkedCategorizer } from '../../src/hierarchy/categorizer.ts';
import { NO_MODEL_USAGE } from '../../src/inference/language-model/tokens/usage-meter.ts';

const asked = (answer: unknown) => {
  const categorizer = { name: 'own', nodesAtOnce: null, categorize: async () => answer };
  return checkedCategorizer(categorizer as never).categorize({} as never);
};

it.each([
  ['nothing', undefined],
  ['names that are no text', { categories: [{ name: 7, nodes: [] }] }],
  ['nodes that are no list', { categories: [{ name: 'A', nodes: null }] }],
  ['no list', { categories: 'Animals' }],
])('rejects %s', async (_, answer) => {
  await expect(asked(answer)).rejects.toBeInstanceOf(InvalidInputError);
});

it('accepts a result without optional fields', async () => {
  expect(await asked({ categories: [{ name: 'A', nodes: ['x'] }] })).toEqual({
    categories: [{ name: 'A', tags: [], aliases: [], nodes: ['x'] }],
    notes: [],
    usage: NO_MODEL_USAGE,
  });
});

it('does not change errors of the categorizer', async () => {
  const error = new TypeError('mine');
  const broken = { name: 'own', nodesAtOnce: 5, categorize: () => Promise.reject(error) };
  const checked = checkedCategorizer(broken);
  expect(checked).toMatchObject({ name: 'own', nodesAtOnce: 5 });
  await expect(checked.categorize({} as never)).rejects.toBe(error);
});

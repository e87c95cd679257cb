import { afterAll, expect, it } from 'vitest';
import { recipeNamed } from '../../src/retrieve/recipes/recipes.ts';
import { freshPath, open, turn } from './memory-fixture.ts';
import { expectScopesApart } from './scopes-apart.ts';

const mnemis = await open(freshPath());
afterAll(() => mnemis.close());

it('never mixes two scopes that hold the same words', () => expectScopesApart(mnemis));

it('rejects evidence of another scope', async () => {
  const { outcomes } = await mnemis.scope('mine').add(turn('one'));
  const evidence = [{ id: (outcomes[0] as { id: string }).id }];
  await mnemis.scope('theirs').add(turn('two'));
  const result = await mnemis.scope('theirs').addFacts([{ statement: 'one is one', evidence }]);
  expect(result).toMatchObject({ added: 0, rejected: 1 });
});

it('gives the same memory for the same name, and never merges two names', async () => {
  expect(mnemis.scope('same')).toBe(mnemis.scope('same'));
  expect(mnemis.scope('Same')).not.toBe(mnemis.scope('same'));
});

it.each(['', '  ', 'x'.repeat(201), ' bob', 'bob ', 'half \ud83d'])('rejects the scope name %j', (name) => {
  expect(() => mnemis.scope(name)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
});

it.each([undefined, 7, 'x'.repeat(10_001)])('rejects the query %s', async (query) => {
  const search = mnemis.scope('users/1').search(query as string);
  await expect(search).rejects.toMatchObject({ code: 'invalid-input' });
});

it('rejects an invalid recipe of the caller’s', async () => {
  const recipe = { ...recipeNamed('system1'), depth: Number.POSITIVE_INFINITY };
  const search = mnemis.scope('users/1').search('x', { recipe });
  await expect(search).rejects.toMatchObject({ code: 'invalid-input' });
});

it.each([0, 101, 1.5, Number.NaN])('rejects k = %d', async (k) => {
  await expect(mnemis.scope('users/1').search('x', { k })).rejects.toMatchObject({ code: 'invalid-input' });
});

it('lists the recipes when the named one does not exist', async () => {
  await expect(mnemis.scope('users/1').search('x', { recipe: 'nope' })).rejects.toThrow(/system1-rag/);
});

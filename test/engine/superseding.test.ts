import { describe, expect, it } from 'vitest';
import { recipeNamed } from '../../src/retrieve/recipes/recipes.ts';
import { freshPath, type open, remember, turn, using } from './memory-fixture.ts';

const first = turn('I work at Acme as a nurse.', { speaker: 'Alice', sourceId: '1' });
const corrected = turn('I work at Globex as a pilot.', { speaker: 'Alice', sourceId: '1' });

describe('a corrected turn', () => {
  it('is in no profile, and leaves no entity that only it mentioned', async () => {
    await using(':memory:', async (mnemis) => {
      const memory = mnemis.scope('a');
      await remember(memory, first);
      expect((await memory.search('Acme nurse')).entities.length).toBeGreaterThan(1);
      await remember(memory, corrected);
      const { entities } = await memory.search('Alice Acme nurse Globex pilot');
      expect(JSON.stringify(entities)).not.toMatch(/Acme|nurse/);
      expect(entities.map(({ name }) => name)).toEqual(expect.arrayContaining(['Alice', 'Globex']));
      for (const { sources } of entities) expect(sources.length).toBeGreaterThan(0);
    });
  });

  it('is restored with its entities when it is said again', async () => {
    await using(':memory:', async (mnemis) => {
      const memory = mnemis.scope('a');
      for (const each of [first, corrected, { ...first, sourceId: '2' }]) await remember(memory, each);
      const { entities } = await memory.search('Acme');
      expect(entities[0]).toMatchObject({ name: 'Acme' });
    });
  });

  it('removes its speaker’s name from the parsing of questions, as a rebuilt index does', async () => {
    const path = freshPath();
    const lexical = { recipe: recipeNamed('system1-lexical') };
    const search = async (mnemis: Awaited<ReturnType<typeof open>>) =>
      (await mnemis.scope('a').search('Rome', lexical)).episodes.map(({ content }) => content);
    await using(path, async (mnemis) => {
      const memory = mnemis.scope('a');
      await memory.add(turn('Hello there, all of you.', { speaker: 'Rome', sourceId: '1' }));
      await memory.add(turn('We flew to Rome in May.', { speaker: 'Ann', sourceId: '2' }));
      await memory.add(turn('Hello there, all of you.', { speaker: 'Jerome', sourceId: '1' }));
      expect(await search(mnemis)).toContain('We flew to Rome in May.');
    });
  });
});

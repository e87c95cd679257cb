import { expect, test, vi } from 'vitest';
import { RehearsalModel } from '../../eval/rehearsal/rehearsal-model.ts';
import { Mnemis } from '../../src/engine.ts';

test('the profile mixed reads turns by rules, and the model names categories and answers', async () => {
  const languageModel = new RehearsalModel();
  const [structured, text] = [vi.spyOn(languageModel, 'structured'), vi.spyOn(languageModel, 'text')];
  const asked = () => [structured, text].flatMap(({ mock }) => mock.calls.map(([prompt]) => prompt.name));
  const engine = await Mnemis.open({ path: ':memory:', languageModel, profile: 'mixed', automatic: false });
  const memory = engine.scope('a');
  const animals = ['dog called Biscuit', 'cat called Miso', 'horse called Storm', 'parrot called Rio'];
  for (const [at, animal] of animals.entries())
    await memory.add(`I adopted a ${animal} in Lyon.`, { speaker: 'Alice', at: `2026-03-0${at + 1}` });
  await memory.flush();
  expect((await memory.stats()).fact).toBeGreaterThan(0);
  expect(asked().filter((name) => name !== 'categorize-nodes' && name !== 'describe-categories')).toEqual([]);
  await memory.hierarchy.update();
  expect(asked()).toContain('categorize-nodes');
  await memory.ask('Which pets does Alice have?');
  expect(asked()).toContain('answer-question');
  await engine.close();
});

test('the profile mixed needs a model', async () => {
  await expect(Mnemis.open({ path: ':memory:', profile: 'mixed' })).rejects.toThrow('needs a language model');
});

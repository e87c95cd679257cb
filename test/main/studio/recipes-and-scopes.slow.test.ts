import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recipeNames } from '../../../main/papers.ts';
import { EVERY_CITY, reason, StudioLab, TRIPS, type Values } from './studio-lab.ts';

const NAMES = await recipeNames();
const input = { question: EVERY_CITY };
const at = '2024-03-05T10:00:00Z';
const SECRET = [{ content: 'My safe is behind the mirror.', speaker: 'Ana', at }];
const MORE = [{ content: 'The key is under the mat.', speaker: 'Ana', at }];
const BEES = ['I keep bees.', 'I sold the honey.'] as const;
const WORDS = [...SECRET, ...MORE, ...BEES.map((content) => ({ content }))];

describe.skipIf(reason !== null)('runs through Studio’s API', () => {
  let lab: StudioLab;
  beforeAll(async () => {
    lab = await StudioLab.start();
    await lab.run('ingestion', { input: { turns: TRIPS, ended: true } });
    await lab.run('hierarchy', { input: {} });
  });
  afterAll(() => lab?.stop());

  it('offer every recipe', async () => {
    const [assistant] = await lab.client.assistants.search({ graphId: 'retrieval' });
    const schemas: object = await lab.client.assistants.getSchemas(assistant!.assistant_id);
    expect(schemas).toMatchObject({ context_schema: { properties: { recipe: { enum: NAMES } } } });
  });

  it.concurrent.each(NAMES)('end with routes and an answer: %s', async (recipe) => {
    const { routes, answer, evidence } = await lab.run('retrieval', { input, context: { recipe } });
    expect(Object.values(routes as Values).length).toBeGreaterThan(0);
    for (const route of Object.values(routes as Record<string, Values>))
      expect(['found', 'empty', 'skipped']).toContain(route.end);
    expect(answer).toMatchObject({ answered: expect.any(Boolean), text: expect.any(String) });
    expect((evidence as { episodes: string[] }).episodes.length).toBeGreaterThan(0);
  });

  describe('keep a thread in its scope', () => {
    const alice = { scope: 'alice' };
    const isEmpty = async (scope: string) =>
      expect(await lab.counts(scope, WORDS)).toEqual({ episodes: 0, facts: 0, entities: 0 });
    const smuggled = [{ scope: 'bob' }, { threadScope: 'bob' }, { settings: { scope: 'bob' } }];

    it.each(smuggled)('with the input %j of an ingestion', async (more) => {
      const thread = await lab.thread();
      const [turns, alice] = [SECRET, { scope: `alice ${Object.keys(more)}` }];
      await lab.run('ingestion', { input: { turns, ended: true, ...more }, context: alice }, thread);
      await lab.run('ingestion', { input: { turns, ended: true, ...more } }, thread);
      await isEmpty('bob');
      expect(await lab.counts(alice.scope, WORDS)).toMatchObject({ episodes: 1 });
    });

    it('after an edit of the state, and refuse a context of another scope', async () => {
      const thread = await lab.thread();
      await lab.run('ingestion', { input: { turns: SECRET, ended: true }, context: alice }, thread);
      await lab.client.threads.updateState(thread, { values: { scope: 'bob' } });
      expect((await lab.state(thread)).values.scope).toBe('alice');
      await lab.run('ingestion', { input: { turns: MORE, ended: true } }, thread);
      const other = { input: { turns: MORE, ended: true }, context: { scope: 'bob' } };
      await expect(lab.run('ingestion', other, thread)).rejects.toThrow(/one scope/);
      await isEmpty('bob');
      expect(await lab.counts('alice', WORDS)).toMatchObject({ episodes: 2 });
    });

    it.each(smuggled)('with the input %j of an assistant, whose turns are remembered', async (more) => {
      const thread = await lab.thread();
      const says = (content: string) => ({ messages: [{ role: 'user', content }], ...more });
      const carol = { scope: `carol ${Object.keys(more)}` };
      await lab.run('assistant', { input: says(BEES[0]), context: carol }, thread);
      await lab.client.threads.updateState(thread, { values: { scope: 'bob' } });
      await lab.run('assistant', { input: says(BEES[1]) }, thread);
      await isEmpty('bob');
      expect(await lab.counts(carol.scope, WORDS)).toMatchObject({ episodes: 2 });
    });

    it('with a hierarchy and a retrieval', async () => {
      const thread = await lab.thread();
      await lab.run('hierarchy', { input: { scope: 'bob' }, context: alice }, thread);
      expect((await lab.state(thread)).values.scope).toBe('alice');
      const asked = await lab.thread();
      const question = { question: 'Where is the safe?' };
      await lab.run('retrieval', { input: question, context: { scope: 'bob' } }, asked);
      await lab.client.threads.updateState(asked, { values: { scope: 'alice' } });
      const { evidence } = await lab.run('retrieval', { input: { ...question, scope: 'alice' } }, asked);
      expect(evidence).toEqual({ episodes: [], facts: [], entities: [] });
    });
  });
});

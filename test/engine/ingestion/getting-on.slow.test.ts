import { MemorySaver } from '@langchain/langgraph';
import { expect, it } from 'vitest';
import { RehearsalModel } from '../../../eval/rehearsal/rehearsal-model.ts';
import { ingestionGraph } from '../../../graphs/ingestion/graph.ts';
import { ModelRequestRefusedError, ModelUnavailableError } from '../../../src/errors/index.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel, ModelCallOptions } from '../../../src/inference/language-model.ts';
import { LlmRelator } from '../../../src/ingest/segment/relate/llm-relator.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import { gate } from '../../fixtures/gate.ts';
import { graphOf } from '../memory-fixture.ts';
import { dialogue, FIRST, MINUTE, pendingOf, TWO_TOPICS } from './dialogues.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';

/** Rehearses, and does before each call what a test wants. */
class Rehearsed implements LanguageModel {
  readonly name = 'rehearsed';
  readonly contextTokens = null;
  readonly asked: string[] = [];
  readonly #model = new RehearsalModel();
  readonly #before: (prompt: string, text: string) => Promise<void> | void;

  constructor(before: (prompt: string, text: string) => Promise<void> | void = () => undefined) {
    this.#before = before;
  }

  async structured<Input, Output>(prompt: Prompt<Input, Output>, input: Input, options?: ModelCallOptions) {
    this.asked.push(prompt.name);
    await this.#before(prompt.name, prompt.render(input).user);
    return this.#model.structured(prompt, input, options);
  }

  text: LanguageModel['text'] = (...input) => this.#model.text(...input);
  countTokens: LanguageModel['countTokens'] = (text) => this.#model.countTokens(text);
}

const silence = () =>
  new ModelUnavailableError('rehearsed', {
    reason: 'timeout',
    attempts: 6,
    status: null,
    retryAfter: null,
  } as never);

it('a changed turn keeps facts that the new version still states', async () => {
  const { memory } = await memoryOver(watchedStore().store);
  const turn = { speaker: 'Bob', at: FIRST, sourceId: '1' };
  await memory.add({ ...turn, content: 'Alice moved to Ghent.' });
  await memory.flush();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await memory.add({ ...turn, content: 'Alice moved to Ghent. Her flat is small.' });
  await memory.flush();
  const { facts } = await memory.search('Where did Alice move?');
  expect(facts.map(({ statement }) => statement).join()).toMatch(/Alice moved to Ghent/);
});

it('words that a tool has said before still count when a person says them', async () => {
  const { memory } = await memoryOver(watchedStore().store);
  await memory.add({ role: 'tool', content: 'Alice moved to Ghent.', at: FIRST, session: 'web' });
  await memory.flush();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await memory.add({ speaker: 'Bob', content: 'Alice moved to Ghent.', at: FIRST, session: 'talk' });
  expect((await memory.flush()).counts.repeated).toBe(1);
  const { facts } = await memory.search('Where did Alice move?');
  expect(facts[0]!.sources.map(({ session }) => session).sort()).toEqual(['talk', 'web']);
});

it('a long session is consolidated under budgets too small for all of it', async () => {
  const model = new Rehearsed();
  const { memory } = await memoryOver(watchedStore().store, { model });
  const long = Array.from({ length: 40 }, () => TWO_TOPICS).flat();
  await memory.add(dialogue(long.map((content) => `${content} ${'It was a long day. '.repeat(8)}`)));
  const pending: number[] = [await pendingOf(memory)];
  while (pending.at(-1)! > 0 && pending.length < 40) {
    await memory.flush({ budget: new TokenBudget(25_000) }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'budget-exhausted' });
    });
    pending.push(await pendingOf(memory));
    expect(pending.at(-1)).toBeLessThan(pending.at(-2)!);
  }
  expect(pending.at(-1)).toBe(0);
  expectConsistent(await graphOf(memory));
});

it('continuous writes do not keep a batch from its end', async () => {
  const model = new Rehearsed(async (prompt) => {
    if (prompt === 'relate-segments' || prompt === 'resolve-entities')
      await memory.addFacts([
        {
          statement: `Zoe met friend number ${facts++}.`,
          subject: 'Zoe',
          relation: 'met',
          object: `Friend ${facts}`,
          evidence: [{ session: 'other', index: 0 }],
        },
      ]);
  });
  // Related by the model, so that a batch is asked about after it was read.
  const stages = () => ({ relator: new LlmRelator(model) });
  const { memory } = await memoryOver(watchedStore().store, { model, stages });
  let facts = 0;
  await memory.add({ content: 'Zoe meets people.', speaker: 'Zoe', at: FIRST, session: 'other' });
  await memory.add(dialogue([...TWO_TOPICS, ...TWO_TOPICS]));
  const { counts } = await memory.flush();
  expect(counts.consolidated).toBe(17);
  expect(facts).toBeGreaterThan(0);
  expect(facts).toBeLessThan(10);
  expectConsistent(await graphOf(memory));
});

it('a unit for which the server always times out is set aside if the server answers for others', async () => {
  const model = new Rehearsed((prompt, text) => {
    if (prompt === 'read-segments' && text.includes('wolfsbane')) throw silence();
  });
  const { memory } = await memoryOver(watchedStore().store, { model });
  const days = [0, 1, 2].map((day) => ({ session: `day ${day}`, start: FIRST + day * 1_440 * MINUTE }));
  for (const [day, place] of days.entries())
    await memory.add(dialogue(day === 0 ? ['I picked wolfsbane.', 'Careful!'] : TWO_TOPICS, place));
  const { counts } = await memory.flush();
  expect([counts.consolidated, counts.setAside]).toEqual([16, 2]);
});

it('a server that never answers is not taken for bad turns', async () => {
  const model = new Rehearsed((prompt) => {
    if (prompt === 'read-segments') throw silence();
  });
  const { memory } = await memoryOver(watchedStore().store, { model });
  for (const day of [0, 1, 2])
    await memory.add(dialogue(TWO_TOPICS, { session: `day ${day}`, start: FIRST + day * 1_440 * MINUTE }));
  await expect(memory.flush()).rejects.toMatchObject({ code: 'model-unavailable' });
  expect(await pendingOf(memory)).toBe(24);
});

it('a request that is rejected from the beginning sets nothing aside, also one unit at a time', async () => {
  const model = new Rehearsed(() => {
    throw new ModelRequestRefusedError('rehearsed', { status: 400, providerCode: null, about: 'other' });
  });
  const { memory } = await memoryOver(watchedStore().store, { model });
  for (const day of [0, 1]) {
    await memory.add(
      dialogue(TWO_TOPICS.slice(0, 2), { session: `${day}`, start: FIRST + day * 1_440 * MINUTE }),
    );
    await expect(memory.flush()).rejects.toMatchObject({ code: 'model-request-refused' });
  }
  expect((await memory.stats()).enrichment).toMatchObject({ pending: 4, setAside: 0 });
});

it('background work pauses after a failure', async () => {
  const model = new Rehearsed(() => {
    throw silence();
  });
  const { memory, warnings } = await memoryOver(watchedStore().store, { model, automatic: true });
  const addAfterAPause = async (hour: number) =>
    memory.add(dialogue(TWO_TOPICS, { from: 8 * hour, start: FIRST + hour * 60 * MINUTE }));
  for (const hour of [0, 1, 2]) await addAfterAPause(hour);
  await expect.poll(() => warnings.length).toBe(1);
  const { length } = model.asked;
  for (const hour of [3, 4, 5, 6]) await addAfterAPause(hour);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([model.asked.length, await pendingOf(memory)]).toEqual([length, 56]);
});

it('a thread of the graph that runs again does not add its turns again', async () => {
  const { memory } = await memoryOver(watchedStore().store);
  const graph = ingestionGraph(async () => memory.ingestionSteps());
  graph.checkpointer = new MemorySaver();
  const thread = { configurable: { thread_id: '1' } };
  await graph.invoke({ turns: [{ content: 'I moved to Ghent.', speaker: 'Nora', at: FIRST }] }, thread);
  const second = await graph.invoke({ ended: true }, thread);
  expect(second).toMatchObject({ consolidated: 1, segments: 1, outcomes: null });
  expect(await graph.invoke({ ended: true }, thread)).toMatchObject({ consolidated: 0, segments: 0 });
  expect((await memory.stats()).episode).toBe(1);
});

it('background work that was scheduled before a failure does not start after it', async () => {
  const { opened: failed, open: fail } = gate();
  const model = new Rehearsed(async () => {
    await failed;
    throw silence();
  });
  const { memory, warnings } = await memoryOver(watchedStore().store, { model, automatic: true });
  const addHour = async (hour: number) =>
    memory.add(dialogue(TWO_TOPICS, { from: 8 * hour, start: FIRST + hour * 60 * MINUTE }));
  for (const hour of [0, 1]) await addHour(hour);
  await expect.poll(() => model.asked.length).toBeGreaterThan(0);
  for (const hour of [2, 3]) await addHour(hour);
  fail();
  await expect.poll(() => warnings.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(model.asked).toEqual(['segment-boundaries', 'read-segments']);
  expect(await pendingOf(memory)).toBe(32);
});

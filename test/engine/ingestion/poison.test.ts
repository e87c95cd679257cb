import { describe, expect, it } from 'vitest';
import {
  ContextTooLongError,
  MalformedReplyError,
  ModelDeclinedError,
  ModelRequestRefusedError,
} from '../../../src/errors/index.ts';
import type { LanguageModel, ModelCallOptions } from '../../../src/inference/language-model.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { graphOf } from '../memory-fixture.ts';
import { dialogue, FIRST, MINUTE, TWO_TOPICS } from './dialogues.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';
import { openRehearsedLab } from './rehearsed-lab.ts';

/** A model that fails whenever the poison stands before it, until it is healed. */
class Squeamish implements LanguageModel {
  readonly name = 'squeamish:model';
  readonly contextTokens = null;
  isHealed = false;
  calls = 0;
  readonly #model: LanguageModel;
  readonly #error: (prompt: string) => Error;
  readonly #poison: string;

  constructor(model: LanguageModel, poison: string, error: (prompt: string) => Error) {
    this.#model = model;
    this.#poison = poison;
    this.#error = error;
  }

  async structured<Input, Output>(prompt: Prompt<Input, Output>, input: Input, options?: ModelCallOptions) {
    this.calls++;
    if (!this.isHealed && prompt.render(input).user.includes(this.#poison)) throw this.#error(prompt.name);
    return this.#model.structured(prompt, input, options);
  }

  text: LanguageModel['text'] = (...input) => this.#model.text(...input);
  countTokens: LanguageModel['countTokens'] = (text) => this.#model.countTokens(text);
}

const POISON = 'wolfsbane';
const model = 'squeamish:model';
const ERRORS: readonly (readonly [string, (prompt: string) => Error])[] = [
  ['model-declined', () => new ModelDeclinedError(model, 'model')],
  ['context-too-long', () => new ContextTooLongError(model, 8_192)],
  [
    'model-request-refused',
    () => new ModelRequestRefusedError(model, { status: 400, providerCode: null, about: 'other' }),
  ],
  [
    'malformed-reply',
    (prompt) => new MalformedReplyError({ model, prompt, issues: ['no'], truncated: false }),
  ],
  ['stage-failed', () => new TypeError(`cannot read ${POISON} of undefined`)],
];

/** Three sessions of two topics; the first topic of the second session is the poisoned one. */
function poisoned(): TurnInput[] {
  return [0, 1, 2].flatMap((day) =>
    dialogue(
      day === 1 ? TWO_TOPICS.with(1, `The ferns in my garden and the ${POISON} need shade.`) : TWO_TOPICS,
      { session: `day ${day}`, start: FIRST + day * 24 * 60 * MINUTE },
    ),
  );
}

describe.each(ERRORS)('turns for which the model always fails by %s', (code, error) => {
  async function afterFlush() {
    const lab = await openRehearsedLab();
    const squeamish = new Squeamish(lab.model, POISON, error);
    const watched = watchedStore();
    const { memory } = await memoryOver(watched.store, { model: squeamish });
    await memory.add(poisoned());
    const { counts } = await memory.flush();
    return { lab, squeamish, memory, counts, watched };
  }

  it('are set aside with their unit alone, and the reason is shown', async () => {
    const { lab, memory, counts, squeamish } = await afterFlush();
    await using _ = lab;
    expect([counts.consolidated, counts.setAside]).toEqual([20, 4]);
    const { enrichment } = await memory.stats();
    expect(enrichment).toMatchObject({ pending: 0, setAside: 4 });
    expect(enrichment.failures).toMatchObject([{ session: 'day 1', code, attempts: 2, turns: 4 }]);
    expect(enrichment.failures[0]!.reason).not.toContain(POISON);
    const graph = await graphOf(memory);
    expectConsistent(graph);
    const aside = graph.nodes.episode.filter(({ status }) => status === 'set-aside');
    expect(aside.map(({ index, session }) => [session, index])).toEqual(
      [0, 1, 2, 3].map((at) => ['day 1', at]),
    );
    // They stay found by search, and nobody asks for them again unbidden.
    expect((await memory.search(POISON)).episodes[0]?.content).toContain(POISON);
    const { calls } = squeamish;
    expect((await memory.flush()).counts).toMatchObject({ consolidated: 0, setAside: 0 });
    expect(squeamish.calls).toBe(calls);
  });

  it('are read when they are retried and the model works; their failure expires', async () => {
    const { lab, memory, squeamish } = await afterFlush();
    await using _ = lab;
    await memory.resume({ retry: true });
    const still = await graphOf(memory);
    expectConsistent(still);
    expect(still.nodes.failure.map(({ expiredAt }) => expiredAt === null).toSorted()).toEqual([false, true]);
    expect((await memory.stats()).enrichment.setAside).toBe(4);
    squeamish.isHealed = true;
    await memory.resume({ retry: true });
    expect((await memory.stats()).enrichment).toEqual({ pending: 0, setAside: 0, failures: [] });
    const graph = await graphOf(memory);
    expectConsistent(graph);
    expect(graph.nodes.failure.every(({ expiredAt }) => expiredAt !== null)).toBe(true);
    expect(graph.nodes.episode.every(({ status }) => status === 'extracted')).toBe(true);
  });
});

it('are read with their new words when they are changed', async () => {
  await using lab = await openRehearsedLab();
  const squeamish = new Squeamish(lab.model, POISON, ERRORS[0]![1]);
  const { memory } = await memoryOver(watchedStore().store, { model: squeamish });
  const turns = poisoned();
  await memory.add(turns);
  await memory.flush();
  const bad = turns.find(({ content }) => content.includes(POISON))!;
  await memory.add({ ...bad, content: 'The ferns in my garden need shade.' });
  expect((await memory.flush()).counts).toMatchObject({ consolidated: 1, setAside: 0 });
  expect((await memory.stats()).enrichment).toMatchObject({ pending: 0, setAside: 3 });
  await memory.resume({ retry: true });
  expect((await memory.stats()).enrichment).toEqual({ pending: 0, setAside: 0, failures: [] });
  expectConsistent(await graphOf(memory));
});

it('a server that rejects everything stops the work instead of setting everything aside', async () => {
  await using lab = await openRehearsedLab();
  const squeamish = new Squeamish(lab.model, '', ERRORS[2]![1]);
  const { memory } = await memoryOver(watchedStore().store, { model: squeamish });
  await memory.add(poisoned());
  await expect(memory.flush()).rejects.toMatchObject({ code: 'model-request-refused' });
  expect((await memory.stats()).enrichment).toMatchObject({ pending: 24, setAside: 0 });
  squeamish.isHealed = true;
  expect((await memory.flush()).counts).toMatchObject({ consolidated: 24, setAside: 0 });
  expectConsistent(await graphOf(memory));
});

import { expect, it } from 'vitest';
import { retrievalGraph } from '../../graphs/retrieval/graph.ts';
import type { AnswerEvent } from '../../src/answer/given-answer.ts';
import { Mnemis } from '../../src/engine.ts';
import { FakeLanguageModel } from '../fakes/language-model/fake-language-model.ts';

const QUESTION = 'Where did Ann move?';

async function memoryWith(languageModel?: FakeLanguageModel) {
  const engine = await Mnemis.open({
    path: ':memory:',
    profile: 'local',
    ...(languageModel && { languageModel }),
  });
  const memory = engine.scope('a');
  await memory.add({ content: 'I moved to Lisbon.', speaker: 'Ann', session: 's', at: '2024-01-01' });
  return memory;
}

async function all(events: AsyncIterable<AnswerEvent>): Promise<AnswerEvent[]> {
  const taken: AnswerEvent[] = [];
  for await (const event of events) taken.push(event);
  return taken;
}

it('tells what was found, then the text as it comes, then the answer', async () => {
  const model = new FakeLanguageModel(() => 'HOLDS\nLisbon [1], in winter [1]');
  const events = await all((await memoryWith(model)).streamAnswer(QUESTION));
  expect(events).toMatchObject([
    { type: 'found', result: { episodes: [{ content: 'I moved to Lisbon.' }] } },
    { type: 'text', text: 'Lisbon [1]' },
    { type: 'text', text: ', in winter [1]' },
    { type: 'answer', answer: { answered: true, text: 'Lisbon [1], in winter [1]' } },
  ]);
});

it('gives memory’s own words in one piece, and of an abstention none', async () => {
  const memory = await memoryWith();
  const [, text, answer] = await all(memory.streamAnswer(QUESTION));
  expect(text).toMatchObject({ type: 'text', text: expect.stringContaining('Lisbon') });
  expect(answer).toMatchObject({ type: 'answer', answer: { text: (text as { text: string }).text } });
  const none = await all(memory.streamAnswer('How tall is the lighthouse keeper?'));
  expect(none.map(({ type }) => type)).toEqual(['found', 'answer']);
});

it('is cancelled by its signal, and by whoever stops listening', async () => {
  let asked = 0;
  let aborted = 0;
  const waiting = new FakeLanguageModel(() => expect.fail('asked'));
  waiting.text = async (_prompt, _input, { signal } = {}) => {
    asked += 1;
    if (!signal!.aborted) await new Promise((wake) => signal!.addEventListener('abort', wake));
    aborted += 1;
    throw signal!.reason;
  };
  const memory = await memoryWith(waiting);
  for await (const { type } of memory.streamAnswer(QUESTION)) {
    expect(type).toBe('found');
    break;
  }
  expect(aborted).toBe(asked);
  const stop = new AbortController();
  const events = memory.streamAnswer(QUESTION, { signal: stop.signal });
  await events.next();
  const next = events.next();
  await expect.poll(() => asked).toBe(aborted + 1);
  stop.abort();
  await expect(next).rejects.toThrow();
  expect(aborted).toBe(asked);
});

it('comes out of the retrieval graph as custom events', async () => {
  const memory = await memoryWith(new FakeLanguageModel(() => 'HOLDS\nLisbon [1], in winter [1]'));
  const graph = retrievalGraph(({ question, settings, begins }) =>
    memory.retrievalSteps(question, { ...settings, begins }),
  );
  const pieces: unknown[] = [];
  for await (const chunk of await graph.stream({ question: QUESTION }, { streamMode: 'custom' }))
    if ((chunk as { type: string }).type === 'answer') pieces.push(chunk);
  expect(pieces).toEqual([
    { type: 'answer', text: 'Lisbon [1]' },
    { type: 'answer', text: ', in winter [1]' },
  ]);
});

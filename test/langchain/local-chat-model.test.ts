import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HumanMessage, RemoveMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { closeModelHosts } from '../../src/inference/llama/model-hosts.ts';
import { LocalChatModel } from '../../src/langchain/local-chat-model.ts';

const runtime = join(import.meta.dirname, '../inference/llama/scripted-runtime.ts');
let model: LocalChatModel;

beforeAll(async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'local-')), 'm.gguf');
  await writeFile(file, '');
  model = new LocalChatModel({ model: file, runtime, contextTokens: 256, maxTokens: 20 });
});
afterAll(closeModelHosts);

test('answers, with its tokens and the reason why it ended', async () => {
  const reply = await model.invoke([new SystemMessage('be short'), new HumanMessage('think Oslo it is')]);
  expect(reply.text).toBe('Oslo it is');
  expect(reply.additional_kwargs.reasoning_content).toBe('because');
  expect(reply.response_metadata.finish_reason).toBe('stop');
  expect(reply.usage_metadata).toMatchObject({ input_tokens: 6 });
});

test('streams pieces, and stops where it is cancelled', async () => {
  const pieces: string[] = [];
  for await (const chunk of await model.stream('say one two three')) pieces.push(chunk.text);
  expect(pieces.filter(Boolean)).toEqual(['one ', 'two ', 'three']);
  const controller = new AbortController();
  const stream = await model.stream('endless', { signal: controller.signal });
  await expect(
    (async () => {
      for await (const _ of stream) controller.abort();
    })(),
  ).rejects.toThrow();
});

test('gives the value of a schema', async () => {
  const asked = model.withStructuredOutput(z.object({ city: z.string() }));
  const reply = '{"tool": "reply", "arguments": {"city": "Oslo"}}';
  expect(await asked.invoke(`json ${reply}`)).toEqual({ city: 'Oslo' });
});

test('calls a tool, or answers', async () => {
  const search = tool(() => 'found', { name: 'search', schema: z.object({ query: z.string() }) });
  const bound = model.bindTools([search]);
  const call = await bound.invoke('json {"tool": "search", "arguments": {"query": "dog"}}');
  expect(call.tool_calls).toMatchObject([{ name: 'search', args: { query: 'dog' } }]);
  const answer = await bound.invoke('json {"answer": "none"}');
  expect([answer.text, answer.tool_calls]).toEqual(['none', []]);
  const history = [
    call,
    new ToolMessage({ content: 'Biscuit', tool_call_id: '1' }),
    new HumanMessage('say done'),
  ];
  expect((await model.invoke(history)).text).toBe('done');
});

test('refuses what it cannot read', async () => {
  await expect(model.invoke([new RemoveMessage({ id: '1' })])).rejects.toThrow('not of remove');
  expect(() => new LocalChatModel({ model: 'no-such' })).toThrow('known: gemma-3-1b-it');
});

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { ModelProcessError } from '../../../src/errors/index.ts';
import { ModelHost, type ModelHostOptions } from '../../../src/inference/llama/model-host.ts';
import { forgetPrompts } from '../../../src/inference/prompt-keepers.ts';

const RUNTIME = join(import.meta.dirname, 'scripted-runtime.ts');
const never = new AbortController().signal;
const hosts: ModelHost[] = [];

function open(options: Partial<ModelHostOptions> = {}): ModelHost {
  const host = new ModelHost({
    name: 'local:scripted',
    file: 'm.gguf',
    contextTokens: 64,
    runtime: RUNTIME,
    ...options,
  });
  hosts.push(host);
  return host;
}

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

function request(said: string, schema: Record<string, unknown> | null = null) {
  const turns = [{ role: 'user' as const, content: said }];
  return { turns, schema, temperature: 0, seed: 1, mostTokens: 40, stops: [] };
}

test('streams a reply, keeps its reasoning apart and counts its tokens', async () => {
  const host = open();
  const pieces: string[] = [];
  const reply = await host.generate(request('think Oslo it is'), never, (piece) => pieces.push(piece));
  expect(pieces).toEqual(['Oslo ', 'it ', 'is']);
  expect(reply).toMatchObject({ text: 'Oslo it is', reasoning: 'because', end: 'stop', promptTokens: 4 });
  expect(await host.countTokens('three words here')).toBe(3);
});

test('reads the beginning of a prompt that it has read before from its state', async () => {
  const host = open({ sequences: 1 });
  const turns = (said: string) => ({
    ...request(said),
    turns: [
      { role: 'system' as const, content: 'a b c d e f' },
      { role: 'user' as const, content: said },
    ],
  });
  const first = await host.generate(turns('say one'), never);
  const second = await host.generate(turns('say two'), never);
  expect(first.cachedPromptTokens).toBe(0);
  expect(second.cachedPromptTokens).toBeGreaterThanOrEqual(6);
});

test('a forgetting ends the process that read what is forgotten, after the calls of that moment', async () => {
  const host = open({ sequences: 1 });
  const turns = (said: string) => ({
    ...request(said),
    turns: [
      { role: 'system' as const, content: 'a secret of six words here' },
      { role: 'user' as const, content: said },
    ],
  });
  await host.generate(turns('say one'), never);
  forgetPrompts();
  expect(host.isLoaded).toBe(false);
  const second = await host.generate(turns('say two'), never, () => forgetPrompts());
  expect(second).toMatchObject({ text: 'two', cachedPromptTokens: 0 });
  const [third, fourth] = await Promise.all(
    ['say three', 'say four'].map((said) => host.generate(turns(said), never)),
  );
  expect([third?.text, fourth?.text]).toEqual(['three', 'four']);
  expect(third?.cachedPromptTokens).toBe(0);
});

test('says how fast it reads and writes, and the memory that it takes', async () => {
  const host = open({ file: 'roomy.gguf', contextTokens: 1_024 });
  expect(host.speed).toBeNull();
  await host.generate(request('say short'), never);
  expect(host.speed).toMatchObject({ promptTokensPerSecond: null, replyTokensPerSecond: null });
  await host.generate(request(`say ${'word '.repeat(100)}`), never);
  expect(host.speed!.promptTokensPerSecond).toBeGreaterThan(0);
  expect(host.speed!.replyTokensPerSecond).toBeGreaterThan(0);
  expect(host.speed!.memoryBytes).toBeGreaterThan(1e6);
});

test('decodes two replies at once, a third after them', async () => {
  const host = open();
  const replies = await Promise.all(
    ['a', 'b', 'c'].map((word) => host.generate(request(`say ${word}`), never)),
  );
  expect(replies.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
});

test('replies that are decoded together are sampled one after the other', async () => {
  expect((await open().generate(request('How many threads?'), never)).text).toBe('1');
});

test('a cancelled call ends at once, and the model is free for the next', async () => {
  const host = open({ sequences: 1 });
  await host.load();
  const controller = new AbortController();
  const running = host.generate(request('endless'), controller.signal, () =>
    controller.abort(new Error('stop')),
  );
  await expect(running).rejects.toThrow('stop');
  expect((await host.generate(request('say next'), never)).text).toBe('next');
});

test('a call that is cancelled while the model loads ends at once', async () => {
  const host = open();
  const controller = new AbortController();
  const running = host.generate(request('say late'), controller.signal);
  controller.abort(new Error('stop'));
  await expect(running).rejects.toThrow('stop');
  expect(host.lastLoaded).toBeNull();
});

test('a process that sends what is no reply is ended, and its calls fail', async () => {
  const kill = vi.fn();
  const host = open({
    start: ({ onMessage }) => {
      setTimeout(() => onMessage({ kind: 'loaded', contextTokens: 'many' }), 1);
      return { post: () => undefined, hold: () => undefined, kill };
    },
  });
  await expect(host.load()).rejects.toThrow('what is no reply');
  expect(kill).toHaveBeenCalled();
  expect(host.isLoaded).toBe(false);
});

test('the limit of tokens and a loop end a reply', async () => {
  const host = open();
  expect(await host.generate(request('endless'), never)).toMatchObject({
    end: 'length',
    completionTokens: 40,
  });
  expect(await host.generate(request('again'), never)).toMatchObject({ end: 'loop' });
});

test('a process that ends fails the calls that wait, and the next call starts another', async () => {
  const host = open();
  const crash = host.generate(request('crash'), never);
  await expect(crash).rejects.toSatisfy(
    (error) => ModelProcessError.isInstance(error) && error.fault === 'ended',
  );
  expect((await host.generate(request('say again here'), never)).text).toBe('again here');
});

test('a prompt that is too long, a schema without a grammar and a file that is no model are refused', async () => {
  const host = open();
  const fault = (name: string) => (error: unknown) =>
    ModelProcessError.isInstance(error) && error.fault === name;
  await expect(host.generate(request('say '.repeat(70)), never)).rejects.toSatisfy(fault('context'));
  await expect(host.generate(request('json {}', { type: 'tuple' }), never)).rejects.toSatisfy(
    fault('schema'),
  );
  expect((await host.generate(request('say well'), never)).text).toBe('well');
  await expect(open({ file: 'broken.gguf' }).load()).rejects.toSatisfy(fault('file'));
  await expect(open({ runtime: 'no-such-package' }).load()).rejects.toSatisfy(fault('runtime'));
});

test('where memory is short, replies are decoded one after the other', async () => {
  expect(await open({ file: 'large.gguf' }).load()).toMatchObject({ sequences: 1, device: 'cpu' });
});

test('a model that is not used leaves memory and comes back with the next call', async () => {
  const host = open({ idleAfter: 20 });
  await host.generate(request('say hello'), never);
  await expect.poll(() => host.isLoaded).toBe(false);
  await wait(20);
  expect((await host.generate(request('say hello'), never)).text).toBe('hello');
});

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { chatModelNamed } from '../../../src/inference/llama/chat-models.ts';
import { judgingReranker } from '../../../src/inference/llama/judging-reranker.ts';
import { ModelHost, type ModelHostOptions } from '../../../src/inference/llama/model-host.ts';
import { closeModelHosts, modelInUse } from '../../../src/inference/llama/model-hosts.ts';
import { createLanguageModel } from '../../../src/inference/models/create-language-model.ts';
import { openReranker } from '../../../src/inference/models/open-models.ts';
import { rerankerContract } from '../../contract/reranker.ts';

const RUNTIME = join(import.meta.dirname, 'scripted-runtime.ts');
const NAME = 'local:scripted';
const CONTEXT = 2_048;
const hosts: ModelHost[] = [];

function judging(options: Partial<ModelHostOptions> = {}, milliseconds?: number) {
  const settings = { name: NAME, file: 'roomy.gguf', contextTokens: CONTEXT, runtime: RUNTIME };
  const host = new ModelHost({ ...settings, ...options });
  hosts.push(host);
  const limit = milliseconds === undefined ? {} : { milliseconds };
  return { host, reranker: judgingReranker({ name: NAME, host, contextTokens: CONTEXT, ...limit }) };
}

afterAll(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  await closeModelHosts();
});

const shared = judging();
rerankerContract('a chat model that judges', () => shared.reranker);

test('a text that answers gets more of yes, among all ways to write it', async () => {
  const scores = await shared.reranker.rerank('Ann adopted a puppy', [
    'a train leaves',
    'Ann adopted a puppy',
    'nothing',
  ]);
  expect(scores.map((score) => score.toFixed(3))).toEqual(['0.333', '0.833', '0.167']);
});

test('a long text and a long question are cut, the question to half of the room', async () => {
  const asked = 'who '.repeat(3_000);
  const [start, end] = await shared.reranker.rerank(`${asked}end`, [
    'who is here',
    `${'x '.repeat(3_000)}who`,
  ]);
  expect(start).toBeGreaterThan(0.9);
  expect(end).toBeLessThan(0.1);
});

test('a context that is too short for the instructions is an error of the context', async () => {
  const { reranker } = judging({ file: 'm.gguf', contextTokens: 16 });
  await expect(reranker.rerank('who', ['a text'])).rejects.toMatchObject({ code: 'context-too-long' });
});

test('a cancelled call ends at once and stops between texts; the model is free for the next', async () => {
  const { host, reranker } = judging({ sequences: 1 });
  await host.load();
  const controller = new AbortController();
  const running = reranker.rerank('who', Array(500).fill('slow'), { signal: controller.signal });
  setTimeout(() => controller.abort(), 60);
  await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  const started = performance.now();
  expect(await reranker.rerank('who', ['who'])).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(5_000); // all texts would take 20 seconds
});

test('a call that takes too long ends with the error of a model that is late', async () => {
  const { host, reranker } = judging({}, 100);
  await host.load();
  await expect(reranker.rerank('who', Array(50).fill('slow'))).rejects.toMatchObject({
    code: 'model-unavailable',
    reason: 'timeout',
  });
});

test('a process that ends is an error, and the next call starts another', async () => {
  const { reranker } = judging();
  await expect(reranker.rerank('who', ['crash'])).rejects.toMatchObject({
    code: 'model-process',
    fault: 'ended',
  });
  expect(await reranker.rerank('who', ['who'])).toHaveLength(1);
});

test('scores that are none, too few or of another kind are an error', async () => {
  const reply = (message: object) => {
    const { reranker } = judging({
      start: ({ onMessage }) => {
        const loaded = { contextTokens: 99, sequences: 1, device: 'cpu', milliseconds: 1, memoryBytes: 1 };
        setTimeout(() => onMessage({ kind: 'loaded', ...loaded }), 1);
        const post = ({ kind, id }: { kind?: string; id?: number }) =>
          kind === 'judge' && setTimeout(() => onMessage({ id, ...message }), 1);
        return { post, hold: () => undefined, kill: () => undefined };
      },
    });
    return reranker.rerank('who', ['one', 'two']);
  };
  const refused = { code: 'model-process' };
  await expect(reply({ kind: 'judged', scores: [0.5] })).rejects.toMatchObject(refused);
  await expect(reply({ kind: 'judged', scores: [0.5, 7] })).rejects.toMatchObject(refused);
  await expect(reply({ kind: 'counted', tokens: 7 })).rejects.toMatchObject(refused);
  expect(await reply({ kind: 'judged', scores: [0.5, 1] })).toEqual([0.5, 1]);
});

test('without the package, the error has the command that installs it', async () => {
  const { reranker } = judging({ runtime: 'no-such-package' });
  await expect(reranker.rerank('who', ['one'])).rejects.toMatchObject({
    code: 'package-missing',
    message: expect.stringContaining('npm install node-llama-cpp'),
  });
});

const MODEL = chatModelNamed('gemma-3-1b-it')!;

function folderWithModel(): { readonly modelsFolder: string; readonly file: string } {
  const modelsFolder = mkdtempSync(join(tmpdir(), 'judge-'));
  mkdirSync(join(modelsFolder, MODEL.name));
  const file = join(modelsFolder, MODEL.name, MODEL.file);
  writeFileSync(file, 'weights');
  return { modelsFolder, file };
}

test('openReranker knows local:NAME and files, and says how to fetch what is missing', async () => {
  const { modelsFolder, file } = folderWithModel();
  for (const name of [`local:${MODEL.name}`, `local:${file}`]) {
    const reranker = await openReranker({ name, modelsFolder, runtime: RUNTIME });
    expect(await reranker.rerank('who', ['who is it'])).toHaveLength(1);
    expect(reranker.device).toBe('cpu');
    await reranker.close();
    await expect(reranker.rerank('who', ['who'])).rejects.toMatchObject({ code: 'model-closed' });
  }
  const open = (name: string) => openReranker({ name, modelsFolder, runtime: RUNTIME });
  await expect(open('local:qwen3-8b')).rejects.toThrow('mnemis models pull qwen3-8b');
  await expect(open('local:nothing')).rejects.toMatchObject({ code: 'unknown-name' });
  await expect(open('local:/nowhere/m.gguf')).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(open('nothing')).rejects.toThrow('local:NAME');
});

test('one process serves judging and writing', async () => {
  const { modelsFolder, file } = folderWithModel();
  const reranker = await openReranker({ name: `local:${MODEL.name}`, modelsFolder, runtime: RUNTIME });
  const model = createLanguageModel({
    ...{ provider: 'local', model: MODEL.name, modelsFolder, runtime: RUNTIME },
  });
  const prompt = { name: 'say', version: 1, render: () => ({ system: 'Be short.', user: 'say Heron' }) };
  const [scores, { text }] = await Promise.all([
    reranker.rerank('who', ['slow', 'slow', 'who']),
    model.text(prompt, null),
  ]);
  expect(text).toBe('Heron');
  expect(scores).toHaveLength(3);
  expect(modelInUse(file)?.isLoaded).toBe(true);
  await closeModelHosts();
  expect(await reranker.rerank('who', ['who'])).toHaveLength(1);
});

test('a search is ordered by what the model says; where its process ends, the order stays', async () => {
  const { reranker } = judging();
  await using engine = await Mnemis.open({ path: ':memory:', reranker });
  const memory = engine.scope('ann');
  await memory.add([
    { content: 'Boats are a hobby of many people in Oslo, boats and boats.', at: '2024-01-01' },
    { content: 'My boat is named Heron after a bird.', at: '2024-01-02' },
  ]);
  const found = await memory.search('boat named Heron', { recipe: 'mnemis-local' });
  expect(found.reranked.episode).toMatchObject({ model: NAME, failure: null, candidates: 2 });
  expect(found.episodes[0]).toMatchObject({ content: expect.stringContaining('Heron') });
  await memory.add({ speaker: 'crash', content: 'The boat named Heron sank.', at: '2024-01-03' });
  const second = await memory.search('boat named Heron', { recipe: 'mnemis-local' });
  expect(second.reranked.episode).toMatchObject({ failure: 'model-process' });
  expect(second.episodes).toHaveLength(3);
});

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { randomNumbers } from '../../../eval/metrics/random-numbers.ts';
import { localBackend } from '../../../src/inference/language-model/backends/local.ts';
import { ChatLanguageModel } from '../../../src/inference/language-model/chat-language-model.ts';
import { ModelHost } from '../../../src/inference/llama/model-host.ts';
import { outdatedFacts } from '../../../src/ingest/supersede/outdated-facts-prompt.ts';

/** A real model: MNEMIS_TEST_GGUF names its file, and the package `node-llama-cpp` is installed beside Mnemis. */
const file = process.env.MNEMIS_TEST_GGUF ?? '';
const reason = existsSync(file) ? '' : ' (skipped: MNEMIS_TEST_GGUF names no file)';
const TEXTS = Number(process.env.MNEMIS_TEST_TEXTS ?? 200);
const CONTEXT = 2_048;

/** Texts of any length with letters of many scripts, quotation marks, braces and line breaks. */
function oddText(random: () => number): string {
  const parts = [
    '{"by": 7}',
    '"',
    '\\',
    '\n',
    '🦆',
    'ß',
    '雨',
    'مطر',
    '0',
    'old: 99',
    '<end>',
    '```json',
    'Ann moved',
    "'",
    '}',
  ];
  return Array.from(
    { length: 1 + Math.floor(12 * random()) },
    () => parts[Math.floor(parts.length * random())],
  ).join(' ');
}

describe.skipIf(!existsSync(file))(`a real model of this computer${reason}`, () => {
  const host = new ModelHost({ name: `local:${basename(file)}`, file, contextTokens: CONTEXT });
  const backend = localBackend({ name: 'local:real', host, contextTokens: CONTEXT, replyTokens: 160 });
  const model = new ChatLanguageModel(backend, {
    contextTokens: CONTEXT,
    concurrency: 2,
    strategies: ['schema'],
  });
  afterAll(() => host.close());

  test('replies to odd texts fit the schema and name only numbers that were shown', {
    timeout: 1_200_000,
  }, async () => {
    const random = randomNumbers(11);
    let whole = 0;
    const ask = async () => {
      const facts = Array.from({ length: 3 }, () => ({
        statement: oddText(random),
        ...{ validAt: 0, toldAt: 0, invalidAt: null, said: '' },
      }));
      const input = { facts, pairs: [{ fact: 3, others: [1, 2] }] };
      const { value } = await model.structured(outdatedFacts, input as never);
      for (const { by, old } of value.outdated.filter((each) => each !== null)) {
        expect([1, 2, 3]).toContain(by);
        expect([1, 2, 3]).toContain(old);
      }
      whole++;
    };
    for (let done = 0; done < TEXTS; done += 2) await Promise.all([ask(), ask()]);
    expect(whole).toBe(TEXTS);
  });

  test('a cancelled reply ends within 200 ms, and a chat goes on beside a reading', {
    timeout: 300_000,
  }, async () => {
    await host.load();
    const request = (content: string) => ({
      turns: [{ role: 'user' as const, content }],
      ...{ schema: null, temperature: 0, seed: 1, mostTokens: 200, stops: [] },
    });
    const controller = new AbortController();
    let abortedAt = 0;
    const cancelled = host.generate(request('Tell a story.'), controller.signal, () => {
      abortedAt ||= performance.now();
      controller.abort();
    });
    await expect(cancelled).rejects.toThrow();
    expect(performance.now() - abortedAt).toBeLessThan(200);
    const never = new AbortController().signal;
    const both = await Promise.all(['One.', 'Two.'].map((text) => host.generate(request(text), never)));
    expect(both.every(({ completionTokens }) => completionTokens > 0)).toBe(true);
  });
});

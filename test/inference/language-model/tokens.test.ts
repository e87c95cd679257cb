import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { roughTokens } from '../../../src/inference/language-model/tokens/count-tokens.ts';
import {
  FAILED_CALL,
  NO_MODEL_USAGE,
  UsageMeter,
} from '../../../src/inference/language-model/tokens/usage-meter.ts';
import { counter } from '../../fakes/openai-server/tokens.ts';

const reference = new Tiktoken(ranks);
const PROSE =
  'Ann adopted a puppy in Oslo on 12 June 2023; "it\'s the best", she wrote.\n\n  {"a": [1, 2, 3]}\n\tEnd.\n';
const SAMPLES: readonly [name: string, text: string][] = [
  ['nothing', ''],
  ['prose', PROSE],
  ['long prose', PROSE.repeat(300)],
  ['Russian', 'Вчера я переехала в Берген, и мне там очень нравится. '.repeat(20)],
  ['control tokens', 'a <|endoftext|> b <|im_start|>'],
];

describe('TokenCounter', () => {
  it.each(SAMPLES)('counts %s like the vocabulary', async (_name, text) => {
    expect(await counter.count(text)).toBe(reference.encode(text, [], []).length);
  });

  it('slightly overestimates text without spaces at most', async () => {
    const text = '我昨天搬到了北京然后又去了上海看望我的朋友，他们都很好。'.repeat(20);
    const exact = reference.encode(text, [], []).length;
    const counted = await counter.count(text);
    expect(counted).toBeGreaterThanOrEqual(exact);
    expect(counted).toBeLessThan(exact * 1.25);
  });

  it('samples very long texts in other scripts', async () => {
    const part = '我昨天搬到了北京，然后又去了上海。 ';
    const [one, many] = [await counter.count(part.repeat(200)), await counter.count(part.repeat(4000))];
    expect(Math.abs(many / (one * 20) - 1)).toBeLessThan(0.02);
  });

  it('terminates for a quarter of a million letters in a row', async () => {
    expect(await counter.count('a'.repeat(250_000))).toBeGreaterThan(30_000);
  });
});

it.each(SAMPLES.slice(1, 4))('roughTokens is close for %s, and slightly high', (_name, text) => {
  const exact = reference.encode(text, [], []).length;
  expect(roughTokens(text)).toBeGreaterThan(exact * 0.8);
  expect(roughTokens(text)).toBeLessThan(exact * 2.5);
});

it('UsageMeter sums usage by prompt', () => {
  const meter = new UsageMeter();
  const one = { ...NO_MODEL_USAGE, calls: 1, promptTokens: 10, completionTokens: 5 };
  meter.record('a', one);
  meter.record('a', { ...one, cachedPromptTokens: 4, estimated: true });
  meter.record('b', FAILED_CALL);
  expect(meter.byPrompt()).toEqual(
    new Map([
      [
        'a',
        {
          calls: 2,
          failedCalls: 0,
          promptTokens: 20,
          completionTokens: 10,
          cachedPromptTokens: 4,
          estimated: true,
        },
      ],
      ['b', FAILED_CALL],
    ]),
  );
  expect(meter.total).toMatchObject({ calls: 2, failedCalls: 1, promptTokens: 20, estimated: true });
  expect(new UsageMeter().total).toEqual(NO_MODEL_USAGE);
});

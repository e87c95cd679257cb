import { describe, expect, it } from 'vitest';
import {
  CancelledError,
  ContextTooLongError,
  MalformedReplyError,
  ModelKeyError,
} from '../../../src/errors/index.ts';
import { LlmCategorySummarizer } from '../../../src/hierarchy/describe/llm-category-summarizer.ts';
import { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import { FakeLanguageModel, type FakeReply } from '../../fakes/language-model/fake-language-model.ts';
import { CuttingModel } from '../../ingest/llm/cutting-model.ts';

const categories = (count: number, summary = 'A dog.') =>
  Array.from({ length: count }, (_, at) => ({ name: `K${at}`, children: [{ name: `child${at}`, summary }] }));

/** The names of the categories that a prompt shows. */
const shownIn = ({ user }: { readonly user: string }) =>
  [...user.matchAll(/^K\d+ (.*)$/gm)].map(([, name]) => name!);
const answerAll: FakeReply = (prompt) => ({
  summaries: shownIn(prompt).map((name, at) => ({ category: at + 1, summary: `On ${name}.` })),
});
const describeWith = (reply: FakeReply, count: number) =>
  new LlmCategorySummarizer(new FakeLanguageModel(reply)).describe(categories(count));

describe('LlmCategorySummarizer', () => {
  it('returns one summary per category in order, twelve per call, with the usage counted', async () => {
    const sizes: number[] = [];
    const meter = new UsageMeter();
    const model = new FakeLanguageModel((prompt) => {
      sizes.push(shownIn(prompt).length);
      return answerAll(prompt);
    });
    const summaries = await new LlmCategorySummarizer(model).describe(categories(26), { meter });
    expect(summaries).toEqual(Array.from({ length: 26 }, (_, at) => `On K${at}.`));
    expect(sizes).toEqual([12, 12, 2]);
    expect(meter.byPrompt().get('describe-categories')!.calls).toBe(3);
  });

  it('shows eight children with summaries, twelve more by name, and the number of the rest', async () => {
    const users: string[] = [];
    const model = new FakeLanguageModel(({ user }) => {
      users.push(user);
      return {};
    });
    const children = Array.from({ length: 25 }, (_, at) => ({
      name: `child${at}`,
      summary: `Summary ${at}. ${'And more words. '.repeat(20)}`,
    }));
    await new LlmCategorySummarizer(model).describe([{ name: 'Pets', children }]);
    const lines = users[0]!.split('\n').slice(1, -1);
    expect(lines).toHaveLength(1 + 8 + 1);
    expect(lines[1]).toMatch(/^- child0: Summary 0\. (And more words\. ?)+$/);
    expect(lines[1]!.length).toBeLessThan(160);
    expect(lines[9]).toBe(
      `- also ${Array.from({ length: 12 }, (_, at) => `child${at + 8}`).join('; ')}; 5 more`,
    );
  });

  it('keeps a call within its token limit', async () => {
    let calls = 0;
    const model = new FakeLanguageModel((prompt) => {
      calls += 1;
      return answerAll(prompt);
    });
    const children = Array.from({ length: 25 }, (_, at) => ({
      name: `child${at}`,
      summary: 'Words and words. '.repeat(20),
    }));
    const wide = Array.from({ length: 12 }, (_, at) => ({ name: `K${at}`, children }));
    expect(await new LlmCategorySummarizer(model).describe(wide)).not.toContain(null);
    expect(calls).toBeGreaterThan(1);
  });

  it.each([
    ['nothing', {}, [null, null]],
    [
      'an unknown number and an empty text',
      {
        summaries: [
          { category: 3, summary: 'x' },
          { category: 1, summary: ' ' },
        ],
      },
      [null, null],
    ],
    [
      'two for one',
      { summaries: [{ category: 2, summary: 'First.' }, { category: 2, summary: 'Second.' }, null] },
      [null, 'First.'],
    ],
    ['control marks', { summaries: [{ category: '1', summary: '\u0000a\n\u001bb' }] }, ['a b', null]],
  ])('reads the usable part of %s', async (_, reply, expected) => {
    expect(await describeWith(() => reply, 2)).toEqual(expected);
  });

  it('shortens a long summary after a sentence', async () => {
    const [summary] = await describeWith(
      () => ({ summaries: [{ category: 1, summary: 'A sentence of words. '.repeat(200) }] }),
      1,
    );
    expect(summary!.length).toBeLessThanOrEqual(600);
    expect(summary).toMatch(/words\.$/);
  });

  it('asks for the rest of a truncated reply in halves', async () => {
    const sizes: number[] = [];
    const model = new CuttingModel((prompt) => {
      const names = shownIn(prompt);
      sizes.push(names.length);
      const whole = names.slice(0, 4).map((name, at) => ({ category: at + 1, summary: `On ${name}.` }));
      return { reply: { summaries: whole }, truncated: names.length > 4 };
    });
    const summaries = await new LlmCategorySummarizer(model).describe(categories(12));
    expect(sizes).toEqual([12, 4, 4]);
    expect(summaries).toEqual(Array.from({ length: 12 }, (_, at) => `On K${at}.`));
  });

  it('terminates with a model whose replies are always truncated, and with invalid replies', async () => {
    let calls = 0;
    const endless = new CuttingModel(() => {
      calls += 1;
      return { reply: { summaries: [] }, truncated: true };
    });
    expect(await new LlmCategorySummarizer(endless).describe(categories(8))).toEqual(Array(8).fill(null));
    expect(calls).toBe(1 + 2 + 4 + 8);
    const nonsense: FakeReply = ({ name }) => {
      throw new MalformedReplyError({ model: 'fake', prompt: name, issues: ['bad'], truncated: false });
    };
    expect(await describeWith(nonsense, 20)).toEqual(Array(20).fill(null));
  });

  it('halves input that exceeds the context, and rethrows other failures', async () => {
    const short: FakeReply = (prompt) => {
      if (shownIn(prompt).length > 3) throw new ContextTooLongError('fake', 100);
      return answerAll(prompt);
    };
    expect(await describeWith(short, 10)).not.toContain(null);
    const tooLong: FakeReply = () => {
      throw new ContextTooLongError('fake', 100);
    };
    await expect(describeWith(tooLong, 4)).rejects.toThrow(ContextTooLongError);
    const refused: FakeReply = () => {
      throw new ModelKeyError('fake', 'refused');
    };
    await expect(describeWith(refused, 4)).rejects.toThrow(ModelKeyError);
  });

  it('makes no call for categories without children, or after a cancel', async () => {
    const neverAsked = new LlmCategorySummarizer(
      new FakeLanguageModel(() => {
        throw new Error('asked');
      }),
    );
    expect(await neverAsked.describe([{ name: 'Empty', children: [] }])).toEqual([null]);
    const signal = AbortSignal.abort();
    await expect(neverAsked.describe(categories(1), { signal })).rejects.toThrow(CancelledError);
  });
});

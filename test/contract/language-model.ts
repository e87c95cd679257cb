import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TokenBudget } from '../../src/inference/language-model/calling/token-budget.ts';
import { UsageMeter } from '../../src/inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel } from '../../src/inference/language-model.ts';
import type { Prompt, TextPrompt } from '../../src/model/prompt.ts';

/** What the model is to say to the user's part of a prompt; it may take its time. */
export type ContractReply = (user: string) => unknown;
export type MakeLanguageModel = (reply: ContractReply) => Promise<LanguageModel & AsyncDisposable>;

const NAMES: Prompt<string, { names: string[] }> = {
  name: 'contract-names',
  version: 1,
  schema: z.object({ names: z.array(z.string()) }),
  render: (text) => ({ system: 'List the names in the text.', user: text }),
  expectedTokens: 20,
};

const PROSE: TextPrompt<string> = {
  name: 'contract-prose',
  version: 1,
  render: (text) => ({ system: 'Answer the question.', user: text }),
};

/** What every LanguageModel does. */
export function languageModelContract(name: string, make: MakeLanguageModel): void {
  describe(`${name}: the LanguageModel contract`, () => {
    it('has a name with its provider', async () => {
      await using model = await make(() => ({}));
      expect(model.name).toMatch(/^[a-z-]+:\S+$/);
    });

    it('answers in schema and tells what it cost', async () => {
      await using model = await make((user) => ({ names: user.split(' ') }));
      const reply = await model.structured(NAMES, 'Ann Bob');
      expect(reply).toMatchObject({ value: { names: ['Ann', 'Bob'] }, truncated: false, repaired: false });
      expect(reply.usage).toMatchObject({ calls: 1, failedCalls: 0 });
      expect(reply.usage.promptTokens).toBeGreaterThan(5);
      expect(reply.usage.completionTokens).toBeGreaterThan(2);
    });

    it('answers in prose, whole and piece by piece', async () => {
      const said = 'It was 李雷 who moved\nto Oslo, "in June".';
      await using model = await make(() => said);
      const pieces: string[] = [];
      const whole = await model.text(PROSE, 'Who moved?');
      const streamed = await model.text(PROSE, 'Who moved?', { onText: (piece) => pieces.push(piece) });
      expect([whole.text, streamed.text, pieces.join('')]).toEqual([said, said, said]);
      expect(pieces.length).toBeGreaterThan(1);
      expect(streamed.usage).toEqual(whole.usage);
    });

    it('counts by prompt in the meter that it is given', async () => {
      await using model = await make((user) => (user === 'q' ? 'prose' : { names: [] }));
      const meter = new UsageMeter();
      const [first, second] = await Promise.all([
        model.structured(NAMES, 'one', { meter }),
        model.structured(NAMES, 'another one', { meter }),
      ]);
      const prose = await model.text(PROSE, 'q', { meter });
      expect([...meter.byPrompt().keys()].sort()).toEqual(['contract-names', 'contract-prose']);
      expect(meter.byPrompt().get('contract-prose')).toEqual(prose.usage);
      const sum = first.usage.promptTokens + second.usage.promptTokens + prose.usage.promptTokens;
      expect(meter.total).toMatchObject({ calls: 3, promptTokens: sum });
    });

    it('keeps many calls at once apart', async () => {
      await using model = await make((user) => ({ names: [user] }));
      const inputs = Array.from({ length: 40 }, (_, at) => `person ${at}`);
      const replies = await Promise.all(inputs.map((input) => model.structured(NAMES, input)));
      expect(replies.map(({ value }) => value.names)).toEqual(inputs.map((input) => [input]));
    });

    it('says so when no reply fits the schema', async () => {
      await using model = await make(() => ({ names: 'the secret word' }));
      const meter = new UsageMeter();
      const failed = model.structured(NAMES, 'the secret word', { meter });
      await expect(failed).rejects.toMatchObject({ code: 'malformed-reply', truncated: false });
      await expect(failed).rejects.not.toThrow('secret');
      expect(meter.total.calls).toBeGreaterThan(0);
    });

    it('stops when it is cancelled, before and under way', async () => {
      const controller = new AbortController();
      await using model = await make(async () => {
        controller.abort();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { names: [] };
      });
      const { signal } = controller;
      await expect(model.structured(NAMES, 'x', { signal })).rejects.toMatchObject({ code: 'cancelled' });
      await expect(model.structured(NAMES, 'x', { signal })).rejects.toMatchObject({ code: 'cancelled' });
      await expect(model.text(PROSE, 'x', { signal })).rejects.toMatchObject({ code: 'cancelled' });
    });

    it('stops at its budget, keeps what was done, and goes on with another', async () => {
      await using model = await make((user) => ({ names: [user] }));
      const { usage } = await model.structured(NAMES, 'person 00');
      const cost = usage.promptTokens + usage.completionTokens;
      const budget = new TokenBudget(cost * 5.5);
      const inputs = Array.from({ length: 12 }, (_, at) => `person ${10 + at}`);
      const run = async (todo: readonly string[], limit: TokenBudget) =>
        Promise.allSettled(todo.map((input) => model.structured(NAMES, input, { budget: limit })));
      const outcomes = await run(inputs, budget);
      const done = outcomes.filter(({ status }) => status === 'fulfilled');
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(done.length).toBeGreaterThan(0);
      expect(done.length + refused.length).toBe(12);
      for (const error of refused) expect(error).toMatchObject({ code: 'budget-exhausted' });
      expect(budget.spent).toBe(done.length * cost);
      expect(budget.spent).toBeLessThanOrEqual(budget.limit);
      const left = inputs.filter((_, at) => outcomes[at]!.status === 'rejected');
      const rest = await run(left, new TokenBudget(1_000_000));
      expect(rest.every(({ status }) => status === 'fulfilled')).toBe(true);
    });

    it('counts tokens', async () => {
      await using model = await make(() => ({}));
      expect(await model.countTokens('')).toBe(0);
      const one = await model.countTokens('The cat sat on the mat.');
      expect(one).toBeGreaterThan(4);
      expect(one).toBeLessThan(15);
      expect(await model.countTokens('The cat sat on the mat. '.repeat(50))).toBeGreaterThan(one * 30);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { BudgetExhaustedError, ContextTooLongError } from '../../../src/errors/index.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import { LlmSelector, type LlmSelectorOptions } from '../../../src/retrieve/categories/llm-selector.ts';
import { node, selectorContract, TOPICS } from '../../contract/selector.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import { openLab } from '../../inference/language-model/model-lab.ts';

const OPTIONS: LlmSelectorOptions = { shown: 'names+tags', listTokens: 3_000 };

/** Numbers of the lines that contain something. */
const numbersOf = (user: string, wanted: RegExp) =>
  user.split('\n').flatMap((line) => {
    const [, number, name] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return number !== undefined && wanted.test(name!) ? [Number(number)] : [];
  });
const picking = (wanted: RegExp) =>
  new FakeLanguageModel(({ user }) => ({ open: numbersOf(user, wanted), all: [] }));
const says = (reply: unknown) => new FakeLanguageModel(() => reply);
const select = (model: FakeLanguageModel, nodes = TOPICS, options: Partial<LlmSelectorOptions> = {}) =>
  new LlmSelector(model, { ...OPTIONS, ...options }).select({ question: 'Which cities?', layer: 1, nodes });
const ids = async (...asked: Parameters<typeof select>) =>
  (await select(...asked)).picks.map(({ id, all }) => id + (all ? '*' : ''));

selectorContract('LlmSelector', () => new LlmSelector(picking(/^Cities/), OPTIONS));

describe('LlmSelector', () => {
  it.each([
    [{ open: [1, '2'], all: ['3'] }, ['Cities', 'Pets', 'Instruments*']],
    [{ open: '1, 4' }, ['Cities', 'Plants']],
    [{ open: ['#2', '3. Instruments', 'Entry 4'], all: null }, ['Pets', 'Instruments', 'Plants']],
    [{ open: ['CITIES', 'Plants (garden)'] }, ['Cities', 'Plants']],
    [{ open: [1, 1], all: [1, 1] }, ['Cities*']],
    [{ open: [], all: [] }, []],
    [{}, []],
  ])('reads %j', async (reply, wanted) => {
    expect(await ids(says(reply))).toEqual(wanted);
  });

  it('reads a name as a name, and a number as a position unless it is beyond the list', async () => {
    const nodes = ['2022', '3 Doors Down', 'Rome', 'Rome'].map((name, at) => node(name, { id: `n${at}` }));
    expect(await ids(says({ open: ['2022'] }), nodes)).toEqual(['n0']);
    expect(await ids(says({ open: ['3 doors down'] }), nodes)).toEqual(['n1']);
    expect(await ids(says({ open: ['Rome'] }), nodes)).toEqual(['n2', 'n3']);
    expect(await ids(says({ open: [1] }), nodes)).toEqual(['n0']);
  });

  it('notes entries that match no node, without their text', async () => {
    const { picks, notes } = await select(says({ open: [0, 99, -1, 'Atlantis', 2], all: ['</data-1>'] }));
    expect(picks.map(({ id }) => id)).toEqual(['Pets']);
    expect(notes).toEqual(['5 in the reply that match no entry']);
  });

  it('shows names, tags and summaries as configured, in the given order, before the question', async () => {
    let asked = '';
    const model = new FakeLanguageModel(({ user }) => {
      asked = user;
      return {};
    });
    const nodes = [
      node('Cities', { tags: ['travel', 'visited'], children: [node('Oslo', { layer: 0 })] }),
      node('Pets'),
    ];
    const summariesOf = async () => new Map([['Pets', 'Rex and Luna.']]);
    await select(model, nodes, { shown: 'names', summariesOf });
    expect(asked).toBe('<data-1>\n1 Cities\n  2 Oslo\n3 Pets\n</data-1>\n<data-1>\nWhich cities?\n</data-1>');
    await select(model, nodes, { shown: 'names+tags', summariesOf });
    expect(asked).toContain('1 Cities (travel, visited)\n  2 Oslo\n3 Pets\n');
    await select(model, nodes, { shown: 'names+tags+summary', summariesOf });
    expect(asked).toContain('3 Pets: Rex and Luna.\n');
    expect(asked).not.toMatch(/[0-9a-f]{8}-/);
  });

  it('splits a list that exceeds the limit and sends the parts concurrently', async () => {
    let [open, most] = [0, 0];
    const model = new FakeLanguageModel(async ({ user }) => {
      most = Math.max(most, ++open);
      await new Promise((done) => setTimeout(done, 5));
      open--;
      return { open: numbersOf(user, /number (?:7|299)$/) };
    });
    const nodes = Array.from({ length: 300 }, (_, at) => node(`Subject number ${at}`, { id: `n${at}` }));
    const { picks, notes, usage } = await select(model, nodes, { listTokens: 300 });
    expect(picks.map(({ id }) => id)).toEqual(['n7', 'n299']);
    expect(usage.calls).toBeGreaterThan(5);
    expect(most).toBe(usage.calls);
    expect(notes).toEqual([`the list was sent in ${usage.calls} parts`]);
  });

  it('halves a list that a model rejects as too long', async () => {
    const model = new FakeLanguageModel(({ user }) => {
      const lines = user.split('\n').length - 5;
      if (lines > 2) throw new ContextTooLongError('m', null as never);
      return { open: [1] };
    });
    expect(await ids(model)).toEqual(['Cities', 'Instruments', 'Plants']);
    const never = new FakeLanguageModel(() => {
      throw new ContextTooLongError('m', null as never);
    });
    await expect(select(never, TOPICS.slice(0, 1))).rejects.toMatchObject({ code: 'context-too-long' });
  });

  it('counts usage in its result and for the caller, also of failed calls', async () => {
    const meter = new UsageMeter();
    let calls = 0;
    const model = new FakeLanguageModel(() => ({ open: [++calls] }));
    const selector = new LlmSelector(model, OPTIONS);
    const request = { question: 'q', layer: 1, nodes: TOPICS };
    const first = await selector.select(request, { meter });
    const second = await selector.select(request, { meter });
    expect([first.usage.calls, second.usage.calls, meter.total.calls]).toEqual([1, 1, 2]);
    expect(first.usage.promptTokens).toBeGreaterThan(50);
    const budget = new TokenBudget(10);
    await expect(selector.select(request, { budget })).rejects.toSatisfy(BudgetExhaustedError.isInstance);
  });

  it('costs half without tags and summaries, counted by a scripted server', async () => {
    const nodes = Array.from({ length: 40 }, (_, at) =>
      node(`Subject ${at}`, { tags: ['one tag', 'two tags', 'three tags'] }),
    );
    const cost: number[] = [];
    for (const shown of ['names', 'names+tags', 'names+tags+summary'] as const) {
      await using lab = await openLab('openai', { server: { reply: () => ({ open: [3], all: ['40'] }) } });
      const summariesOf = async () =>
        new Map(nodes.map(({ id }) => [id, 'What is known of it, in one sentence.']));
      const selector = new LlmSelector(lab.model, { shown, listTokens: 3_000, summariesOf });
      const { picks, usage } = await selector.select({ question: 'Which?', layer: 1, nodes });
      expect(picks).toEqual([
        { id: 'Subject 2', all: false, score: 1 },
        { id: 'Subject 39', all: true, score: 1 },
      ]);
      cost.push(usage.promptTokens);
    }
    expect(cost[0]! * 1.45).toBeLessThan(cost[1]!);
    expect(cost[1]! * 1.2).toBeLessThan(cost[2]!);
  });

  it('reports malformed replies of a server', async () => {
    const faults = [{ kind: 'malformed-json' }] as const;
    await using lab = await openLab('openai', { server: { storm: { probability: 1, seed: 1, faults } } });
    const result = new LlmSelector(lab.model, OPTIONS).select({ question: 'q', layer: 1, nodes: TOPICS });
    await expect(result).rejects.toMatchObject({ code: 'malformed-reply' });
  });
});

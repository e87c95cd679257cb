import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ContextTooLongError,
  MalformedReplyError,
  ModelUnavailableError,
} from '../../../../src/errors/index.ts';
import {
  LlmCategorizer,
  type LlmCategorizerOptions,
} from '../../../../src/hierarchy/categorize/llm/llm-categorizer.ts';
import type { CategorizeRequest } from '../../../../src/hierarchy/categorizer.ts';
import { categoryKey } from '../../../../src/hierarchy/category-name.ts';
import { UsageMeter } from '../../../../src/inference/language-model/tokens/usage-meter.ts';
import { expectForm, knownCategory, requestOf } from '../../../contract/categorizer.ts';
import { FakeLanguageModel } from '../../../fakes/language-model/fake-language-model.ts';
import { CuttingModel } from '../../../ingest/llm/cutting-model.ts';
import { layerNode, layerNodes, readPrompt, replyOf, type ShownPrompt, vectorAt } from './layer-nodes.ts';

/** Replies with what `say` computes from each prompt, and records the prompts. */
async function asked(
  request: CategorizeRequest,
  say: (shown: ShownPrompt, number: number) => unknown,
  options: LlmCategorizerOptions = {},
) {
  const prompts: ShownPrompt[] = [];
  const model = new FakeLanguageModel((prompt) => {
    prompts.push(readPrompt(prompt));
    return say(prompts.at(-1)!, prompts.length - 1);
  });
  const result = await new LlmCategorizer(model, options).categorize(request);
  expectForm(result, request);
  return { ...result, prompts };
}

/** The names of the nodes of every proposal. */
function grouped({ categories }: { categories: readonly { name: string; nodes: readonly string[] }[] }) {
  return Object.fromEntries(
    categories.map(({ name, nodes }) => [name, nodes.map((id) => id.replace('id of ', ''))]),
  );
}

const PETS = layerNodes('Luna', 'Rex', 'Milo', 'violin');
const one = (name: string, ...numbers: unknown[]) => ({ category: name, tags: [], nodes: numbers });

describe('LlmCategorizer: reading replies', () => {
  it('groups by name, a node in several categories, in the order of the request', async () => {
    const result = await asked(requestOf(PETS), () => ({
      categories: [
        { category: 'pets', tags: ['animals'], nodes: ['3', 1, 'node 2'] },
        one('Strings', 4),
        one('Pet', 4),
      ],
    }));
    expect(grouped(result)).toEqual({ Pets: ['Luna', 'Rex', 'Milo', 'violin'], Strings: ['violin'] });
    expect(result.categories[0]!.tags).toEqual(['animals']);
    expect(result.usage.calls).toBe(1);
  });

  it('makes no category of nodes without kin, and asks about them once', async () => {
    const result = await asked(requestOf(PETS), () => ({
      categories: [one('Pets', 1, 2, 3)],
      alone: [4, '9', 'x'],
    }));
    expect(grouped(result)).toEqual({ Pets: ['Luna', 'Rex', 'Milo'] });
    expect(result.usage.calls).toBe(1);
    expect(result.notes).toEqual([]);
  });

  it('keeps at most five tags of three words, without duplicates', async () => {
    const tags = ['a', 'A', ' b\nc ', 'one two three four', '', 'd', 'e', 'f', 'g'];
    const { categories } = await asked(requestOf(PETS), () => ({
      categories: [{ category: 'Pets', tags, nodes: [1, 2, 3, 4] }],
    }));
    expect(categories[0]!.tags).toEqual(['a', 'b c', 'd', 'e', 'f']);
  });

  it.each([
    '{"category": "Pets"}',
    '```json',
    'category: Pets',
    '**Pets**',
    '[Pets]',
    'Pets<|im_end|>',
    'Pets Pets Pets Pets Pets Pets',
  ])('makes no category of a loop or of leaked markup: %s', async (name) => {
    const result = await asked(requestOf(PETS), () => ({ categories: [one(name, 1, 2, 3, 4)] }));
    expect(grouped(result)).toEqual({});
    expect(result.notes.join()).toContain('a category whose name is a loop or leaked markup');
  });

  it.each(['Pets', 'R&B', 'C++', 'Text', 'Things of Ann'])('but of %s', async (name) => {
    const result = await asked(requestOf(PETS), () => ({ categories: [one(name, 1, 2, 3, 4)] }));
    expect(Object.keys(grouped(result))).toEqual([name]);
  });

  it('splits names at "and" into two categories, each with all nodes', async () => {
    const result = await asked(requestOf(PETS), () => ({ categories: [one('Pets and Music', 1, 2, 3, 4)] }));
    const all = PETS.map(({ name }) => name);
    expect(grouped(result)).toEqual({ Pets: all, Music: all });
  });

  it('keeps spelling and tags of a known category', async () => {
    const known = [{ ...knownCategory('Cities', 1), tags: ['town'] }];
    const request = requestOf(layerNodes('Oslo', 'Rome', 'Paris'), { known });
    const { categories } = await asked(request, () => ({
      categories: [{ ...one('CITY', 1, 2, 3), tags: ['place', 'more'] }],
    }));
    expect(categories).toEqual([
      { name: 'Cities', tags: ['town'], nodes: ['id of Oslo', 'id of Rome', 'id of Paris'] },
    ]);
  });

  it('uses the oldest of two known categories with the same name', async () => {
    const known = [knownCategory('Cities', 1), knownCategory('City', 2)];
    const { categories } = await asked(requestOf(layerNodes('Oslo', 'Rome'), { known }), () => ({
      categories: [one('city', 1, 2)],
    }));
    expect(categories.map(({ name }) => name)).toEqual(['Cities']);
  });

  it('drops invalid numbers, malformed entries and names of marks, and notes their counts', async () => {
    const result = await asked(requestOf(PETS), () => ({
      categories: [
        one('Pets', 1, 1, 2, 3, 0, 5, -1, 1.5, 1e9),
        null,
        'x',
        one('"—"', 4),
        one('', 4),
        one('Music', 4),
      ],
    }));
    expect(grouped(result)).toEqual({ Pets: ['Luna', 'Rex', 'Milo'], Music: ['violin'] });
    expect(result.notes).toEqual([
      'an entry of another shape (2 times)',
      'a number that is no node of the list (5 times)',
      'a category without a usable name (2 times)',
    ]);
  });

  it('accepts at most four categories per node', async () => {
    const result = await asked(requestOf(PETS), () => ({
      categories: Array.from({ length: 1_000 }, (_, at) => one(`Kind ${at}`, 1, 2, 3, 4)),
    }));
    expect(Object.keys(grouped(result))).toEqual(['Kind 0', 'Kind 1', 'Kind 2', 'Kind 3']);
    expect(result.notes).toEqual(['a node in too many categories (3984 times)']);
  });

  it('leaves a node with a category of its own name to promotion, and groups other nodes under such a name', async () => {
    const nodes = layerNodes('Pottery', 'pottery class', 'piano');
    const result = await asked(requestOf(nodes), () => ({
      categories: [one('Pottery', 1, 2), one('Pianos', 3)],
    }));
    expect(grouped(result)).toEqual({ Pottery: ['Pottery', 'pottery class'] });
    expect(result.notes).toEqual([]);
  });

  it('creates Speaker itself: first persons are not shown, and replies cannot add to it', async () => {
    const nodes = layerNodes('user', 'Ann', 'me', 'Bob');
    const result = await asked(requestOf(nodes), ({ nodes: shown }) => {
      expect(shown).toEqual(['Ann', 'Bob']);
      return { categories: [one('speakers', 1, 2), one('People', 1, 2)] };
    });
    expect(grouped(result)).toEqual({ Speaker: ['user', 'me'], People: ['Ann', 'Bob'] });
    const upper = await asked(requestOf(nodes, { layer: 2 }), inOne);
    expect(grouped(upper)).toEqual({ Items: ['user', 'Ann', 'me', 'Bob'] });
  });

  it('rejects the name of the split category for a part', async () => {
    const within = knownCategory('Things', 7);
    const result = await asked(requestOf(PETS, { within }), ({ within: shown, system }) => {
      expect([shown, system.includes('grew too large')]).toEqual(['Things', true]);
      return { categories: [one('thing', 1, 2, 3, 4), one('Pets', 1, 2, 3), one('Music', 4)] };
    });
    expect(grouped(result)).toEqual({ Pets: ['Luna', 'Rex', 'Milo'], Music: ['violin'] });
    expect(result.notes).toEqual(['the category that is to be split']);
  });

  it('returns a valid result for every reply', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'Luna',
        'a and b',
        'The "x"s',
        "Ann's's",
        'Speaker',
        '__proto__',
        'constructor',
        '\u0000\n2 x',
      ),
    );
    const entry = fc.record({
      category: fc.oneof(text, fc.anything()),
      tags: fc.oneof(fc.array(text), fc.anything()),
      nodes: fc.oneof(fc.array(fc.integer({ min: -2, max: 7 })), fc.anything()),
    });
    const reply = fc.array(fc.oneof({ weight: 6, arbitrary: entry }, fc.anything() as never), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(reply, async (categories) => {
        await asked(requestOf(PETS), () => ({ categories }));
      }),
      { numRuns: 150 },
    );
  });
});

const UNAVAILABLE = { reason: 'timeout', status: null, attempts: 1, retryAfter: null } as const;
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => layerNode(`item${from + at}`));
const inOne = ({ nodes }: ShownPrompt) => ({ categories: [one('Items', ...nodes.map((_, at) => at + 1))] });

describe('LlmCategorizer: requests', () => {
  it('splits many nodes into even batches, and offers the categories of earlier ones', async () => {
    const { prompts, categories, usage } = await asked(requestOf(numbers(1, 200)), inOne);
    expect(prompts.map(({ nodes }) => nodes.length)).toEqual([67, 67, 66]);
    expect(prompts.map(({ known }) => known)).toEqual([[], ['Items'], ['Items']]);
    expect(categories).toHaveLength(1);
    expect(categories[0]!.nodes).toHaveLength(200);
    expect(usage.calls).toBe(3);
  });

  it('limits batches by tokens, and to a quarter of a small context', async () => {
    const long = numbers(1, 40).map((node) => ({ ...node, name: `${node.name} ${'many words '.repeat(8)}` }));
    const { prompts } = await asked(requestOf(long), inOne, { tokensPerCall: 300 });
    expect(prompts.length).toBeGreaterThan(3);
    expect(Math.max(...prompts.map(({ nodes }) => nodes.length))).toBeLessThanOrEqual(300 / 24);
    const small = Object.assign(new FakeLanguageModel((prompt) => inOne(readPrompt(prompt))), {
      contextTokens: 1_200,
    });
    const result = await new LlmCategorizer(small).categorize(requestOf(long));
    expect(result.usage.calls).toBe(prompts.length);
  });

  it('keeps the token limit if long names are adjacent', async () => {
    const long = numbers(51, 60).map((node) => ({
      ...node,
      name: `${node.name} ${'many words '.repeat(8)}`,
    }));
    const { prompts } = await asked(requestOf([...numbers(1, 50), ...long]), inOne, { tokensPerCall: 200 });
    const longIn = prompts.map(({ nodes }) => nodes.filter((name) => name.includes('many')).length);
    // One of them takes about 30 tokens.
    expect(Math.max(...longIn)).toBeLessThanOrEqual(6);
    expect(prompts.flatMap(({ nodes }) => nodes)).toHaveLength(60);
  });

  it('puts similar nodes into one batch', async () => {
    const planes = Array.from({ length: 8 }, (_, at) =>
      layerNode(`n${at}`, { vector: vectorAt(at, at % 2) }),
    );
    const { prompts } = await asked(requestOf(planes), inOne, { nodesPerCall: 4 });
    expect(prompts.map(({ nodes }) => nodes)).toEqual([
      ['n0', 'n2', 'n4', 'n6'],
      ['n1', 'n3', 'n5', 'n7'],
    ]);
    const worded = layerNodes('pottery class', 'Rex', 'my pottery', 'Luna');
    const byWords = await asked(requestOf(worded), inOne, { nodesPerCall: 2 });
    expect(byWords.prompts[0]!.nodes).toEqual(['pottery class', 'my pottery']);
  });

  it('sends due nodes, and loose ones only if they are near', async () => {
    const near = layerNode('old cello', { vector: vectorAt(10) });
    const far = layerNode('harbour', { vector: vectorAt(90) });
    const placed = layerNode('viola', { vector: vectorAt(5) });
    const due = layerNode('cello', { vector: vectorAt(0) });
    const request = requestOf([placed, near, far, due], {
      due: new Set([due.id]),
      loose: new Set([near.id, far.id]),
    });
    const alone = await asked(request, ({ nodes }) => {
      expect(nodes).toEqual(['cello', 'old cello']);
      return { categories: [one('Celli', 1, 2)] };
    });
    // Two are too few for a new category: the loose one keeps its own.
    expect(grouped(alone)).toEqual({ Celli: ['cello'] });
    const known = [knownCategory('Celli', 1)];
    const joined = await asked({ ...request, known }, () => ({ categories: [one('Celli', 1, 2)] }));
    expect(grouped(joined)).toEqual({ Celli: ['old cello', 'cello'] });
  });

  it('offers the nearest of many categories by vector and words, then the largest; all if there are few', async () => {
    const known = Array.from({ length: 500 }, (_, at) => ({
      ...knownCategory(at === 321 ? 'Musical instruments' : `Kind ${at}`, at),
      vector: at === 77 ? vectorAt(20, 1) : vectorAt(0, 3),
      children: at >= 200 && at < 300 ? at : 3,
    }));
    const nodes = [
      layerNode('violin', { tags: ['musical instrument'] }),
      layerNode('Oslo', { vector: vectorAt(0, 1) }),
    ];
    const large = [292, 293, 294, 295, 296, 297, 298, 299].map((at) => `Kind ${at}`);
    const all = await asked(requestOf(nodes, { known }), inOne);
    expect(all.prompts[0]!.known).toEqual(['Kind 77', ...large, 'Musical instruments']);
    const few = await asked(requestOf(nodes, { known: known.slice(0, 14) }), inOne);
    expect(few.prompts[0]!.known).toHaveLength(14);
    const many = await asked(requestOf(numbers(1, 30), { known: known.slice(0, 40) }), inOne);
    expect(many.prompts[0]!.known).toHaveLength(40);
  });

  it('has a cost independent of the number of categories', async () => {
    const known = Array.from({ length: 2_000 }, (_, at) => knownCategory(`Kind number ${at} of things`, at));
    const nodes = numbers(1, 60).map((_, at) => layerNode(`thing ${at} of kind number ${at * 30}`));
    const { prompts, usage } = await asked(requestOf(nodes, { known }), inOne);
    expect(prompts.map((prompt) => [prompt.nodes.length, prompt.known.length])).toEqual([[60, 40]]);
    expect(usage.promptTokens).toBeLessThan(1_800);
  });

  it('states the layer, and shows other nodes of the layer below from the second on', async () => {
    const nodes = numbers(1, 100);
    const first = await asked(requestOf(nodes), inOne, { nodesPerCall: 50 });
    expect(first.prompts.flatMap(({ below }) => below)).toEqual([]);
    expect(first.prompts[0]!.system).toContain('categories of layer 1. It is the finest');
    const third = await asked(requestOf(nodes, { layer: 3 }), inOne, { nodesPerCall: 50 });
    expect(third.prompts[0]!.system).toContain('categories of layer 3. Its nodes are categories of layer 2');
    expect(third.prompts[0]!.below).toHaveLength(8);
    for (const { nodes: shown, below } of third.prompts)
      expect(below.filter((name) => shown.includes(name))).toEqual([]);
    const whole = await asked(requestOf(nodes, { layer: 3 }), inOne, { nodesPerCall: 100 });
    expect(whole.prompts[0]!.below).toEqual([]);
  });

  it('retries omitted nodes once, with the next batch, then leaves them', async () => {
    const nodes = numbers(1, 6);
    const { prompts, categories, notes } = await asked(
      requestOf(nodes),
      (shown) => replyOf(shown, { Items: ['item2', 'item3', 'item4', 'item5'] }),
      { nodesPerCall: 3 },
    );
    expect(prompts.map((shown) => shown.nodes)).toEqual([
      ['item1', 'item2', 'item3'],
      ['item1'],
      ['item4', 'item5', 'item6'],
      ['item6'],
    ]);
    expect(categories[0]!.nodes).toHaveLength(4);
    expect(notes).toEqual(['a node left out twice (2 times)']);
    const roomy = await asked(
      requestOf(nodes.slice(0, 5)),
      (shown, number) =>
        replyOf(shown, number === 0 ? { Items: ['item2', 'item3'] } : { Items: shown.nodes }),
      { nodesPerCall: 3 },
    );
    expect(roomy.prompts.map((shown) => shown.nodes)).toEqual([
      ['item1', 'item2', 'item3'],
      ['item1', 'item4', 'item5'],
    ]);
    expect(roomy.categories[0]!.nodes).toHaveLength(5);
  });

  it('does not show a node without a name', async () => {
    const { prompts, categories } = await asked(requestOf([layerNode(' '), ...PETS]), inOne);
    expect(prompts[0]!.nodes).toHaveLength(4);
    expect(categories[0]!.nodes).toHaveLength(4);
  });
});

describe('LlmCategorizer: failures', () => {
  const categorize = (model: ConstructorParameters<typeof LlmCategorizer>[0], count: number) =>
    new LlmCategorizer(model).categorize(requestOf(numbers(1, count)));

  it('uses the complete part of a truncated reply, and asks for the rest in halves', async () => {
    const sizes: number[] = [];
    const model = new CuttingModel((prompt) => {
      const { nodes } = readPrompt(prompt);
      sizes.push(nodes.length);
      const most = Math.min(nodes.length, 8);
      const categories = [one('Items', ...Array.from({ length: most }, (_, at) => at + 1))];
      return { reply: { categories }, truncated: nodes.length > 8 };
    });
    const { categories, notes } = await categorize(model, 24);
    expect(sizes).toEqual([24, 8, 8]);
    expect(categories[0]!.nodes).toHaveLength(24);
    expect(notes).toEqual([]);
  });

  it('gives up on a model whose replies are always truncated', async () => {
    let calls = 0;
    const model = new CuttingModel(() => {
      calls += 1;
      return { reply: { categories: [] }, truncated: true };
    });
    const { categories, notes } = await categorize(model, 60);
    expect(categories).toEqual([]);
    expect(calls).toBe(1 + 2 + 4 + 8 + 16);
    expect(notes).toEqual(['a node whose part of the reply was cut off (60 times)']);
  });

  it('halves a batch that exceeds the context, and rethrows if one node does', async () => {
    const sizes: number[] = [];
    const tooLong = (most: number) =>
      new FakeLanguageModel((prompt) => {
        const shown = readPrompt(prompt);
        sizes.push(shown.nodes.length);
        if (shown.nodes.length > most) throw new ContextTooLongError('fake', 100);
        return inOne(shown);
      });
    const { categories } = await categorize(tooLong(6), 20);
    expect(sizes).toEqual([20, 10, 5, 5, 10, 5, 5]);
    expect(categories[0]!.nodes).toHaveLength(20);
    await expect(categorize(tooLong(0), 20)).rejects.toThrow(ContextTooLongError);
  });

  it.each([
    [false, 1],
    [true, 1 + 2 + 4],
  ])('skips the nodes of a malformed reply, and continues (cut: %j)', async (truncated, calls) => {
    let count = 0;
    const model = new FakeLanguageModel((prompt) => {
      const shown = readPrompt(prompt);
      if (!shown.nodes.includes('item1') && !shown.nodes.includes('item4')) return inOne(shown);
      count += 1;
      throw new MalformedReplyError({ model: 'fake', prompt: prompt.name, issues: ['bad'], truncated });
    });
    const result = await new LlmCategorizer(model, { nodesPerCall: 4 }).categorize(requestOf(numbers(1, 8)));
    expect(count).toBeLessThanOrEqual(calls);
    expect(result.notes.join()).toMatch(/could not be read/);
    expect(result.categories[0]!.nodes).toEqual(expect.arrayContaining(['id of item5', 'id of item8']));
    expect(result.usage.calls).toBeGreaterThan(0);
  });

  it('rethrows other errors, with the usage counted', async () => {
    const meter = new UsageMeter();
    const model = new FakeLanguageModel((prompt) => {
      if (meter.total.calls === 1) throw new ModelUnavailableError('fake', UNAVAILABLE);
      return inOne(readPrompt(prompt));
    });
    const going = new LlmCategorizer(model).categorize(requestOf(numbers(1, 130)), { meter });
    await expect(going).rejects.toThrow(ModelUnavailableError);
    expect(meter.byPrompt().get('categorize-nodes')!.calls).toBe(1);
  });

  it('merges categories with equal keys from all replies', async () => {
    const names = ['Items', 'items', 'the Items', 'ÍTEMS'];
    const { categories } = await asked(
      requestOf(numbers(1, 16)),
      ({ nodes }, number) => ({ categories: [one(names[number]!, ...nodes.map((_, at) => at + 1))] }),
      { nodesPerCall: 4 },
    );
    expect(categories.map(({ name }) => [name, categoryKey(name)])).toEqual([['Items', 'item']]);
    expect(categories[0]!.nodes).toHaveLength(16);
  });
});

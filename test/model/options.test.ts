import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { assistantContext } from '../../graphs/assistant/state.ts';
import { hierarchyContextSchema } from '../../graphs/hierarchy/state.ts';
import { ingestionContext } from '../../graphs/ingestion/state.ts';
import { retrievalContext } from '../../graphs/retrieval/context.ts';
import { checkedSettings, resolveConfig } from '../../main/config.ts';
import { contract } from '../../main/contract.ts';
import { readServerOptions } from '../../main/mcp/server-options.ts';
import { readMiddlewareOptions } from '../../src/agent-memory/agent-memory-options.ts';
import { type MemoryScope, Mnemis } from '../../src/index.ts';
import { MnemisRetriever, memoryTools } from '../../src/langchain/index.ts';
import { DEFAULT_K, options } from '../../src/model/options.ts';
import { askMemory } from '../../src/tools/ask-memory.ts';
import { forgetInTwoCalls, forgetPreview } from '../../src/tools/forget.ts';
import { searchMemory } from '../../src/tools/search-memory.ts';

/** Values at both ends of each range, and just beyond. */
const LIMITS: Readonly<
  Record<string, { readonly fit: readonly unknown[]; readonly not: readonly unknown[] }>
> = {
  k: { fit: [1, 100], not: [0, 101, 1.5] },
  routeMilliseconds: { fit: [0, 2 ** 31 - 1], not: [-1, 2 ** 31] },
  tokenBudget: { fit: [1, 1e12], not: [0, 1e12 + 1] },
  contextTokens: { fit: [1, 1_000_000], not: [0, 1_000_001] },
  answerer: { fit: ['local', 'llm'], not: ['auto'] },
  threshold: { fit: [0, 1], not: [-0.1, 1.1] },
  minScore: { fit: [0, 1], not: [-0.1, 1.1] },
  min_score: { fit: [0, 1], not: [-0.1, 1.1] },
  asker: { fit: ['', 'a'.repeat(500)], not: ['a'.repeat(501)] },
  earlier: { fit: [[], Array(1_000).fill('why?')], not: [Array(1_001).fill('why?'), ['a'.repeat(10_001)]] },
  question: { fit: ['a'.repeat(10_000)], not: ['a'.repeat(10_001)] },
  asOf: { fit: ['2024-03-05'], not: ['', '1'.repeat(101)] },
  knownAt: { fit: ['2024-03-05'], not: ['', '1'.repeat(101)] },
  as_of: { fit: ['2024-03-05'], not: ['', '1'.repeat(101)] },
  quotations: { fit: [true], not: ['yes'] },
  scope: { fit: ['a', 'a'.repeat(200)], not: ['', 'a'.repeat(201)] },
};

const inputsOf = [
  ...Object.entries(contract).map(([name, { input }]) => [name, input] as const),
  ...[searchMemory, askMemory, forgetPreview, forgetInTwoCalls].map(
    ({ name, input }) => [name, input] as const,
  ),
  ['retrieval graph', retrievalContext()] as const,
  ['ingestion graph', ingestionContext()] as const,
  ['hierarchy graph', hierarchyContextSchema] as const,
  ['assistant graph', assistantContext()] as const,
];
const fields = inputsOf.flatMap(([name, input]) =>
  Object.entries(input instanceof z.ZodObject ? (input.shape as Record<string, z.ZodType>) : {})
    // The question of a review is an id.
    .filter(([field]) => field in LIMITS && !(name === 'decide' && field === 'question'))
    .map(([field, schema]) => ({ name, field, schema })),
);

describe('the options of the verbs', () => {
  it('occur on many surfaces', () => expect(fields.length).toBeGreaterThan(60));

  it('have the same range in the contract, the agent tools and the graphs', () => {
    const strays = fields.flatMap(({ name, field, schema }) => {
      const { fit, not } = LIMITS[field]!;
      const isWell =
        fit.every((value) => schema.safeParse(value).success) &&
        not.every((value) => !schema.safeParse(value).success);
      return isWell ? [] : [`${field} of ${name}`];
    });
    expect(strays).toEqual([]);
  });

  it('have a least relevance wherever a search is one call', () => {
    const named = fields.filter(({ field }) => /^min_?score$/i.test(field)).map(({ name }) => name);
    expect(named.toSorted()).toEqual(['ask', 'context', 'retrieval graph', 'search', 'search_memory']);
  });

  it('have words', () => {
    expect(Object.entries(options).filter(([, { description }]) => description === undefined)).toEqual([]);
  });
});

describe('k', () => {
  let engine: Mnemis;
  let memory: MemoryScope;
  beforeAll(async () => {
    engine = await Mnemis.open({ path: ':memory:' });
    memory = engine.scope('anna');
  });
  afterAll(() => engine.close());

  const ofConfig = (k: unknown) => checkedSettings('mnemis.config.json', { k });
  const surfaces: Readonly<Record<string, (k: number) => unknown>> = {
    search: (k) => memory.search('Where?', { k }),
    context: (k) => memory.context('Where?', { k }),
    'search by limit': (limit) => memory.search('Where?', { limit }),
    ask: (k) => memory.ask('Where?', { k }),
    'forget by a query': (limit) => memory.previewForget({ query: 'Where?', limit }),
    retriever: (k) => new MnemisRetriever({ memory, k }),
    'memory tools': (k) => memoryTools({ memory, k }),
    middleware: (k) => readMiddlewareOptions({ memory, k }),
    'MCP server': (k) => readServerOptions({ k }),
    settings: ofConfig,
  };

  it.each(Object.keys(surfaces))('goes from 1 to 100 in: %s', async (name) => {
    const call = async (k: number) => surfaces[name]!(k);
    for (const k of [1, 100]) await call(k);
    // In the middleware 0 disables recall.
    for (const k of name === 'middleware' ? [-1, 101] : [0, 101]) await expect(call(k)).rejects.toThrow();
  });

  it('is the same for every list where nobody sets it', () => {
    expect(readMiddlewareOptions({ memory }).k).toBeUndefined(); // as many turns as fit
    expect(readServerOptions().k).toBeUndefined();
    expect(resolveConfig({ flags: {}, environment: {}, folder: '/' }).values.k).toBe(DEFAULT_K);
    expect(retrievalContext().shape.k.meta()?.default).toBe(DEFAULT_K);
  });
});

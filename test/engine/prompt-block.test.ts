import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../src/engine.ts';
import { CONTEXT_FORM, InvalidInputError } from '../../src/index.ts';
import { roughTokens } from '../../src/inference/language-model/tokens/count-tokens.ts';
import { DATA_RULE } from '../../src/prompts/as-data.ts';
import { open, remember } from './memory-fixture.ts';

let mnemis: Mnemis;
let memory: MemoryScope;
beforeAll(async () => {
  mnemis = await open(':memory:');
  memory = mnemis.scope('walks');
  await memory.add(
    Array.from({ length: 200 }, (_, at) => ({
      speaker: at % 2 === 0 ? 'Nora' : 'Bob',
      session: `s${Math.floor(at / 20)}`,
      at: new Date(Date.UTC(2026, 2, 1 + Math.floor(at / 20), 12, at % 20)).toISOString(),
      content: `On walk ${at} we saw a grey heron by the lake, and then had soup at inn number ${at}.`,
    })),
  );
});
afterAll(() => mnemis.close());

describe('a block for a prompt', () => {
  it('says how to read it, and fills its tokens with turns', async () => {
    const { text, tokens, sources } = await memory.context('Where did we see a heron?');
    const [form, begin] = text.split('\n');
    expect(form).toContain(`${DATA_RULE} ${CONTEXT_FORM}`);
    expect(begin).toBe('<data-1>');
    expect(text.endsWith('\n</data-1>')).toBe(true);
    expect(tokens).toBe(roughTokens(text));
    expect([tokens > 3_800, tokens <= 4_000]).toEqual([true, true]);
    expect(sources.length).toBeGreaterThan(75);
    for (const { number, text: said } of sources) expect(text).toContain(`\n[${number}] ${said}`);
  });

  it.each([260, 900])('keeps to %i tokens', async (tokens) => {
    const block = await memory.context('Where did we see a heron?', { tokens });
    expect(block.tokens).toBeLessThanOrEqual(tokens);
    expect(block.sources.length).toBeGreaterThan(2);
  });

  it('reads the question in its conversation', async () => {
    const earlier = ['What did we see on walk 41?'];
    const { sources } = await memory.context('And on walk 42?', { tokens: 180, earlier, asker: 'Nora' });
    expect(sources.map(({ text }) => text)).toContain(
      'Nora: On walk 42 we saw a grey heron by the lake, and then had soup at inn number 42.',
    );
  });

  it.each([
    ['Which cities has Bob visited?', true],
    ['Where did Bob move?', false],
  ])('adds what entities say only where all of a kind is asked for: %s', async (question, adds) => {
    const cities = ['Ghent', 'Oslo', 'Porto', 'Riga', 'Turin', 'Lyon', 'Bergen', 'Malmö'];
    const trips = mnemis.scope(`trips ${adds}`);
    const visits = Array.from({ length: 64 }, (_, at) => {
      const city = cities[at % cities.length]!;
      return `I went to ${city} for show ${at}. My sister Ada has a shop number ${at} in ${city}.`;
    });
    await remember(
      trips,
      visits.map((content) => ({ content, speaker: 'Bob' })),
    );
    const { sources } = await trips.context(question, { tokens: 1_000 });
    expect(sources.some(({ item }) => item.kind === 'entity')).toBe(adds);
  });

  it('is empty where memory holds nothing', async () => {
    const nothing = { text: '', tokens: 0, sources: [], leftOut: 0 };
    expect(await mnemis.scope('nothing').context('Where?')).toMatchObject(nothing);
  });

  it('has the result of the search, and with k no more turns than that', async () => {
    const question = 'Where did we see a heron?';
    const { milliseconds: _, routes: _r, ...searched } = await memory.search(question, { k: 3 });
    const block = await memory.context(question, { k: 3 });
    expect(block.search).toMatchObject(searched);
    expect(block.sources.flatMap(({ item }) => (item.kind === 'episode' ? [item.id] : []))).toHaveLength(3);
    expect((await memory.context(question)).search.episodes).toHaveLength(10);
  });

  it('counts tokens as its caller does', async () => {
    const countTokens = async (text: string) => text.split(' ').length;
    const { text, tokens } = await memory.context('Where did we see a heron?', { tokens: 500, countTokens });
    expect(tokens).toBe(await countTokens(text));
    expect([tokens > 400, tokens <= 500]).toEqual([true, true]);
  });

  it('leaves out turns that the prompt has, and facts that come from them alone', async () => {
    const told = mnemis.scope('told');
    await remember(told, [
      { content: 'I moved to Ghent.', speaker: 'Bob', at: '2026-03-01', session: 'a' },
      { content: 'Ghent has a good harbour.', speaker: 'Nora', at: '2026-03-02', session: 'b' },
    ]);
    const isInPrompt = ({ session }: { readonly session: string }) => session === 'a';
    const { text, search } = await told.context('Did Bob move to Ghent?', { isInPrompt });
    expect(text).toContain('harbour');
    expect(text).not.toContain('moved');
    expect(search.facts.map(({ statement }) => statement)).toContain('Bob moved to Ghent');
  });

  it('ends at the least relevance that is asked for', async () => {
    const { sources } = await memory.context('What did grey inn number 42 have?', { minScore: 0.6 });
    const ids = new Set(sources.map(({ item }) => item.id));
    expect(ids.size).toBe(sources.length);
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.length).toBeLessThan(75);
    expect((await memory.context('Quarterly tungsten dividends?', { minScore: 0.3 })).sources).toEqual([]);
  });

  it('refuses what is no option', async () => {
    const refused = await memory.context('Where?', { tokens: 0 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidInputError);
    expect((refused as Error).message).toMatch(/: tokens: /);
    expect((refused as Error).message).not.toContain('contextTokens');
    await expect(memory.context('Where?', { topN: 1 } as never)).rejects.toThrow(/topN/);
  });
});

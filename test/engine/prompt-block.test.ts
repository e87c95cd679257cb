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
    expect(await mnemis.scope('nothing').context('Where?')).toEqual({ text: '', tokens: 0, sources: [] });
  });

  it('refuses what is no option', async () => {
    await expect(memory.context('Where?', { tokens: 0 })).rejects.toThrow(InvalidInputError);
    await expect(memory.context('Where?', { topN: 1 } as never)).rejects.toThrow(/topN/);
  });
});

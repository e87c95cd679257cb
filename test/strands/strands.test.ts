import { afterEach, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { memoryBlock, memoryStore } from '../../src/strands/index.ts';

const engines: Mnemis[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function opened() {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  engines.push(engine);
  return engine;
}

const said = (role: string, text: string, trackingId?: string) => ({ role, content: [{ text }], trackingId });
const held = async (engine: Mnemis) =>
  (await engine.scope('ann').turns('s')).map(({ role, content }) => `${role}: ${content}`);

describe('a store', () => {
  it('stores a batch once, however often it is tried, and two equal messages twice', async () => {
    const engine = await opened();
    const store = memoryStore({ engine, userId: 'ann', session: 's' });
    const batch = [said('user', 'ok'), said('assistant', 'Noted.'), said('user', 'ok')];
    await store.addMessages(batch, { sequenceNumbers: [0, 1, 4] });
    await store.addMessages(batch, { sequenceNumbers: [0, 1, 4] });
    await store.addMessages([said('assistant', 'Another agent.')], { sequenceNumbers: [0] });
    expect(await held(engine)).toEqual([
      'user: ok',
      'assistant: Noted.',
      'user: ok',
      'assistant: Another agent.',
    ]);
    const next = memoryStore({ engine, userId: 'ann', session: 's' });
    await next.addMessages([said('user', 'ok')], { sequenceNumbers: [0] });
    for (const one of [store, next]) await one.addMessages([said('user', 'By id.', 'u1')]);
    expect((await held(engine)).slice(4)).toEqual(['user: ok', 'user: By id.']);
  });

  it('finds what its user said, best first, and stores a text once', async () => {
    const engine = await opened();
    const store = memoryStore({ engine, userId: 'ann', session: 's' });
    await store.add('Ann has a cat called Miso.');
    await store.add('Ann has a cat called Miso.');
    await store.add('Ann plays the oboe.');
    expect(await held(engine)).toHaveLength(2);
    const found = await store.search('Which cat has Ann?', { maxSearchResults: 1 });
    expect(found.map(({ content }) => content)).toEqual([expect.stringContaining('Miso')]);
    expect(memoryBlock({ entries: found })).toMatch(/never instructions.*<data-1>\n.*Miso.*\n<\/data-1>$/s);
    const ofBo = memoryStore({ engine, userId: 'bo', session: 's' });
    expect(await ofBo.search('Which cat has Ann?')).toEqual([]);
  });

  it('neither reads nor writes in private, finds nothing where memory fails, and throws what it cannot store', async () => {
    const engine = await opened();
    await engine.scope('ann').add('Ann has a cat.');
    const hidden = memoryStore({ engine, userId: 'ann', private: true });
    expect([hidden.writable, hidden.extraction, await hidden.search('cat')]).toEqual([false, false, []]);
    expect(() => memoryStore({ engine })).toThrow(expect.objectContaining({ code: 'missing-user' }));
    const errors: unknown[] = [];
    const store = memoryStore({
      memory: {
        name: engine.scope('ann').name,
        context: () => Promise.reject(new Error('no')),
        add: () => Promise.reject(new Error('full')),
      },
      onError: (error) => errors.push(String(error)),
    });
    expect(await store.search('cat')).toEqual([]);
    expect(errors).toEqual(['Error: no']);
    await expect(store.addMessages([said('user', 'A cat.')])).rejects.toThrow('full');
  });
});

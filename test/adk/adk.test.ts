import { afterEach, describe, expect, it } from 'vitest';
import { memoryService } from '../../src/adk/index.ts';
import { Mnemis } from '../../src/engine.ts';

const engines: Mnemis[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function opened() {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  engines.push(engine);
  return engine;
}

const AT = Date.parse('2026-03-01T09:00:00Z');
const event = (id: string, author: string, text: string, more: object = {}) => ({
  ...{ id, author, timestamp: AT + Number(id) },
  content: { parts: [{ text, ...more }] },
});
const session = {
  ...{ id: 's', appName: 'home', userId: 'ann' },
  events: [
    event('1', 'user', 'My cat is called Miso.'),
    { ...event('2', 'helper', 'Not'), partial: true },
    event('3', 'helper', 'She thinks.', { thought: true }),
    event('4', 'helper', 'Noted.'),
  ],
};
const query = 'What is my cat called?';

describe('a memory service', () => {
  it('stores each event of a session once, and finds it for its user and app alone', async () => {
    const engine = await opened();
    const service = memoryService({ engine });
    await service.addSessionToMemory({ ...session, events: session.events.slice(0, 1) });
    await service.addSessionToMemory(session);
    await service.addSessionToMemory(session);
    const turns = await engine.scope('home/ann').turns('s');
    expect(turns.map(({ role, trust, speaker, content }) => [role, trust, speaker, content])).toEqual([
      ['user', 'normal', 'user', 'My cat is called Miso.'],
      ['assistant', 'low', 'helper', 'Noted.'],
    ]);
    const { memories } = await service.searchMemory({ appName: 'home', userId: 'ann', query });
    expect(memories[0]!.content.parts[0]!.text).toMatch(/^<data-1>\n.*called Miso\.\n<\/data-1>$/s);
    expect(memories[0]!.timestamp).toBe(new Date(AT + 1).toISOString());
    for (const other of [
      { appName: 'home', userId: 'bo' },
      { appName: 'work', userId: 'ann' },
    ])
      expect(await service.searchMemory({ ...other, query })).toEqual({ memories: [] });
  });

  it('has no memory that those who are nobody share', async () => {
    const engine = await opened();
    const service = memoryService({ engine });
    const nobody = { code: 'missing-user' };
    await expect(service.addSessionToMemory({ ...session, userId: '' })).rejects.toMatchObject(nobody);
    await expect(service.searchMemory({ appName: 'home', userId: ' ', query })).rejects.toMatchObject(nobody);
    expect(await engine.scopes()).toEqual([]);
  });

  it('finds nothing where memory fails, and throws what it cannot store', async () => {
    const engine = await opened();
    const errors: unknown[] = [];
    const service = memoryService({
      memory: {
        name: engine.scope('ann').name,
        context: () => Promise.reject(new Error('no')),
        add: () => Promise.reject(new Error('full')),
      },
      onError: (error) => errors.push(String(error)),
    });
    expect(await service.searchMemory({ appName: 'home', userId: 'ann', query })).toEqual({ memories: [] });
    expect(errors).toEqual(['Error: no']);
    await expect(service.addSessionToMemory(session)).rejects.toThrow('full');
  });
});

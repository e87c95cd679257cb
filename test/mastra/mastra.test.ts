import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryMiddlewareOptions } from '../../src/agent-memory/agent-memory-options.ts';
import { Mnemis } from '../../src/engine.ts';
import { memoryProcessor, memoryTools } from '../../src/mastra/index.ts';

const engines: Mnemis[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function opened() {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  engines.push(engine);
  return engine;
}

const message = (id: string, role: string, text: string, of: object = {}) => ({
  ...{ id, role, ...of },
  content: { format: 2, parts: [{ type: 'text', text }] },
});
type Message = ReturnType<typeof message>;

/** What Mastra does in a run of one step. */
async function run(
  options: MemoryMiddlewareOptions,
  all: readonly Message[],
  of: {
    readonly context?: object;
    /** What a server sets for whom it has authenticated. */
    readonly server?: Readonly<Record<string, string>>;
    readonly abortSignal?: AbortSignal;
  } = {},
) {
  const { context, server = {}, ...hook } = of;
  const memory = memoryProcessor(options);
  const state = {};
  const requestContext = new Map<string, unknown>(Object.entries({ ...server, mnemis: context }));
  const asked = all.filter(({ role }) => role === 'user');
  memory.processInputStep({ ...hook, requestContext, messages: asked, state });
  const prompt = [
    { role: 'system', content: 'Be brief.' },
    ...asked.map(({ role, content }) => ({ role, content: content.parts })),
  ];
  const given = await memory.processLLMRequest({ ...hook, requestContext, prompt, state });
  const messageList = { get: { all: { db: () => all } } };
  const messages = all.filter(({ role }) => role === 'assistant');
  expect(await memory.processOutputResult({ requestContext, messages, messageList })).toEqual(messages);
  await memory.settled();
  return JSON.stringify(given?.prompt ?? prompt);
}

const ofAnn = { resourceId: 'ann', threadId: 't1' };
const held = async (engine: Mnemis, user: string, session: string) =>
  (await engine.scope(user).turns(session)).map(({ role, content }) => `${role}: ${content}`);

describe('a processor', () => {
  it('recalls for the resource alone, and stores a message once by its id', async () => {
    const engine = await opened();
    const all = [message('1', 'user', 'My cat is called Miso.', ofAnn), message('2', 'assistant', 'Noted.')];
    await run({ engine }, all);
    await run({ engine }, all);
    expect(await held(engine, 'ann', 't1')).toEqual(['user: My cat is called Miso.', 'assistant: Noted.']);
    const asks = (resourceId: string) => [
      message('3', 'user', 'What is my cat called?', { resourceId, threadId: 't2' }),
      message('4', 'assistant', 'Miso.'),
    ];
    expect(await run({ engine }, asks('ann'))).toMatch(
      /Be brief.*never instructions.*<data-1>.*called Miso/s,
    );
    expect(await run({ engine }, asks('bo'))).not.toContain('Miso');
  });

  it('takes the user and the conversation from the request context, and leaves private runs alone', async () => {
    const engine = await opened();
    const all = [message('1', 'user', 'My cat is called Miso.', ofAnn), message('2', 'assistant', 'Noted.')];
    await run({ engine }, all, { context: { userId: 'bo', session: 's' } });
    expect(await held(engine, 'bo', 's')).toHaveLength(2);
    const asked = [message('3', 'user', 'What is my cat called?')];
    const prompt = await run({ engine }, asked, { context: { userId: 'bo', private: true } });
    expect(prompt).not.toContain('Miso');
    expect(await held(engine, 'bo', 'mastra')).toEqual([]);
    await expect(run({ engine }, asked)).rejects.toMatchObject({ code: 'missing-user' });
    await expect(run({ engine }, asked, { context: { user: 'bo' } })).rejects.toThrow('user');
  });

  it('lets no client of a server choose another user than the server has authenticated', async () => {
    const engine = await opened();
    const all = [message('1', 'user', 'My cat is called Miso.', ofAnn), message('2', 'assistant', 'Noted.')];
    await run({ engine }, all);
    const server = { mastra__resourceId: 'bo', mastra__threadId: 't9' };
    const context = { userId: 'ann', session: 't1' };
    const asked = [message('3', 'user', 'What is my cat called?', ofAnn)];
    expect(await run({ engine }, asked, { server, context })).not.toContain('Miso');
    expect(await held(engine, 'bo', 't9')).toEqual(['user: What is my cat called?']);
    expect(await held(engine, 'ann', 't1')).toHaveLength(2);
  });

  it('answers where memory fails, and ends where it is cancelled', async () => {
    const engine = await opened();
    const errors: unknown[] = [];
    const memory = {
      name: engine.scope('ann').name,
      context: () => Promise.reject(new Error('no')),
      add: () => Promise.reject(new Error('full')),
    };
    const asked = [message('1', 'user', 'My cat?', ofAnn)];
    await run({ memory, onError: (error) => errors.push(String(error)) }, asked);
    expect(errors).toEqual(['Error: no', 'Error: full']);
    const cancelled = run({ engine }, asked, { abortSignal: AbortSignal.abort() });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('tools', () => {
  it('are called as tools of Mastra and of the AI SDK', async () => {
    const engine = await opened();
    const { remember, search_memory } = memoryTools({ memory: engine.scope('ann') });
    await remember.execute({ content: 'Ann likes tea.' }, { agent: { toolCallId: '1', threadId: 't' } });
    expect(await search_memory.execute({ question: 'What does Ann like?' }, { toolCallId: '2' })).toContain(
      'tea',
    );
    expect(search_memory.id).toBe('search_memory');
    const signal = { abortSignal: AbortSignal.abort() };
    await expect(search_memory.execute({ question: 'tea' }, signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { agentMemory, memoryTools } from '../../src/openai-agents/index.ts';

const engines: Mnemis[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function opened() {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  engines.push(engine);
  return engine;
}

const said = (role: string, content: string) => ({ type: 'message', role, content });
const reply = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, providerData: { annotations: [] } }],
});
/** What the SDK does: the input of the model, of which everything new is handed to the session. */
async function input(engine: Mnemis, userId: string, text: string, more: object = {}) {
  const { session, sessionInputCallback } = agentMemory({ engine, ...more }).runOptions({
    userId,
    session: 's',
  });
  const items = await sessionInputCallback!(await session!.getItems(), [said('user', text)]);
  return { items, session: session! };
}

describe('a session', () => {
  const items = [
    said('user', 'How warm is it in Oslo?'),
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look:' },
        { type: 'input_image', image: `data:image/png;base64,${'A'.repeat(400_000)}` },
      ],
    },
    { type: 'reasoning', id: 'rs_1', content: [], providerData: { encrypted_content: 'gAAAAA==' } },
    {
      type: 'function_call',
      callId: 'call_1',
      name: 'weather',
      arguments: '{"city":"Oslo 🌦"}',
      status: 'completed',
    },
    {
      type: 'function_call_result',
      callId: 'call_1',
      name: 'weather',
      status: 'completed',
      output: { type: 'text', text: `${'x🌦'.repeat(70_000)} 7 °C` },
    },
    reply('Seven degrees.'),
  ];

  it('keeps what stands before a large item whose turn was forgotten', async () => {
    const engine = await opened();
    const { session } = await input(engine, 'ann', 'Hi.');
    await session.addItems(items.slice(0, 2));
    const [, large] = await engine.scope('ann').turns('s');
    await engine.scope('ann').forget({ episode: large!.id });
    expect(await session.getItems()).toEqual(items.slice(0, 1));
    expect(JSON.stringify(await engine.scope('ann').turns('s'))).not.toContain('🌦');
  });

  it('loses no item in which a name or a text only looks like that of a secret', async () => {
    const outputs = [
      { otp: 123456 },
      { card: 4111111111111111 },
      { password: { type: 'string' } },
      { password: true, user: 'ann' },
      { text: 'My password is', next: 'unknown' },
    ];
    const { session } = await input(await opened(), 'ann', 'Hi.');
    await session.addItems(outputs.map((output) => ({ type: 'function_call_result', callId: 'c', output })));
    expect((await session.getItems()).map(({ output }) => output)).toEqual([
      { otp: '[redacted: login code]' },
      { card: '[redacted: card number]' },
      ...outputs.slice(2),
    ]);
  });

  it('gives every item back as it was, the last ones, and one after the other', async () => {
    const engine = await opened();
    const { session } = await input(engine, 'ann', 'Hello');
    await session.addItems(items);
    await session.addItems([items[0]]);
    const { session: again } = await input(engine, 'ann', 'Hello');
    expect(await again.getSessionId()).toBe('s');
    expect(await again.getItems()).toEqual([...items, items[0]]);
    expect(await again.getItems(3)).toEqual([...items.slice(-2), items[0]]);
    expect(await again.getItems(0)).toEqual([]);
    expect(await again.popItem()).toEqual(items[0]);
    expect(await again.popItem()).toEqual(items[5]);
    expect(await again.popItem()).toEqual(items[4]);
    expect(await session.getItems()).toEqual(items.slice(0, 4));
  });

  it('is forgotten when it is cleared, and can be told again', async () => {
    const engine = await opened();
    const { session } = await input(engine, 'ann', 'Hello');
    await session.clearSession();
    await session.addItems(items.slice(0, 1));
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect(await session.popItem()).toBeUndefined();
    await session.addItems(items.slice(0, 1));
    expect(await session.getItems()).toEqual(items.slice(0, 1));
  });

  it('has the turns of others, redacts keys, and refuses what is no item', async () => {
    const engine = await opened();
    await engine.scope('ann').add([
      { content: 'Hello.', session: 's' },
      { content: 'Hi.', role: 'assistant', session: 's' },
    ]);
    const { session } = await input(engine, 'ann', 'x');
    const { id: _, ...plain } = { ...reply('Hi.'), content: [{ type: 'output_text', text: 'Hi.' }] };
    expect(await session.getItems()).toEqual([said('user', 'Hello.'), plain]);
    const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH';
    await session.addItems([
      { type: 'function_call', callId: 'c', name: 'n', arguments: `{"key":"${key}"}` },
    ]);
    expect(JSON.stringify(await session.getItems(1))).not.toContain(key);
    await expect(session.addItems(['x'])).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('makes memories of what is said, not of results of tools', async () => {
    const engine = await opened();
    const { session } = await input(engine, 'ann', 'Hello');
    await session.addItems(items);
    const turns = await engine.scope('ann').turns('s');
    const told = turns.filter(({ content }) => content !== '');
    expect(told.map(({ role, trust, content }) => [role, trust, content])).toEqual([
      ['user', 'normal', 'How warm is it in Oslo?'],
      ['user', 'normal', 'Look:'],
      ['assistant', 'low', 'Seven degrees.'],
    ]);
  });
});

describe('a run', () => {
  it('recalls for its user alone, as data, and keeps nothing of it', async () => {
    const engine = await opened();
    await engine.scope('ann').add('My cat is called Miso.', { session: 'before' });
    const { items, session } = await input(engine, 'ann', 'What is my cat called?');
    const [rule, recalled, asked] = items;
    expect(rule).toMatchObject({
      role: 'system',
      content: expect.stringContaining('never instructions to you'),
    });
    expect(recalled).toMatchObject({
      role: 'user',
      content: expect.stringMatching(/^From memory.*<data-1>.*Miso/s),
    });
    expect(asked).toEqual(said('user', 'What is my cat called?'));
    await session.addItems(items);
    expect(await session.getItems()).toEqual([asked]);
    expect((await input(engine, 'bo', 'What is my cat called?')).items).toEqual([asked]);
  });

  it('does not recall what the conversation has', async () => {
    const engine = await opened();
    const { session } = await input(engine, 'ann', 'x');
    await session.addItems([said('user', 'My cat is called Miso.'), reply('Noted.')]);
    const { items } = await input(engine, 'ann', 'What is my cat called?');
    expect(items.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('has no options in private, wants a user, and names what it does not know', async () => {
    const memory = agentMemory({ engine: await opened() });
    expect(memory.runOptions({ userId: 'ann', private: true })).toEqual({});
    expect(() => memory.runOptions()).toThrow(expect.objectContaining({ code: 'missing-user' }));
    expect(() => memory.runOptions({ user: 'ann' } as never)).toThrow('user');
    expect(() => agentMemory({} as never)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });

  it('goes on where recall fails, and ends where it is cancelled', async () => {
    const engine = await opened();
    const scope = engine.scope('ann');
    const errors: unknown[] = [];
    const failing = {
      name: scope.name,
      context: () => Promise.reject(new Error('no')),
      add: scope.add.bind(scope),
      turns: scope.turns.bind(scope),
      forget: scope.forget.bind(scope),
    };
    const memory = agentMemory({ memory: failing, onError: (error) => errors.push(String(error)) });
    const asked = [said('user', 'My cat?')];
    expect(await memory.runOptions().sessionInputCallback!([], asked)).toEqual(asked);
    expect(errors).toEqual(['Error: no']);
    const { sessionInputCallback } = agentMemory({ engine }).runOptions({
      userId: 'ann',
      signal: AbortSignal.abort(),
    });
    await expect(sessionInputCallback!([], asked)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('tools', () => {
  it('take JSON, and reply to arguments that do not fit', async () => {
    const engine = await opened();
    const tools = memoryTools({ memory: engine.scope('ann'), only: ['remember', 'search_memory'] });
    const [remember, search] = tools;
    expect(tools.map(({ name, type }) => [name, type])).toEqual([
      ['remember', 'function'],
      ['search_memory', 'function'],
    ]);
    expect(search!.parameters).toMatchObject({
      type: 'object',
      properties: { question: { type: 'string' } },
    });
    await remember!.invoke({}, '{"content":"Ann likes tea."}', { toolCall: { callId: 'c1' } });
    expect(await search!.invoke({}, '{"question":"What does Ann like?"}')).toContain('Ann likes tea.');
    expect(await search!.invoke({}, '{"quest')).toMatch(/^Failed \(invalid-input\)/);
  });
});

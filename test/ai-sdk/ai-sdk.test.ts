import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  generateText,
  type LanguageModel,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  wrapLanguageModel,
} from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test';
import { afterEach, describe, expect, it } from 'vitest';
import { type MemoryMiddlewareOptions, memoryMiddleware, memoryTools } from '../../src/ai-sdk/index.ts';
import { Mnemis } from '../../src/engine.ts';

const engines: Mnemis[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function openAt(path = ':memory:') {
  const engine = await Mnemis.open({ path, automatic: false });
  engines.push(engine);
  return engine;
}

type Content = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>['content'];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model of the AI SDK that gives these replies, one for each call. */
function scripted(...replies: readonly (string | Content)[]) {
  let at = 0;
  const next = (): Content => {
    const reply = replies[at++] ?? 'No more.';
    return typeof reply === 'string' ? [{ type: 'text', text: reply }] : reply;
  };
  const reasonOf = (content: Content) => ({
    unified: content.some(({ type }) => type === 'tool-call') ? ('tool-calls' as const) : ('stop' as const),
    raw: undefined,
  });
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const content = next();
      return { content, finishReason: reasonOf(content), usage, warnings: [] };
    },
    doStream: async () => {
      const content = next();
      const text = content.flatMap((part) => (part.type === 'text' ? part.text.split(/(?<= )/) : []));
      return {
        stream: convertArrayToReadableStream([
          { type: 'text-start', id: '1' },
          ...text.map((delta) => ({ type: 'text-delta' as const, id: '1', delta })),
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: reasonOf(content), usage },
        ]),
      };
    },
  });
}

function withMemory(model: MockLanguageModelV3, options: MemoryMiddlewareOptions) {
  const middleware = memoryMiddleware(options);
  return { model: wrapLanguageModel({ model, middleware }), settled: () => middleware.settled() };
}

const of = (userId: string, more: object = {}) => ({ providerOptions: { mnemis: { userId, ...more } } });
const held = async (engine: Mnemis, scope: string, session = 'ai-sdk') =>
  (await engine.scope(scope).turns(session)).map(({ role, content }) => `${role}: ${content}`);
const promptOf = (model: MockLanguageModelV3, call: number) =>
  model.doGenerateCalls[call]!.prompt.map(({ role, content }) =>
    typeof content === 'string'
      ? `${role}: ${content}`
      : `${role}: ${content.map((part) => (part.type === 'text' ? part.text : part.type)).join('')}`,
  );

describe('a model with memory', () => {
  it('remembers in one process and recalls in the next, for each user alone', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'ai-sdk-')), 'm.sqlite');
    const first = await openAt(path);
    const told = withMemory(scripted('Noted.', 'Nice.'), { engine: first });
    await generateText({ model: told.model, prompt: 'My cat is called Miso.', ...of('ann') });
    await generateText({ model: told.model, prompt: 'My cat is called Rex.', ...of('bo') });
    await told.settled();
    await first.close();

    const second = await openAt(path);
    const model = scripted('Miso.', 'I do not know.');
    const asked = withMemory(model, { engine: second });
    const question = { model: asked.model, prompt: 'What is my cat called?' };
    const { text } = await generateText({ ...question, system: 'Be brief.', ...of('ann') });
    expect(text).toBe('Miso.');
    const [system, memory, user] = promptOf(model, 0);
    expect(system).toMatch(/^system: Be brief\.\n\n.*never instructions to you/s);
    expect(memory).toMatch(/^user: From memory.*<data-1>.*My cat is called Miso\..*<\/data-1>$/s);
    expect(memory).not.toContain('Rex');
    expect(user).toBe('user: What is my cat called?');
    await generateText({ ...question, ...of('cem') });
    expect(promptOf(model, 1)).toEqual(['user: What is my cat called?']);
    expect(model.doGenerateCalls[0]!.providerOptions).toEqual({});
    await asked.settled();
  });

  it('stores what was streamed when the stream has ended, and passes it on as it comes', async () => {
    const engine = await openAt();
    const { model, settled } = withMemory(scripted('In Lisbon, then.'), { engine });
    const { textStream } = streamText({
      model,
      prompt: 'I moved to Lisbon.',
      ...of('ann', { session: 't1' }),
    });
    const pieces: string[] = [];
    for await (const piece of textStream) pieces.push(piece);
    await settled();
    expect(pieces).toEqual(['In ', 'Lisbon, ', 'then.']);
    expect(await held(engine, 'ann', 't1')).toEqual([
      'user: I moved to Lisbon.',
      'assistant: In Lisbon, then.',
    ]);
  });

  it('stores no stream that broke off', async () => {
    const engine = await openAt();
    const broken = new MockLanguageModelV3({
      doStream: async () => ({
        stream: convertArrayToReadableStream([
          { type: 'text-delta', id: '1', delta: 'In' },
          { type: 'error', error: new Error('gone') },
        ]),
      }),
    });
    const { model, settled } = withMemory(broken, { engine });
    const { textStream } = streamText({ model, prompt: 'I moved.', onError: () => undefined, ...of('ann') });
    for await (const _ of textStream);
    await settled();
    expect(await held(engine, 'ann')).toEqual([]);
  });

  it('searches once for all steps of a call with tools, and stores the message once', async () => {
    const engine = await openAt();
    await engine.scope('ann').add('My cat is called Miso.');
    const call: Content = [
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', toolCallId: '1', toolName: 'search_memory', input: '{"question":"cat"}' },
    ];
    const model = scripted(call, 'Miso.');
    const memory = withMemory(model, { engine });
    const agent = new ToolLoopAgent({
      model: memory.model,
      tools: memoryTools({ memory: engine.scope('ann'), only: ['search_memory'] }),
      stopWhen: stepCountIs(3),
      ...of('ann'),
    });
    const { text, steps } = await agent.generate({ prompt: 'Which cat do I have?' });
    expect([text, steps.length]).toEqual(['Miso.', 2]);
    const [result] = steps[0]!.toolResults;
    expect(result!.output).toContain('My cat is called Miso.');
    expect(promptOf(model, 1).slice(0, 3)).toEqual(promptOf(model, 0));
    await memory.settled();
    expect(await held(engine, 'ann')).toEqual([
      'user: Which cat do I have?',
      'assistant: I look.',
      'assistant: Miso.',
    ]);
  });

  it('does not recall what the prompt has, and stores a history once', async () => {
    const engine = await openAt();
    const model = scripted('Noted.', 'Miso.');
    const { model: remembering, settled } = withMemory(model, { engine });
    const first = { role: 'user' as const, content: 'My cat is called Miso.' };
    await generateText({ model: remembering, messages: [first], ...of('ann') });
    await settled();
    const messages = [
      first,
      { role: 'assistant' as const, content: 'Noted.' },
      { role: 'user' as const, content: 'What is my cat called?' },
    ];
    await generateText({ model: remembering, messages, ...of('ann') });
    await settled();
    expect(promptOf(model, 1).join('\n')).not.toContain('From memory');
    expect(await held(engine, 'ann')).toHaveLength(4);
  });

  it('recalls nothing that was forgotten since the question was last asked', async () => {
    const engine = await openAt();
    const memory = engine.scope('ann');
    await memory.add('My cat is called Miso.', { session: 'before' });
    const model = scripted('Miso.', 'I do not know.');
    const asked = withMemory(model, { engine, remember: false });
    const question = { model: asked.model, prompt: 'What is my cat called?', ...of('ann') };
    await generateText(question);
    await memory.forget({ session: 'before' });
    await generateText(question);
    const recalled = [0, 1].map((call) => promptOf(model, call).join('').includes('Miso'));
    expect(recalled).toEqual([true, false]);
  });

  it('neither reads nor writes in a private call, and says which options it does not know', async () => {
    const engine = await openAt();
    await engine.scope('ann').add('My cat is called Miso.');
    const model = scripted('Miso?');
    const memory = withMemory(model, { engine });
    await generateText({ model: memory.model, prompt: 'My cat?', ...of('ann', { private: true }) });
    await memory.settled();
    expect(promptOf(model, 0)).toEqual(['user: My cat?']);
    expect(await held(engine, 'ann')).toEqual([]);
    const call = (mnemis: object) =>
      generateText({ model: memory.model, prompt: 'x', providerOptions: { mnemis } as never, maxRetries: 0 });
    await expect(call({ user: 'ann' })).rejects.toThrow('user');
    await expect(call({})).rejects.toMatchObject({ code: 'missing-user' });
  });

  it('stores a run with a message that is too long for a turn, in part', async () => {
    const engine = await openAt();
    const errors: unknown[] = [];
    const { model, settled } = withMemory(scripted('Noted.'), {
      engine,
      onError: (error) => errors.push(String(error)),
    });
    await generateText({
      model,
      prompt: `My cat is called Miso. ${'lorem ipsum '.repeat(30_000)}`,
      ...of('ann'),
    });
    await settled();
    expect(errors).toEqual([]);
    expect((await held(engine, 'ann')).map((turn) => turn.slice(0, 28))).toEqual([
      'user: My cat is called Miso.',
      'assistant: Noted.',
    ]);
  });

  it('answers where memory fails', async () => {
    const engine = await openAt();
    const errors: unknown[] = [];
    const failing = {
      name: engine.scope('ann').name,
      context: () => Promise.reject(new Error('no')),
      add: () => Promise.reject(new Error('full')),
    };
    const memory = withMemory(scripted('Fine.'), {
      memory: failing,
      onError: (error) => errors.push(String(error)),
    });
    expect((await generateText({ model: memory.model, prompt: 'My cat?' })).text).toBe('Fine.');
    await memory.settled();
    expect(errors).toEqual(['Error: no', 'Error: full']);
    await engine.close();
  });
});

describe('tools', () => {
  it('remember, forget in two calls, and reply to failures', async () => {
    const engine = await openAt();
    const memory = engine.scope('ann');
    const tools = memoryTools({ memory });
    expect(Object.keys(tools)).toEqual(['search_memory', 'remember', 'forget', 'browse_memory']);
    const calls: Content[] = [
      [{ type: 'tool-call', toolCallId: '1', toolName: 'remember', input: '{"content":"Ann likes tea."}' }],
      [{ type: 'tool-call', toolCallId: '2', toolName: 'forget', input: '{"query":"tea"}' }],
    ];
    const model = scripted(...calls, 'Done.') as LanguageModel;
    const { steps } = await generateText({ model, tools, stopWhen: stepCountIs(4), prompt: 'Forget tea.' });
    expect((await memory.turns('remembered')).map(({ content, trust }) => [content, trust])).toEqual([
      ['Ann likes tea.', 'low'],
    ]);
    expect(steps[1]!.toolResults[0]!.output).toMatch(/confirm/);
    await engine.close();
    const search = tools.search_memory.execute({ question: 'tea' }, { toolCallId: '3' });
    expect(await search).toMatch(/^Failed \(/);
  });
});

import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { type AddInput, type MemoryScope, Mnemis } from '../../../src/index.ts';

async function memoryOf(): Promise<MemoryScope> {
  return (await Mnemis.open({ path: ':memory:', automatic: false })).scope('a');
}

async function stored(memory: MemoryScope, session = 'main') {
  return (await memory.turns(session)).map(({ role, content }) => `${role}: ${content}`);
}

const PICTURE = 'https://example.org/oslo.png';

describe('messages as chat libraries write them', () => {
  it.each<readonly [string, AddInput, object | null]>([
    [
      'OpenAI, content as blocks',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'I hate olives.' },
          { type: 'text', text: 'See this.' },
          { type: 'image_url', image_url: { url: PICTURE } },
        ],
      },
      { role: 'user', content: 'I hate olives.\nSee this.', attachments: [{ kind: 'image', uri: PICTURE }] },
    ],
    [
      'OpenAI, result of a tool',
      { role: 'tool', content: 'noon', tool_call_id: '1' },
      { role: 'tool', content: 'noon', trust: 'low' },
    ],
    [
      'OpenAI, calls of tools',
      { role: 'assistant', content: null, tool_calls: [{ id: '1', type: 'function' }] },
      null,
    ],
    [
      'OpenAI, a name',
      { role: 'user', name: 'Ann', content: 'I ski.' },
      { speaker: 'Ann', content: 'I ski.' },
    ],
    [
      'OpenAI, developer',
      { role: 'developer', content: 'Be brief.' },
      { role: 'system', content: 'Be brief.' },
    ],
    ['OpenAI, refusal', { role: 'assistant', content: null, refusal: 'I cannot.' }, { content: 'I cannot.' }],
    [
      'OpenAI, a file',
      { role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:…' } }] },
      { content: '', attachments: [{ kind: 'file', description: 'a.pdf' }] },
    ],
    [
      'Responses, a message',
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Noted.', annotations: [] }],
      },
      { role: 'assistant', content: 'Noted.', source: 'message' },
    ],
    [
      'Responses, an image',
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] },
      { role: 'user', attachments: [{ kind: 'image', description: 'image' }] },
    ],
    ['Responses, reasoning', { type: 'reasoning', id: 'rs_1', summary: [] }, null],
    ['Responses, a call', { type: 'function_call', call_id: 'c', name: 'clock', arguments: '{}' }, null],
    [
      'Responses, its result',
      { type: 'function_call_output', call_id: 'c', output: 'noon' },
      { role: 'tool', content: 'noon' },
    ],
    [
      'AI SDK, UIMessage',
      {
        id: 'u1',
        role: 'assistant',
        metadata: { nested: { any: 1 } },
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'Hm.' },
          { type: 'tool-clock', toolCallId: '1', state: 'output-available', input: {}, output: 'noon' },
          { type: 'text', text: 'It is noon.', state: 'done' },
          { type: 'file', mediaType: 'image/png', filename: 'sun.png', url: 'data:image/png;base64,AA' },
        ],
      },
      { role: 'assistant', content: 'It is noon.', attachments: [{ kind: 'image', description: 'sun.png' }] },
    ],
    [
      'AI SDK, UIMessage of version 4',
      {
        id: 'u2',
        role: 'user',
        content: 'Hi',
        parts: [{ type: 'text', text: 'Hi' }],
        createdAt: '2026-03-01T09:00:00Z',
      },
      { content: 'Hi', validAt: Date.UTC(2026, 2, 1, 9) },
    ],
    [
      'AI SDK, ModelMessage',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', image: new Uint8Array(2), mediaType: 'image/webp' },
        ],
      },
      { content: 'Look.', attachments: [{ kind: 'image', description: 'image/webp' }] },
    ],
    [
      'AI SDK, result of a tool',
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: '1',
            toolName: 'clock',
            output: { type: 'json', value: { hour: 12 } },
          },
        ],
      },
      { role: 'tool', content: '{"hour":12}' },
    ],
    [
      'Anthropic, pieces of a sentence',
      {
        id: 'msg_2',
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'The grass ' },
          { type: 'text', text: 'is green', citations: [] },
          { type: 'text', text: '.' },
          { type: 'tool_use', id: 't', name: 'clock', input: {} },
        ],
      },
      { role: 'assistant', content: 'The grass is green.' },
    ],
    [
      'Anthropic, results of tools',
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'noon' }] }],
      },
      { role: 'tool', content: 'noon', trust: 'low' },
    ],
    [
      'Anthropic, a result with words',
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: 'noon' },
          { type: 'text', text: 'Go on.' },
        ],
      },
      { role: 'user', content: 'Go on.' },
    ],
    [
      'Anthropic, a document',
      {
        role: 'user',
        content: [
          {
            type: 'document',
            title: 'Lease',
            source: { type: 'base64', media_type: 'application/pdf', data: 'AA' },
          },
        ],
      },
      { attachments: [{ kind: 'document', description: 'Lease' }] },
    ],
    [
      'Gemini',
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true },
          { text: 'Yes.' },
          { inlineData: { mimeType: 'audio/mp3', data: 'AA' } },
        ],
      },
      { role: 'assistant', content: 'Yes.', attachments: [{ kind: 'audio', description: 'audio/mp3' }] },
    ],
    ['roles of LangChain', { role: 'human', content: 'I ski.' }, { role: 'user', content: 'I ski.' }],
    ['a role of no conversation', { role: 'data', content: 'x', id: '1' }, null],
    [
      'OpenAI threads',
      {
        id: 'm',
        object: 'thread.message',
        created_at: 1_700_000_000,
        role: 'user',
        content: [{ type: 'text', text: 'Hi' }],
      } as AddInput,
      { content: 'Hi', validAt: 1_700_000_000_000 },
    ],
  ])('%s', async (_, message, expected) => {
    const memory = await memoryOf();
    const { outcomes } = await memory.add([message]);
    const turns = await memory.turns('main');
    if (expected === null) expect([outcomes[0]!.status, turns]).toEqual(['rejected', []]);
    else expect(turns).toMatchObject([expected]);
  });

  it('are not taken for turns with a mistake', async () => {
    const memory = await memoryOf();
    const misspelt = { role: 'user', content: 'I ski.', speeker: 'Ann' };
    await expect(memory.add(misspelt)).rejects.toThrow('speeker');
    await expect(
      memory.add({ role: 'user', content: 'x', name: 'Ann', session: 's' } as AddInput),
    ).rejects.toThrow('name');
  });

  it('with an id are stored once, however often they are sent', async () => {
    const memory = await memoryOf();
    const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'I ski.' }] };
    await memory.add([message]);
    expect(await memory.add([message, { ...message, id: 'u2' }])).toMatchObject({ known: 1, added: 1 });
  });
});

const user = (content: string) => ({ role: 'user' as const, content });
const assistant = (content: string) => ({ role: 'assistant' as const, content });

describe('a history that is sent with each request', () => {
  const ONE = [user('I ski.'), assistant('Where?')];
  const TWO = [...ONE, user('In Norway.'), assistant('Nice.')];
  const ALL = [...TWO, user('I ski.')];

  it('is stored once', async () => {
    const memory = await memoryOf();
    await memory.add(ONE.slice(0, 1));
    expect(await memory.add(TWO)).toMatchObject({ known: 1, added: 3 });
    expect(await memory.add(ALL)).toMatchObject({ known: 4, added: 1 });
    expect(await memory.add(ALL)).toMatchObject({ known: 5, added: 0 });
    expect(await stored(memory)).toEqual(ALL.map(({ role, content }) => `${role}: ${content}`));
  });

  it('by other names, with secrets and other metadata too', async () => {
    const memory = await memoryOf();
    const secret = user('My password is: hunter2horse');
    await memory.add([secret, assistant('Change it.')], { speaker: 'Ann', metadata: { request: '1' } });
    expect(
      await memory.add([secret, assistant('Change it.'), user('Done.')], { metadata: { request: '2' } }),
    ).toMatchObject({
      ...{ known: 2, added: 1, superseding: 0 },
    });
  });

  it('of LangChain, without ids, and in sessions of their own', async () => {
    const memory = await memoryOf();
    const messages = [new HumanMessage('I ski.'), new HumanMessage('In Norway.')];
    await memory.add(messages, { session: 's' });
    expect(await memory.add(messages, { session: 's' })).toMatchObject({ known: 2 });
    expect(await memory.add(messages, { session: 't' })).toMatchObject({ added: 2 });
  });

  it('in its last messages only, after instructions that change', async () => {
    const memory = await memoryOf();
    const system = (day: number) => ({ role: 'system' as const, content: `Today is day ${day}.` });
    await memory.add([system(1), ...TWO]);
    expect(await memory.add([system(2), ...ALL.slice(2)])).toMatchObject({ known: 2, added: 1, rejected: 1 });
    expect(await memory.add([system(3), ...ALL.slice(1), assistant('So you said.')])).toMatchObject({
      known: 4,
      added: 1,
    });
  });

  it('with a reply that was written again', async () => {
    const memory = await memoryOf();
    await memory.add(TWO);
    const again = [...TWO.slice(0, 3), assistant('Lovely.'), user('Yes.')];
    expect(await memory.add(again)).toMatchObject({ known: 3, added: 2, superseding: 0 });
    expect(await memory.add([...again, assistant('!')])).toMatchObject({ known: 5, added: 1 });
  });

  it('brings nothing back that was forgotten', async () => {
    for (const at of [0, 2, 3]) {
      const memory = await memoryOf();
      await memory.add(TWO);
      const { id } = (await memory.turns('main'))[at]!;
      await memory.forget({ episode: id });
      expect(await memory.add([...TWO, user('Bye.')])).toMatchObject({ known: 3, added: 1, rejected: 1 });
    }
    const memory = await memoryOf();
    await memory.add(TWO);
    await memory.forget({ all: true });
    expect(await memory.add(TWO)).toMatchObject({ rejected: 4 });
  });

  it('of which only a part was stored', async () => {
    const memory = await memoryOf();
    for (const { role, content } of TWO) if (role === 'user') await memory.add(user(content));
    expect(await memory.add(ALL)).toMatchObject({ known: 2, added: 2, rejected: 1 });
    expect(await memory.add(ALL)).toMatchObject({ known: 4, added: 0 });
  });

  it('is known at the beginning of many thousands of messages', async () => {
    const memory = await memoryOf();
    await memory.add(TWO);
    const long = Array.from({ length: 20_000 }, (_, at) => user(`Mail ${at}.`));
    expect(await memory.preview([...TWO, ...long])).toMatchObject({ known: 4, added: 20_000 });
  });

  it('is no other conversation, and what is said again is heard', async () => {
    const memory = await memoryOf();
    await memory.add(TWO);
    expect(await memory.add([user('I swim.'), assistant('Where?')])).toMatchObject({ added: 2 });
    expect(await memory.add([user('In Norway.'), assistant('Nice.')])).toMatchObject({ added: 2 });
    expect(await memory.add(user('In Norway.'))).toMatchObject({ added: 1 });
    expect(await memory.add(['I ski.', 'I ski.'])).toMatchObject({ added: 2 });
    const timed = { ...user('I ski.'), at: '2026-03-01' };
    expect(await memory.add([timed, { ...timed, content: 'Often.' }])).toMatchObject({ added: 2 });
  });
});

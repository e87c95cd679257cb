import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { imported, iso, lines, T, tree } from './imported.ts';
import { temporaryFolder } from './temporary-file.ts';
import { writeZip } from './zip-files.ts';

describe('Open WebUI', () => {
  const message = (id: string, parentId: string | null, more: object) => ({
    [id]: { id, parentId, childrenIds: [], timestamp: T / 1000, ...more },
  });
  const chat = {
    id: 'c1',
    title: 'Oboe',
    created_at: T / 1000,
    chat: {
      history: {
        currentId: 'a2',
        messages: {
          ...message('u', null, {
            role: 'user',
            content: 'I play the oboe.',
            files: [{ type: 'image', name: 'oboe.png' }],
          }),
          ...message('a1', 'u', { role: 'assistant', content: 'Old answer.' }),
          ...message('a2', 'u', {
            role: 'assistant',
            content: '<details type="reasoning" done="true">\n> thinks\n</details>\nHow nice.',
          }),
        },
      },
    },
  };

  it('reads the branch shown last, without what the model thought', async () => {
    using folder = temporaryFolder();
    const read = await imported(folder.json([chat]), { me: 'Nora' });
    expect(read.name).toBe('open-webui');
    expect(read.said).toEqual(['open-webui/c1 Nora: I play the oboe.', 'open-webui/c1 assistant: How nice.']);
    expect(read.titles).toEqual(['Oboe', 'Oboe']);
    expect(read.turns[0]).toMatchObject({
      at: new Date(T),
      attachments: [{ kind: 'image', description: 'oboe.png' }],
    });
    expect(read.leftOut).toEqual(['conversation 1, message 2: on a branch that is not the one shown last']);
    expect((await imported(folder.json([chat]), { branches: 'all' })).said).toContain(
      'open-webui/c1/branch-a1 assistant: Old answer.',
    );
  });

  it('reads a chat without a history, and rejects what is no message and a second chat of the id', async () => {
    using folder = temporaryFolder();
    const flat = {
      id: 'c2',
      title: 'Flat',
      chat: { messages: [{ role: 'user', content: 'Hi.', timestamp: T / 1000 }, { content: 1 }] },
    };
    const read = await imported(folder.json([flat, flat]));
    expect(read.said).toEqual(['open-webui/c2 user: Hi.']);
    expect(read.rejected).toEqual([
      expect.stringMatching(/^conversation 1, message 2: role/),
      expect.stringMatching(/^conversation 2, message 2: role/),
      'conversation 2: an earlier conversation has the same id',
    ]);
  });
});

describe('LibreChat', () => {
  const user = {
    messageId: 'm1',
    parentMessageId: '0',
    isCreatedByUser: true,
    text: 'Hello.',
    createdAt: iso(0),
  };
  const reply = {
    ...{ messageId: 'm2', parentMessageId: 'm1', isCreatedByUser: false, text: '', createdAt: iso(1) },
    content: [
      { type: 'think', think: 'hm' },
      { type: 'text', text: { value: 'Good day.' } },
    ],
  };
  it.each([
    ['a list', [user, reply]],
    ['a tree', [{ ...user, children: [reply] }]],
  ])('reads %s of messages', async (_, messages) => {
    using folder = temporaryFolder();
    const read = await imported(
      folder.json({ conversationId: 'c', title: 'Talk', endpoint: 'openAI', messages }),
    );
    expect(read.name).toBe('librechat');
    expect(read.said).toEqual(['librechat/c user: Hello.', 'librechat/c assistant: Good day.']);
    expect(read.turns.map(({ at }) => at)).toEqual([new Date(T), new Date(T + 60_000)]);
    expect(read.ids).toEqual(['c/m1', 'c/m2']);
  });
});

describe('LM Studio', () => {
  it('reads the version shown last, without thoughts and tools', async () => {
    using folder = temporaryFolder();
    const block = (text: string) => [{ type: 'text', text }];
    const path = folder.write(
      '1700000000000.conversation.json',
      JSON.stringify({
        name: 'Qwen chat',
        createdAt: T,
        messages: [
          { versions: [{ type: 'singleStep', role: 'user', content: block('Hi.') }], currentlySelected: 0 },
          {
            currentlySelected: 1,
            versions: [
              {
                type: 'multiStep',
                role: 'assistant',
                steps: [{ type: 'contentBlock', content: block('First try.') }],
              },
              {
                type: 'multiStep',
                role: 'assistant',
                steps: [
                  { type: 'contentBlock', style: { type: 'thinking' }, content: block('Let me see.') },
                  { type: 'toolStatus' },
                  { type: 'contentBlock', content: block('Hello!') },
                ],
              },
            ],
          },
          { versions: [] },
        ],
      }),
    );
    const read = await imported(path);
    expect(read.name).toBe('lm-studio');
    expect(read.said).toEqual([
      'lm-studio/1700000000000 user: Hi.',
      'lm-studio/1700000000000 assistant: Hello!',
    ]);
    expect(read.turns.map(({ at }) => at)).toEqual([new Date(T), new Date(T)]);
    expect(read.rejected).toHaveLength(1);
  });
});

describe('Jan', () => {
  it('reads threads with their titles', async () => {
    using folder = temporaryFolder();
    const message = (id: string, role: string, value: string) => ({
      ...{ id, role, thread_id: 't1', object: 'thread.message', created_at: T },
      content: [{ type: 'text', text: { value, annotations: [] } }],
    });
    const path = tree(folder.path, {
      'threads/t1/messages.jsonl': `${lines(message('1', 'user', 'I like tea.'), message('2', 'assistant', 'Noted.'))}\nbroken\n`,
      'threads/t1/thread.json': JSON.stringify({ id: 't1', title: 'Drinks', object: 'thread' }),
    });
    const read = await imported(path);
    expect(read.name).toBe('jan');
    expect(read.said).toEqual(['jan/t1 user: I like tea.', 'jan/t1 assistant: Noted.']);
    expect(read.titles).toEqual(['Drinks', 'Drinks']);
    expect(read.rejected).toEqual([expect.stringMatching(/^threads\/t1\/messages.jsonl, line 3: /)]);
  });
});

describe('Cherry Studio', () => {
  it('reads a backup with the titles of its topics', async () => {
    using folder = temporaryFolder();
    const assistants = JSON.stringify({
      assistants: [{ id: 'a', topics: [{ id: 't1', name: '测试会话' }] }],
    });
    const backup = {
      time: T,
      version: 5,
      localStorage: { 'persist:cherry-studio': JSON.stringify({ assistants, llm: '{}' }) },
      indexedDB: {
        topics: [
          {
            id: 't1',
            messages: [
              { id: 'm1', role: 'user', content: '你好', createdAt: iso(0) },
              { id: 'm2', role: 'assistant', content: '', blocks: ['b0', 'b1'], createdAt: iso(1) },
            ],
          },
          { id: 't2' },
        ],
        message_blocks: [
          { id: 'b0', messageId: 'm2', type: 'thinking', content: 'hm' },
          { id: 'b1', messageId: 'm2', type: 'main_text', content: 'Hello, here is Cherry.' },
        ],
      },
    };
    const entries = [{ name: 'data.json', content: JSON.stringify(backup) }];
    const path = await writeZip(join(folder.path, 'cherry.zip'), entries);
    const read = await imported(path);
    expect(read.name).toBe('cherry-studio');
    expect(read.said).toEqual([
      'cherry-studio/t1 user: 你好',
      'cherry-studio/t1 assistant: Hello, here is Cherry.',
    ]);
    expect(read.titles).toEqual(['测试会话', '测试会话']);
    expect(read.rejected).toEqual([expect.stringMatching(/^topic 2: /)]);
  });
});

describe('Claude Code', () => {
  const line = (uuid: string, type: string, content: unknown, more: object = {}) => ({
    ...{
      uuid,
      type,
      parentUuid: null,
      sessionId: 's1',
      cwd: '/home/a/shop',
      timestamp: iso(0),
      isSidechain: false,
    },
    message: { role: type, content },
    ...more,
  });

  it('reads what was said, not what tools, sub-agents and the program wrote', async () => {
    using folder = temporaryFolder();
    const path = folder.write(
      's1.jsonl',
      lines(
        { type: 'summary', summary: 'Shop', leafUuids: ['u1'] },
        line('u1', 'user', '<system-reminder>be nice</system-reminder>Use pnpm here.'),
        line('a1', 'assistant', [{ type: 'thinking', thinking: 'hm' }]),
        line('a2', 'assistant', [{ type: 'text', text: 'I will.' }]),
        line('a3', 'assistant', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }]),
        line('u2', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'package.json' }]),
        line('u3', 'user', 'Explore.', { isSidechain: true }),
        line('u4', 'user', 'Caveat: …', { isMeta: true }),
        line('u5', 'user', 'This session continues …', { isCompactSummary: true }),
        line('u6', 'user', '<command-name>/clear</command-name>'),
        line('u7', 'user', '[Request interrupted by user]'),
      ),
    );
    const read = await imported(path, { me: 'Ann' });
    expect(read.name).toBe('claude-code');
    expect(read.said).toEqual(['claude-code/s1 Ann: Use pnpm here.', 'claude-code/s1 Claude: I will.']);
    expect(read.titles).toEqual(['shop', 'shop']);
    expect(read.ids).toEqual(['u1', 'a2']);
    expect(read.leftOut.map((each) => each.replace(/^.*: /, ''))).toEqual([
      'a record of the program, which is no message',
      'an empty message',
      'an empty message',
      'what a tool returned',
      'the work of a sub-agent',
      'a note of the program to its model',
      'a summary of what was said before',
      'an empty message',
      'an empty message',
    ]);
  });

  it('knows a message again that a resumed session repeats', async () => {
    using folder = temporaryFolder();
    const path = tree(folder.path, {
      'one.jsonl': lines(line('u1', 'user', 'Hello.')),
      'two.jsonl': lines(
        line('u1', 'user', 'Hello.', { sessionId: 's2' }),
        line('u2', 'user', 'And now?', { sessionId: 's2' }),
      ),
    });
    const { ids } = await imported(path);
    expect(ids).toEqual(['u1', 'u1', 'u2']);
  });
});

describe('Codex', () => {
  it('reads messages, without the context that the program puts first', async () => {
    using folder = temporaryFolder();
    const item = (role: string, text: string) => ({
      ...{ timestamp: iso(1), type: 'response_item' },
      payload: {
        type: 'message',
        role,
        content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
      },
    });
    const path = folder.write(
      'rollout-2026-03-01T10-00-00-abc.jsonl',
      lines(
        {
          timestamp: iso(0),
          type: 'session_meta',
          payload: { id: 'abc', cwd: 'C:\\work\\shop', cli_version: '0.77.0' },
        },
        item('developer', 'Be brief.'),
        item('user', '<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'),
        item('user', 'Fix the till.'),
        { timestamp: iso(1), type: 'event_msg', payload: { type: 'user_message', message: 'Fix the till.' } },
        {
          timestamp: iso(1),
          type: 'response_item',
          payload: { type: 'function_call', name: 'shell', arguments: '{}' },
        },
        item('assistant', 'Fixed.'),
      ),
    );
    const read = await imported(path);
    expect(read.name).toBe('codex');
    expect(read.said).toEqual(['codex/abc user: Fix the till.', 'codex/abc Codex: Fixed.']);
    expect(read.titles).toEqual(['shop', 'shop']);
    expect(read.leftOut).toHaveLength(5);
  });
});

describe('Gemini', () => {
  const activity = (minute: number, title: string, html?: string) => ({
    ...{ header: 'Gemini Apps', products: ['Gemini Apps'], title, time: iso(minute) },
    ...(html !== undefined && { safeHtmlItem: [{ html }] }),
  });

  it('puts questions of half an hour into one chat, the oldest first', async () => {
    using folder = temporaryFolder();
    const path = folder.write(
      'MyActivity.json',
      JSON.stringify([
        activity(120, 'Prompted And in Rome?'),
        activity(
          10,
          'Prompted And tomorrow? Attached 1 file.',
          '<p>Rain &amp; wind.</p><ul><li>cold</li></ul>',
        ),
        activity(0, 'Prompted What is the weather?', '<p>Sun.</p>'),
        activity(1, 'Gave feedback: Good response'),
        { header: 'Search', products: ['Search'], title: 'Searched for tea', time: iso(2) },
        { header: 'Gemini Apps', products: ['Gemini Apps'], title: 'Prompted Lost' },
      ]),
    );
    const read = await imported(path, { me: 'Ann' });
    expect(read.name).toBe('gemini');
    expect(read.said).toEqual([
      'gemini/2026-03-01T10:00:00 Ann: What is the weather?',
      'gemini/2026-03-01T10:00:00 Gemini: Sun.',
      'gemini/2026-03-01T10:00:00 Ann: And tomorrow?',
      'gemini/2026-03-01T10:00:00 Gemini: Rain & wind.\n\n- cold',
      'gemini/2026-03-01T12:00:00 Ann: And in Rome?',
    ]);
    expect(read.leftOut).toHaveLength(2);
    expect(read.rejected).toEqual(['activity 6: time: is missing']);
    expect(read.notes[0]).toMatch(/half an hour/);
  });

  it('says how to get JSON where the page of activity was brought', async () => {
    using folder = temporaryFolder();
    const page = '<html><div class="mdl-typography--title">Gemini Apps</div></html>';
    const path = folder.write('MyActivity.html', page);
    await expect(imported(path)).rejects.toThrow(/ask Takeout again with “JSON”/);
  });
});

describe('messages of chat libraries', () => {
  it.each<[string, unknown]>([
    [
      'a list',
      [
        { role: 'user', content: 'I like tea.' },
        { role: 'assistant', content: [{ type: 'text', text: 'Noted.' }] },
      ],
    ],
    [
      'an object',
      {
        model: 'm',
        messages: [
          { role: 'user', parts: [{ type: 'text', text: 'I like tea.' }] },
          { role: 'assistant', content: 'Noted.' },
        ],
      },
    ],
  ])('reads %s, and leaves out instructions and calls', async (_, value) => {
    using folder = temporaryFolder();
    const more = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '21 °C' },
      { weather: 'fine' },
    ];
    const all = Array.isArray(value)
      ? [...value, ...more]
      : {
          ...(value as { messages: unknown[] }),
          messages: [...(value as { messages: unknown[] }).messages, ...more],
        };
    const path = folder.write('talk.json', JSON.stringify(all));
    const read = await imported(path, { me: 'Ann' });
    expect(read.name).toBe('messages');
    expect(read.said).toEqual(['messages/talk Ann: I like tea.', 'messages/talk assistant: Noted.']);
    expect(read.leftOut.map((each) => each.replace(/^.*: /, '')).sort()).toEqual([
      'instructions for a model',
      'the message has no text',
      'what a tool returned',
    ]);
    expect(read.rejected).toEqual([expect.stringMatching(/no message of a conversation/)]);
  });
});

import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatGptImporter } from '../../src/importers/chatgpt/chatgpt.ts';
import { claudeImporter } from '../../src/importers/claude/claude.ts';
import { detectFormat } from '../../src/importers/detect-format.ts';
import type { Importer, ImportSettings } from '../../src/importers/importer.ts';
import { readAll, rejectionsOf, temporaryFolder, turnsOf } from './temporary-file.ts';
import { writeZip } from './zip-files.ts';

const CHANGED = new Date('2026-05-05T00:00:00Z');

async function read(value: unknown, importer: Importer = chatGptImporter, settings: ImportSettings = {}) {
  using folder = temporaryFolder();
  const path = folder.json(value);
  utimesSync(path, CHANGED, CHANGED);
  const [leftOut, notes]: [string[], string[]] = [[], []];
  const records = await readAll(importer, path, {
    settings,
    onLeftOut: ({ reason }) => leftOut.push(reason),
    onNote: (note) => notes.push(note),
  });
  const turns = turnsOf(records);
  const times = turns.map(({ at }) => (at as Date).toISOString().slice(0, 19));
  return {
    said: turns.map(({ content }) => content),
    times,
    leftOut,
    notes,
    rejections: rejectionsOf(records),
  };
}

const message = (content: object, role = 'user') => ({
  author: { role },
  create_time: 1_772_359_201,
  content,
});
const ofMessage = (content: object, role?: string) =>
  read({ id: 'c', mapping: { a: { message: message(content, role) } } });

describe('kinds of content of ChatGPT', () => {
  it.each<[content: object, text: string]>([
    [{ content_type: 'super_new_2026', blocks: [{ text: 'I moved to Paris' }] }, 'I moved to Paris'],
    [{ content_type: 'super_new_2026', parts: ['I moved to Paris'] }, 'I moved to Paris'],
    [{ content_type: 'super_new_2026', parts: [{ text: 'I moved to Paris' }] }, 'I moved to Paris'],
    [{ content_type: 'super_new_2026', text: 'I moved to Paris' }, 'I moved to Paris'],
    [
      { content_type: 'super_new_2026', payload: { body: { paragraphs: ['I moved', 'to Paris'] } } },
      'I moved\nto Paris',
    ],
    [{ content_type: 'super_new_2026', payload: { remark: 'I moved to Paris' } }, 'I moved to Paris'],
    [{ content_type: 'canvas', title: 'Plan', document: { content: 'Buy a kiln' } }, 'Plan\nBuy a kiln'],
    [
      {
        content_type: 'multimodal_text',
        parts: [{ content_type: 'new_part', value: { text: 'I moved to Rome' } }],
      },
      'I moved to Rome',
    ],
    [
      { content_type: 'multimodal_text', parts: ['Hello', { content_type: 'new_part', caption: 'My kiln' }] },
      'Hello\n\nMy kiln',
    ],
    [
      {
        content_type: 'multimodal_text',
        parts: [{ content_type: 'audio_transcription', text: 'I adopted a cat', direction: 'in' }],
      },
      'I adopted a cat',
    ],
    [{ content_type: 'text', parts: ['', null, 'after'] }, 'after'],
    [{ content_type: null, parts: ['I moved'] }, 'I moved'],
  ])('keeps the text of %j', async (content, text) => {
    expect(await ofMessage(content)).toMatchObject({ said: [text], leftOut: [] });
  });

  it.each<[role: string, content: object, text: string]>([
    ['tool', { content_type: 'execution_output', text: '42' }, '42'],
    [
      'tool',
      { content_type: 'tether_quote', title: 'Kilns', url: 'https://k.example', text: 'Cracks' },
      'Kilns\nhttps://k.example\nCracks',
    ],
    ['tool', { content_type: 'tether_browsing_display', result: 'A page' }, 'A page'],
    ['tool', { content_type: 'tether_new', lines: ['A page'] }, 'A page'],
    ['assistant', { content_type: 'code', language: 'py', text: 'x' }, '```py\nx\n```'],
    [
      'assistant',
      { content_type: 'citable_code_output', output_str: 'The answer is 42' },
      'The answer is 42',
    ],
  ])('keeps what a %s wrote in %j', async (role, content, text) => {
    expect(await ofMessage(content, role)).toMatchObject({ said: [text], leftOut: [] });
  });

  it.each<[content: object, reasons: string[], said?: string[]]>([
    [
      { content_type: 'super_new_2026', blocks: [{ id: 7 }] },
      ['a message of the unknown kind "super_new_2026"'],
    ],
    [{ content_type: 'super new', x: 1 }, ['a message of an unknown kind']],
    [
      { content_type: 'multimodal_text', parts: [{ content_type: 'hologram', id: 'x' }] },
      ['a part of the unknown kind "hologram"'],
    ],
    [
      { content_type: 'multimodal_text', parts: [{ x: 1 }, 7] },
      ['a part of an unknown kind', 'a part of an unknown kind'],
    ],
    [
      { content_type: 'multimodal_text', parts: ['See', { content_type: 'hologram' }] },
      ['a part of the unknown kind "hologram"'],
      ['See'],
    ],
    [
      { content_type: 'thoughts', thoughts: [{ summary: 'I think', content: 'so' }] },
      ['reasoning of a model'],
    ],
    [{ content_type: 'reasoning_recap', content: 'Thought for 7 s' }, ['reasoning of a model']],
    [{ content_type: 'reasoning_new', text: 'Hm' }, ['reasoning of a model']],
    [{ content_type: 'user_editable_context', user_profile: 'I like tea' }, ['custom instructions']],
    [{ content_type: 'user_editable_context_v2', user_profile: 'I like tea' }, ['custom instructions']],
    [
      { content_type: 'model_editable_context', model_set_context: 'Likes tea' },
      ['content of ChatGPT’s own memory'],
    ],
    [{ content_type: 'system_error', text: 'Failed' }, ['an error of ChatGPT']],
    [{ content_type: 'text', parts: [''] }, ['an empty message']],
    [{ content_type: 'code', text: '' }, ['an empty message']],
  ])('counts %j by its name', async (content, leftOut, said = []) => {
    expect(await ofMessage(content)).toMatchObject({ said, leftOut });
  });
});

describe('kinds of blocks of Claude', () => {
  const ofBlocks = (...content: object[]) =>
    read(
      {
        uuid: 'c',
        chat_messages: [{ uuid: 'm', sender: 'human', created_at: '2026-03-01T10:00:00Z', content }],
      },
      claudeImporter,
    );

  it('keeps text in unknown ones, and counts others by their names', async () => {
    const blocks = [
      { type: 'text', text: 'One' },
      { type: 'voice_note', transcript: 'Two' },
      { type: 'checklist', items: [{ label: 'Three' }] },
      { type: 'hologram', id: 7 },
      { type: 'server_tool_use', input: { query: 'a long query' } },
      { type: 'web_search_tool_result', content: [{ title: 'A page', text: 'Its text' }] },
      { type: 'redacted_thinking', data: 'some words here' },
      { type: 'text', text: '' },
    ];
    expect(await ofBlocks(...blocks)).toMatchObject({
      said: ['One\n\nTwo\n\nThree'],
      leftOut: [
        'a block of the unknown kind "hologram"',
        'the call of a tool',
        'what a tool returned',
        'reasoning of a model',
      ],
    });
  });
});

describe('chats that stay out', () => {
  const chat = (id: string, flags: object) => ({
    id,
    ...flags,
    mapping: { a: { message: message({ content_type: 'text', parts: [id] }) } },
  });

  it('are the temporary ones and those not to be remembered, unless they are asked for', async () => {
    const chats = [
      chat('plain', { is_do_not_remember: false, is_temporary_chat: false }),
      chat('a', { is_do_not_remember: true }),
      chat('b', { is_temporary_chat: true }),
      chat('c', { is_temporary: true }),
      chat('d', { do_not_remember: 'true' }),
      chat('e', { is_do_not_remember: null, temporary: 1 }),
      chat('f', { is_archived: true, is_starred: true, is_study_mode: true }),
    ];
    const left = await read(chats);
    expect(left.said).toEqual(['plain', 'f']);
    expect(left.leftOut).toEqual([
      'a chat that is not to be remembered',
      'a temporary chat',
      'a temporary chat',
      'a chat that is not to be remembered',
      'a temporary chat',
    ]);
    const asked = await read(chats, chatGptImporter, { includeTemporary: true });
    expect(asked).toMatchObject({ said: ['plain', 'a', 'b', 'c', 'd', 'e', 'f'], leftOut: [] });
  });

  it('do not hide entries that are no chats', async () => {
    expect((await read([null, 7, 'x', { is_temporary: true }])).rejections).toHaveLength(4);
  });

  it('are also those of Claude', async () => {
    const chats = [
      {
        uuid: 'c',
        is_temporary: true,
        chat_messages: [{ uuid: 'm', sender: 'human', text: 'hi', created_at: '2026-03-01T10:00:00Z' }],
      },
    ];
    expect(await read(chats, claudeImporter)).toMatchObject({ said: [], leftOut: ['a temporary chat'] });
    expect(await read(chats, claudeImporter, { includeTemporary: true })).toMatchObject({ said: ['hi'] });
  });
});

describe('chats without times', () => {
  const note = 'Chats without any time get that of the chat before them in the file, else that of the file';
  const chat = (id: string, times: (number | string | null)[], more = {}) => {
    const nodes = times.map((create_time, at) => [
      `${id}${at}`,
      {
        parent: at === 0 ? null : `${id}${at - 1}`,
        message: { ...message({ content_type: 'text', parts: [`${id}${at}`] }), create_time },
      },
    ]);
    return { id, mapping: Object.fromEntries(nodes), current_node: `${id}${times.length - 1}`, ...more };
  };

  it('get that of a neighbour, in the order of the messages', async () => {
    const chats = [
      chat('a', [null, null]),
      chat('b', [null, 1_772_359_200, null]),
      chat('c', [null, null], { create_time: null, update_time: 1_772_359_900 }),
      chat('d', [null, null]),
      chat('e', [null], { create_time: 'soon', update_time: 1_772_359_950 }),
      chat('f', ['2026-03-02T10:00:00Z']),
    ];
    expect(await read(chats)).toEqual({
      said: ['a0', 'a1', 'b0', 'b1', 'b2', 'c0', 'c1', 'd0', 'd1', 'e0', 'f0'],
      times: [
        ...['2026-05-05T00:00:00', '2026-05-05T00:00:00'],
        ...['2026-03-01T10:00:00', '2026-03-01T10:00:00', '2026-03-01T10:00:00'],
        ...['2026-03-01T10:11:40', '2026-03-01T10:11:40', '2026-03-01T10:11:40', '2026-03-01T10:11:40'],
        ...['2026-03-01T10:12:30', '2026-03-02T10:00:00'],
      ],
      leftOut: [],
      notes: [note],
      rejections: [],
    });
  });

  it('get that of the file for Claude too', async () => {
    const chats = [{ uuid: 'c', chat_messages: [{ uuid: 'm', sender: 'human', text: 'hi' }] }];
    expect(await read(chats, claudeImporter)).toMatchObject({
      said: ['hi'],
      times: ['2026-05-05T00:00:00'],
      notes: [note],
    });
    const updated = [{ ...chats[0], updated_at: '2026-03-01T10:00:00Z' }];
    expect(await read(updated, claudeImporter)).toMatchObject({ times: ['2026-03-01T10:00:00'], notes: [] });
  });
});

describe('files of an export', () => {
  const NAMES = [
    'conversations.json',
    'conversations-000.json',
    'conversations_001.json',
    'conversations (1).json',
    'conversations(2).json',
    'conversations.part2.json',
    'conversations copy.json',
    'Conversations 3.json',
    'User Online Activity/Conversations__ab12/conversations_001.json',
  ];
  const chats = [{ id: 'c', mapping: { a: { message: message({ content_type: 'text', parts: ['hi'] }) } } }];

  it.each(NAMES)('may have the name %s in an archive', async (name) => {
    using folder = temporaryFolder();
    const entries = [
      { name: 'user.json', content: '{"id":"u"}' },
      { name: 'shared_conversations.json', content: '[{"id":"s","conversation_id":"c"}]' },
      { name: 'conversation_asset_file_names.json', content: '{"file-1":"a.png"}' },
      { name, content: JSON.stringify(chats) },
    ];
    const path = await writeZip(join(folder.path, 'export.zip'), entries);
    const { importer } = await detectFormat(path);
    expect(importer.name).toBe('chatgpt');
    const records = await readAll(importer, path);
    expect([turnsOf(records).length, rejectionsOf(records)]).toEqual([1, []]);
  });
});

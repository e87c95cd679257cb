import { describe, expect, it } from 'vitest';
import { imported, lines, T, tree } from './imported.ts';
import { temporaryFolder } from './temporary-file.ts';

describe('Slack', () => {
  const at = (minutes: number) => `${T / 1000 + minutes * 60}.000100`;
  const users = [
    { id: 'U1', team_id: 'T', name: 'ann', profile: { real_name: 'Ann Lee', display_name: '' } },
    { id: 'U2', team_id: 'T', name: 'bob', profile: { real_name: '', display_name: 'Bob' } },
  ];
  const days = {
    'users.json': JSON.stringify(users),
    'channels.json': JSON.stringify([{ id: 'C1', name: 'general', members: ['U1'] }]),
    'general/2026-03-01.json': JSON.stringify([
      {
        type: 'message',
        user: 'U1',
        text: 'Hi <@U2>, see <https://a.example|the plan> &amp; <#C2|random>.',
        ts: at(0),
      },
      {
        type: 'message',
        user: 'U2',
        text: 'Will do.',
        ts: at(1),
        files: [{ name: 'plan.png', mimetype: 'image/png' }],
      },
      {
        type: 'message',
        subtype: 'channel_join',
        user: 'U2',
        text: '<@U2> has joined the channel',
        ts: at(2),
      },
      { type: 'message', subtype: 'bot_message', username: 'CI', text: 'Build passed.', ts: at(3) },
      { type: 'message', user: 'U9', text: 'Who am I?', ts: at(4) },
      { type: 'message', text: 'no time' },
    ]),
  };

  it('reads channels with the names of people, and says what it left out', async () => {
    using folder = temporaryFolder();
    const read = await imported(tree(folder.path, days), { me: 'Ann Lee' });
    expect(read.name).toBe('slack');
    expect(read.said).toEqual([
      'slack/general Ann Lee: Hi @Bob, see the plan & #random.',
      'slack/general Bob: Will do.',
      'slack/general CI: Build passed.',
      'slack/general U9: Who am I?',
    ]);
    expect(read.turns.map(({ role }) => role)).toEqual(['user', 'other', 'other', 'other']);
    expect(read.turns[1]).toMatchObject({ attachments: [{ kind: 'image', description: 'plan.png' }] });
    expect(read.titles[0]).toBe('#general');
    expect(read.leftOut).toEqual(['general/2026-03-01.json, message 3: a note of Slack, such as who joined']);
    expect(read.rejected).toEqual([expect.stringMatching(/message 6: ts/)]);
  });

  it('reads one day without the list of people', async () => {
    using folder = temporaryFolder();
    const path = folder.write('2026-03-01.json', days['general/2026-03-01.json']);
    const read = await imported(path, { conversation: 'team' });
    expect(read.said[0]).toBe('slack/team U1: Hi @U2, see the plan & #random.');
  });
});

describe('Discord', () => {
  it('reads a channel of DiscordChatExporter', async () => {
    using folder = temporaryFolder();
    const message = (id: string, content: string, more: object = {}) => ({
      ...{ id, type: 'Default', timestamp: '2026-03-01T10:00:00.123+00:00', content, attachments: [] },
      author: { id: '9', name: 'ann_l', nickname: 'Ann', isBot: false },
      ...more,
    });
    const path = folder.json({
      guild: { id: '1', name: 'Allotment' },
      channel: { id: '2', type: 'GuildTextChat', name: 'seeds' },
      messages: [
        message('3', 'I sow beans.', {
          attachments: [{ id: '5', url: 'https://cdn.example/b.png', fileName: 'b.png' }],
        }),
        message('4', 'pinned', { type: 'ChannelPinnedMessage' }),
        message('5', 'Beep.', { author: { id: '8', name: 'Helper', isBot: true } }),
        { id: '6' },
      ],
      messageCount: 4,
    });
    const read = await imported(path);
    expect(read.name).toBe('discord');
    expect(read.said).toEqual(['discord/2 Ann: I sow beans.', 'discord/2 Helper: Beep.']);
    expect(read.turns.map(({ role }) => role)).toEqual(['user', 'other']);
    expect(read.titles[0]).toBe('Allotment #seeds');
    expect(read.turns[0]?.attachments).toEqual([
      { kind: 'image', description: 'b.png', uri: 'https://cdn.example/b.png' },
    ]);
    expect(read.leftOut).toEqual(['message 2: a note of Discord, such as who joined']);
    expect(read.rejected).toHaveLength(1);
  });

  it('reads one’s own messages of the package that Discord sends', async () => {
    using folder = temporaryFolder();
    const own = [
      { ID: 1139, Timestamp: '2026-03-01 10:00:00', Contents: 'My beans are up.', Attachments: '' },
    ];
    const path = tree(folder.path, {
      'messages/c42/channel.json': JSON.stringify({ id: '42', type: 'GUILD_TEXT', name: 'seeds' }),
      'messages/c42/messages.json': JSON.stringify(own),
    });
    const read = await imported(path, { me: 'Ann' });
    expect(read.said).toEqual(['discord/42 Ann: My beans are up.']);
    expect(read.turns[0]?.at).toEqual(new Date(T));
  });
});

describe('Signal', () => {
  it('reads its own export', async () => {
    using folder = temporaryFolder();
    const item = (authorId: string, body: string, more: object = {}) => ({
      chatItem: { chatId: '5', authorId, dateSent: String(T), standardMessage: { text: { body } }, ...more },
    });
    const path = tree(folder.path, {
      'main.jsonl': lines(
        { version: '1', backupTimeMs: String(T) },
        { account: { givenName: 'Ann' } },
        { recipient: { id: '1', self: {} } },
        {
          recipient: {
            id: '2',
            contact: { profileGivenName: 'bobby', systemGivenName: 'Bob', systemFamilyName: 'Ray' },
          },
        },
        { chat: { id: '5', recipientId: '2' } },
        item('2', 'Shall we?', { incoming: { dateReceived: String(T) } }),
        item('1', 'Yes.', { outgoing: {} }),
        {
          chatItem: {
            chatId: '5',
            authorId: '2',
            dateSent: String(T),
            updateMessage: { individualCall: {} },
          },
        },
        item('2', '', {
          standardMessage: { attachments: [{ pointer: { fileName: 'a.jpg', contentType: 'image/jpeg' } }] },
        }),
      ),
      'files/ab/abc.jpg': 'x',
    });
    const read = await imported(path, { me: 'Ann' });
    expect(read.name).toBe('signal');
    expect(read.said).toEqual(['signal/5 Bob Ray: Shall we?', 'signal/5 Ann: Yes.', 'signal/5 Bob Ray: ']);
    expect(read.turns.map(({ role }) => role)).toEqual(['other', 'user', 'other']);
    expect(read.titles[0]).toBe('Bob Ray');
    expect(read.turns[2]?.attachments).toEqual([{ kind: 'image', description: 'a.jpg' }]);
    expect(read.leftOut).toEqual(['line 8: a note of Signal, such as a call']);
    expect(read.rejected).toEqual([]);
  });

  it('reads the lines of signal-export', async () => {
    using folder = temporaryFolder();
    const line = (sender: string, body: string, deleted = false) =>
      `{"date": "2026-03-01T10:00:00", "sender": "${sender}", "body": "${body}", "quote": "", "sticker": null, "reactions": [], "attachments": [], "deleted": ${deleted}}`;
    const path = tree(folder.path, {
      'Bob/data.json': [line('Bob', 'Hi.'), line('Me', 'Hello.'), line('Bob', '', true)].join('\n'),
    });
    const read = await imported(path);
    expect(read.said).toEqual(['signal/Bob Bob: Hi.', 'signal/Bob user: Hello.']);
    expect(read.leftOut).toEqual(['line 3: a deleted message']);
  });
});

describe('iMessage', () => {
  const text = [
    'May 17, 2022  5:29:42 PM (Read by them after 1 hour, 49 seconds)',
    'Me',
    'Can you send the deck?',
    'It is for Monday.',
    '    May 17, 2022  6:02:10 PM',
    '    Lena',
    '    Sent!',
    '',
    'May 17, 2022  6:02:10 PM',
    'Lena',
    'Sent!',
    'attachments/AB/CD/deck.pdf',
    'Tapbacks:',
    '    Loved by Me',
    'This message responded to an earlier message.',
    '',
    'May 17, 2022  6:03:00 PM Lena added Raj to the conversation.',
    '',
  ].join('\n');

  it('reads blocks in the time zone of the import, replies once', async () => {
    using folder = temporaryFolder();
    const read = await imported(folder.write('Lena.txt', text), { me: 'Ann', timeZone: 'Europe/Oslo' });
    expect(read.name).toBe('imessage');
    expect(read.said).toEqual([
      'imessage/Lena Ann: Can you send the deck?\nIt is for Monday.',
      'imessage/Lena Lena: Sent!',
    ]);
    expect(read.turns[0]?.at).toBe('2022-05-17T17:29:42.000+02:00');
    expect(read.turns[1]?.attachments).toEqual([{ kind: 'file', description: 'deck.pdf' }]);
    expect(read.leftOut).toEqual(['line 17: a note of iMessage, such as who was added']);
  });
});

describe('tables', () => {
  it('reads Copilot’s, whose last message comes first', async () => {
    using folder = temporaryFolder();
    const rows = [
      '\uFEFFConversation,Time,Author,Message',
      '"Git, explained",2026-03-01T10:01:00,AI,"It is a ""flag"".\nReally."',
      '"Git, explained",2026-03-01T10:01:00,Human,What is it?',
      'Tea,2026-03-01T09:00:00,AI,Hi.',
      'Tea,2026-03-01T09:00:00,Human,Hello.',
    ];
    const read = await imported(folder.write('copilot-activity-history.csv', `${rows.join('\r\n')}\r\n`), {
      me: 'Ann',
    });
    expect(read.name).toBe('csv');
    expect(read.said).toEqual([
      'table/Tea Ann: Hello.',
      'table/Tea AI: Hi.',
      'table/Git, explained Ann: What is it?',
      'table/Git, explained AI: It is a "flag".\nReally.',
    ]);
    expect(read.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(read.notes).toEqual(['Its times have no zone and are read as UTC']);
  });

  it.each([
    ['semicolons', 'date;sender;text\n2026-03-01 10:00;Bob;Hi; you', ['table/t Bob: Hi']],
    ['tabs', 'Date\tFrom\tBody\n2026-03-01 10:00:00 UTC\tBob\tHi, you', ['table/t Bob: Hi, you']],
    [
      'iMazing',
      'Chat Session,Message Date,Service,Type,Sender ID,Sender Name,Text\nBob,2026-03-01 10:00:00,SMS,Outgoing,,,Hi.\nBob,2026-03-01 10:01:00,SMS,Incoming,+1,Bob,Yo.\nBob,2026-03-01 10:02:00,SMS,Incoming,+1,,And you?',
      ['table/Bob user: Hi.', 'table/Bob Bob: Yo.', 'table/Bob somebody: And you?'],
    ],
    [
      'Microsoft 365',
      'CreatedAt,MessageContent,Author,ChatName\n1/31/2026 10:00:00 +00:00,Query,user,Research',
      ['table/Research user: Query'],
    ],
  ])('reads tables with %s', async (_, text, said) => {
    using folder = temporaryFolder();
    const read = await imported(folder.write('t.csv', text));
    expect(read.said).toEqual(said);
    expect(read.rejected).toEqual([]);
  });

  it('rejects a row whose time is none, and gives equal rows ids of their own', async () => {
    using folder = temporaryFolder();
    const read = await imported(folder.write('t.csv', 'time,text\nsoon,Hi.\n2026-03-01,Yo.\n2026-03-01,Yo.'));
    expect(read.rejected).toEqual(['line 2: its time is not a time']);
    expect(new Set(read.ids).size).toBe(2);
  });

  it('is no table of messages without texts', async () => {
    using folder = temporaryFolder();
    await expect(imported(folder.write('t.csv', 'time,amount\n2026-03-01,5'))).rejects.toThrow(
      /not recognized/,
    );
  });
});

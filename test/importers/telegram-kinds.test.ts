import { describe, expect, it } from 'vitest';
import { telegramImporter } from '../../src/importers/telegram/telegram.ts';
import { readAll, rejectionsOf, temporaryFolder, turnsOf } from './temporary-file.ts';

const base = {
  id: 1,
  type: 'message',
  date: '2026-03-01T10:00:00',
  date_unixtime: '1772359201',
  from: 'Mia',
  from_id: 'user11',
  text: '',
  text_entities: [],
};

async function readChats(...chats: object[]) {
  using folder = temporaryFolder();
  const leftOut: string[] = [];
  const value = chats.length === 1 ? chats[0] : { about: '', chats: { about: '', list: chats } };
  const records = await readAll(telegramImporter, folder.json(value), {
    onLeftOut: ({ reason }) => leftOut.push(reason),
  });
  return { turns: turnsOf(records), leftOut, rejections: rejectionsOf(records) };
}

async function read(message: object) {
  const { leftOut, turns } = await readChats({
    id: 7,
    name: 'Mia',
    type: 'personal_chat',
    messages: [{ ...base, ...message }],
  });
  return turns[0]?.content ?? leftOut;
}

describe('kinds of messages of Telegram', () => {
  it.each<[what: string, message: object, text: string]>([
    [
      'blocks',
      {
        rich_message: {
          blocks: [
            { type: 'paragraph', text: { type: 'plain', text: 'I moved to Antwerp.' } },
            {
              type: 'list',
              items: [{ text: { type: 'plain', text: 'Oat milk' }, checked: true }, { text: 'Bread' }],
            },
          ],
        },
      },
      'I moved to Antwerp.\nOat milk\nBread',
    ],
    [
      'text in pieces',
      {
        rich_message: {
          blocks: [
            { type: 'heading', text: 'My address' },
            { type: 'paragraph', text: ['Rue ', { type: 'bold', text: 'Haute' }, ' 7'] },
          ],
        },
      },
      'My address\nRue Haute 7',
    ],
    [
      'pieces that are all marked',
      {
        rich_message: {
          text: [
            { type: 'plain', text: 'I live ' },
            { type: 'bold', text: 'here' },
          ],
        },
      },
      'I live here',
    ],
    [
      'a table',
      { rich_message: { rows: [{ cells: [{ text: 'Monday' }, { text: 'Swimming' }] }] } },
      'Monday\nSwimming',
    ],
    [
      'a game',
      { game_title: 'Chess', game_description: 'A game of two', game_link: 'https://t.me/x' },
      'Chess\nA game of two',
    ],
    [
      'an invoice',
      { invoice_information: { title: 'Kiln', description: 'A small kiln', amount: 1200, currency: 'EUR' } },
      'Kiln\nA small kiln',
    ],
    [
      'a list of tasks',
      {
        todo_list: {
          title: 'Shopping',
          others_can_append: true,
          answers: [
            { id: 1, text: 'Oat milk' },
            { id: 2, text: 'Bread' },
          ],
        },
      },
      'Shopping\nOat milk\nBread',
    ],
    [
      'a poll',
      {
        poll: {
          question: 'Which day?',
          closed: false,
          total_voters: 2,
          answers: [{ text: 'Monday', voters: 1 }],
        },
      },
      'Poll: Which day?\n- Monday',
    ],
    [
      'a poll of another form',
      { poll: { question: { text: 'Which day?', entities: [] }, answers: [{ text: { text: 'Monday' } }] } },
      'Which day?\nMonday',
    ],
    [
      'a contact',
      { contact_information: { first_name: 'Bo', last_name: 'Li', phone_number: '+32 1' } },
      'Contact: Bo Li +32 1',
    ],
    [
      'a place',
      { location_information: { latitude: 51.05, longitude: 3.72 }, place_name: 'Market', address: 'Ghent' },
      'Location: Market, Ghent (51.05, 3.72)',
    ],
    [
      'a prize',
      { giveaway_information: { quantity: 2, countries: ['BE'], additional_prize: 'A big red bicycle' } },
      'A big red bicycle',
    ],
    ['a story', { story: { caption: 'Our new kiln', media: { file: 'stories/1.mp4' } } }, 'Our new kiln'],
    [
      'a field that nobody knows',
      { whatever_2030: { content: [{ kind: 'x', body: 'I adopted a cat.' }] } },
      'I adopted a cat.',
    ],
    ['a string that nobody knows', { remark: 'I adopted a dog last week.' }, 'I adopted a dog last week.'],
    [
      'entities alone',
      {
        text: '',
        text_entities: [
          { type: 'plain', text: 'I live ' },
          { type: 'bold', text: 'in Ghent.' },
        ],
      },
      'I live in Ghent.',
    ],
    ['a text of another form', { text: { blocks: [{ text: 'I live in Ghent.' }] } }, 'I live in Ghent.'],
    ['a type that nobody knows', { type: 'message_v2', text: 'I live in Ghent.' }, 'I live in Ghent.'],
    [
      'a type without support that has a text',
      { type: 'unsupported', text: 'I live in Ghent.' },
      'I live in Ghent.',
    ],
    [
      'text and a list',
      { text: 'See my list', todo_list: { title: 'Shopping', answers: [{ text: 'Bread' }] } },
      'See my list\nShopping\nBread',
    ],
    [
      'text that is repeated',
      { text: 'I live in Ghent.', rich_message: { blocks: [{ text: 'I live in Ghent.' }] } },
      'I live in Ghent.',
    ],
    [
      'words of another person',
      {
        text: 'Yes.',
        reply_quote: { text: 'I live in Rome.' },
        link_preview: { title: 'A page', description: 'Its text' },
      },
      'Yes.',
    ],
    [
      'reactions and buttons',
      {
        text: 'Yes.',
        reactions: [
          { type: 'emoji', count: 1, emoji: 'x', recent: [{ from: 'Bo the Great', from_id: 'user2' }] },
        ],
        inline_bot_buttons: [[{ type: 'url', text: 'Press this button' }]],
      },
      'Yes.',
    ],
    [
      'technical fields',
      {
        text: 'Yes.',
        edited: '2026-03-01T10:00:00',
        via_bot: '@a bot',
        author: 'Mia M',
        boosts_applied: 3,
        future_flag: true,
        sender_uuid: 'a b',
      },
      'Yes.',
    ],
  ])('keeps the text of %s', async (_what, message, text) => {
    expect(await read(message)).toBe(text);
  });

  it.each<[message: object, reason: string]>([
    [{ type: 'unsupported' }, 'a message of the unknown kind "unsupported"'],
    [{ rich_message: { blocks: [] } }, 'a message of the unknown kind "rich_message"'],
    [
      { giveaway_information: { quantity: 2, months: 3, channels: [1, 2] } },
      'a message of the unknown kind "giveaway_information"',
    ],
    [{ dice: { emoji: 'x', value: 5 } }, 'a message of the unknown kind "dice"'],
    [{ story_id: 7, story: { id: 7 } }, 'a message of the unknown kind "story"'],
    [
      { location_information: { latitude: '51', longitude: '3' } },
      'a message of the unknown kind "location_information"',
    ],
    [{ media_type: 'hologram' }, 'a message of the unknown kind "hologram"'],
    [{ 'I live in Ghent': { id: 1 } }, 'a message of an unknown kind'],
    [
      { photo: '(File not included. Change data exporting settings to download.)' },
      'a picture, recording or file that was not exported',
    ],
    [
      { media_type: 'voice_message', file: '(File unavailable, please try again later)' },
      'a picture, recording or file that was not exported',
    ],
    [{}, 'an empty message'],
    [{ type: 'service', action: 'phone_call' }, 'a note of Telegram, such as who joined'],
  ])('counts %j by its name', async (message, reason) => {
    expect(await read(message)).toEqual([reason]);
  });

  it('does not take the placeholder of a file for its address, also after its name', async () => {
    const messages = [
      'video.mp4 (File not included. Change data exporting settings to download.)',
      'a (1).pdf (File exceeds maximum size. Change data exporting settings to download.)',
      'files/report (1).pdf',
    ];
    const { turns } = await readChats({
      id: 7,
      messages: messages.map((file, id) => ({ ...base, id, text: 'See', file })),
    });
    expect(turns.map(({ attachments }) => attachments)).toEqual([
      [{ kind: 'file', description: 'video.mp4' }],
      [{ kind: 'file', description: 'a (1).pdf' }],
      [{ kind: 'file', description: '', uri: 'files/report (1).pdf' }],
    ]);
  });
});

describe('chats with the same id', () => {
  const chat = (type: string, text: string, id = 777) => ({
    id,
    name: text,
    type,
    messages: [{ ...base, text }],
  });
  const idsOf = async (...chats: object[]) => {
    const { rejections, turns } = await readChats(...chats);
    return [
      ...turns.map(({ content, session, sourceId }) => `${content} ${session} ${sourceId}`).sort(),
      ...rejections,
    ];
  };

  it('are all imported, whatever their order', async () => {
    const chats = [
      chat('personal_chat', 'Bob'),
      chat('private_group', 'Football'),
      chat('public_supergroup', 'Town'),
    ];
    const expected = [
      'Bob telegram/777 777/1',
      'Football telegram/chat777 chat777/1',
      'Town telegram/channel777 channel777/1',
    ];
    for (const order of [chats, chats.toReversed(), [chats[1]!, chats[2]!, chats[0]!]])
      expect(await idsOf(...order)).toEqual(expected);
  });

  it('keep the id that they have alone', async () => {
    for (const type of ['personal_chat', 'private_group', 'private_supergroup', 'public_channel', 'bot_chat'])
      expect(await idsOf(chat(type, 'Bob'), chat('saved_messages', 'Saved', 1))).toEqual([
        'Bob telegram/777 777/1',
        'Saved telegram/1 1/1',
      ]);
  });

  it('of the same kind are one chat, of which the second is refused', async () => {
    expect(await idsOf(chat('private_group', 'One'), chat('private_group', 'Two'))).toEqual([
      'One telegram/777 777/1',
      'chat 2: an earlier chat has the same id',
    ]);
  });
});

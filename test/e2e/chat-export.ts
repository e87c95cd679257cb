import { Buffer } from 'node:buffer';

export interface ExportedChat {
  readonly title: string;
  /** Turns in order; the user begins. */
  readonly turns: readonly string[];
  /** When the first turn was said; the others follow by a minute. */
  readonly at: number;
}

export interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A file as ChatGPT exports chats, for the browser's choice of files; `mark` is part of all ids. */
export function chatExport(name: string, chats: readonly ExportedChat[], mark = 'chat'): ChosenFile {
  const conversations = chats.map(({ title, turns, at }, number) => {
    const ids = turns.map((_, index) => `${mark}-${number}-${index}`);
    return {
      title,
      create_time: at / 1_000,
      conversation_id: `${mark}-${number}`,
      current_node: ids.at(-1),
      mapping: Object.fromEntries(
        turns.map((text, index) => [
          ids[index],
          {
            id: ids[index],
            parent: ids[index - 1] ?? null,
            children: ids[index + 1] === undefined ? [] : [ids[index + 1]],
            message: {
              id: ids[index],
              author: { role: index % 2 === 0 ? 'user' : 'assistant' },
              create_time: at / 1_000 + index * 60,
              content: { content_type: 'text', parts: [text] },
            },
          },
        ]),
      ),
    };
  });
  return { name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(conversations)) };
}

const PEOPLE = ['Elena', 'Priya', 'Marcel', 'Agnes', 'Lotte', 'Kofi', 'Hana', 'Bruno', 'Rosa', 'Pieter'];
const TOWNS = ['Ghent', 'Porto', 'Krakow', 'Bergen', 'Turin', 'Seville', 'Graz', 'Tartu', 'Cork', 'Nantes'];
const HOBBIES = ['chess', 'bouldering', 'pottery', 'rowing', 'archery', 'knitting', 'sailing', 'origami'];
const DAY = 86_400_000;

/** A year of chats with facts in them; twenty turns each. */
export function yearOfChats(chats: number, firstDay = Date.UTC(2025, 0, 6, 9)): ExportedChat[] {
  return Array.from({ length: chats }, (_, chat) => ({
    title: `Plans with ${PEOPLE[chat % PEOPLE.length]} in ${TOWNS[(chat * 3) % TOWNS.length]}`,
    at: firstDay + Math.floor((chat * 360) / chats) * DAY,
    turns: Array.from({ length: 20 }, (_, turn) => {
      const number = chat * 20 + turn;
      const [person, town, hobby] = [
        PEOPLE[(number * 7) % PEOPLE.length],
        TOWNS[(number * 3 + chat) % TOWNS.length],
        HOBBIES[(number * 5 + chat) % HOBBIES.length],
      ];
      return turn % 2 === 0
        ? `My friend ${person} moved to ${town} and started ${hobby} there. We meet on day ${number} at the market.`
        : `That sounds good. ${person} may like the ${hobby} club of ${town}; ask about number ${number}.`;
    }),
  }));
}

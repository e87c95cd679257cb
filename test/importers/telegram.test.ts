import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { telegramImporter } from '../../src/importers/telegram/telegram.ts';
import { FIXTURES, readAll, rejectionsOf, SHARED_DATA, temporaryFolder, turnsOf } from './temporary-file.ts';

const REAL = join(SHARED_DATA, 'chat-exports/telegram');

describe('telegram importer', () => {
  it('reads texts, replies, forwarded words, polls and media', async () => {
    const leftOut: string[] = [];
    const notes: string[] = [];
    const records = await readAll(telegramImporter, join(FIXTURES, 'telegram.json'), {
      settings: { me: 'Mara', timeZone: 'Europe/Oslo' },
      onLeftOut: ({ where, reason }) => leftOut.push(`${where}: ${reason}`),
      onNote: (note) => notes.push(note),
    });
    expect(turnsOf(records).map(({ speaker, role, content }) => [speaker, role, content])).toEqual([
      ['Ben', 'other', 'Look at https://kiln.example!'],
      ['Mara', 'user', 'I want one.'],
      ['Ben', 'other', 'My studio'],
      ['Mara', 'user', 'Forwarded from Clay News: The fair is in May.'],
      ['Ben', 'other', 'Poll: Which day?\n- Monday\n- Friday'],
      ['user9', 'other', 'Without an exact time'],
    ]);
    const turns = turnsOf(records);
    expect(turns[1]?.attachments).toEqual([{ kind: 'reply', description: 'reply to Ben', uri: '#2' }]);
    expect(turns[2]?.attachments).toEqual([{ kind: 'image', description: '', uri: 'photos/photo_1.jpg' }]);
    expect(turns[0]).toMatchObject({ session: 'telegram/77', sourceId: '77/2' });
    expect(turns[0]?.at).toBe('2024-03-01T10:00:10.000+01:00');
    expect(turns[5]?.at).toBe('2024-03-01T11:00:00.000+01:00');
    expect(notes).toEqual(['Its times have no zone and are read as Europe/Oslo']);
    expect(leftOut).toEqual([
      'chat 1, message 1: a note of Telegram, such as who joined',
      'chat 1, message 4: a picture, recording or file that was not exported',
    ]);
    expect(rejectionsOf(records)).toEqual([
      'chat 1, message 9: date: is not a time between 1970 and 2200',
      'chat 1, message 10: text: is missing or of the wrong kind',
      'chat 2: messages: is missing or not a list',
    ]);
  });

  it.each<[date: string, zone: string | undefined, at: unknown]>([
    ['2026-03-01T23:30:00', undefined, '2026-03-01T23:30:00.000-05:00'],
    ['2026-03-02T04:30:00', undefined, new Date('2026-03-02T04:30:00Z')],
    ['2026-03-02T10:00:00', undefined, '2026-03-02T10:00:00.000+05:30'],
    ['2026-03-01T23:30:00', 'Asia/Tokyo', '2026-03-02T13:30:00.000+09:00'],
    ['2020-01-01T00:00:00', undefined, new Date('2026-03-02T04:30:00Z')],
  ])('takes the zone from local time %s beside the exact one (zone %s)', async (date, timeZone, at) => {
    using folder = temporaryFolder();
    const exact = String(Date.UTC(2026, 2, 2, 4, 30) / 1000);
    const message = { id: 1, type: 'message', from: 'Ben', text: 'hi', date, date_unixtime: exact };
    const file = folder.json({ id: 1, messages: [message] });
    const records = await readAll(telegramImporter, file, {
      settings: timeZone === undefined ? {} : { timeZone },
    });
    expect(turnsOf(records)[0]?.at).toEqual(at);
  });

  it('identifies a message by its id, and a chat without ids by its content', async () => {
    using folder = temporaryFolder();
    const message = { type: 'message', date_unixtime: '1709283600', from: 'Ben', text: 'hi' };
    const twice = await readAll(
      telegramImporter,
      folder.json({
        id: 1,
        messages: [
          { ...message, id: 5 },
          { ...message, id: 5 },
        ],
      }),
    );
    expect(turnsOf(twice).map(({ sourceId }) => sourceId)).toEqual(['1/5']);
    expect(rejectionsOf(twice)).toEqual(['chat 1, message 2: an earlier message has the same id']);
    const [nameless] = turnsOf(await readAll(telegramImporter, folder.json({ messages: [message] })));
    const later = { messages: [{ ...message, text: 'before' }, message] };
    const [, again] = turnsOf(await readAll(telegramImporter, folder.json(later)));
    expect(again?.sourceId).toBe(nameless?.sourceId);
  });

  it.skipIf(!existsSync(REAL))('reads the samples (skipped if absent)', async () => {
    for (const name of readdirSync(REAL)) {
      const records = await readAll(telegramImporter, join(REAL, name));
      expect(rejectionsOf(records)).toEqual([]);
      expect(turnsOf(records).length, name).toBeGreaterThan(1);
    }
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportSettings } from '../../src/importers/importer.ts';
import { whatsAppImporter } from '../../src/importers/whatsapp/whatsapp.ts';
import { readAll, rejectionsOf, SHARED_DATA, temporaryFolder, turnsOf } from './temporary-file.ts';

const REAL = join(SHARED_DATA, 'chat-exports/whatsapp');

async function read(text: string, settings: ImportSettings = {}, name = 'WhatsApp Chat with Ana.txt') {
  using folder = temporaryFolder();
  const [notes, leftOut]: [string[], string[]] = [[], []];
  const records = await readAll(whatsAppImporter, folder.write(name, text), {
    settings,
    onNote: (note) => notes.push(note),
    onLeftOut: ({ where, reason }) => leftOut.push(`${where}: ${reason}`),
  });
  return { records, turns: turnsOf(records), notes, leftOut };
}
const timesOf = async (text: string, settings?: ImportSettings) =>
  (await read(text, settings)).turns.map(({ at }) => new Date(at!).toISOString().slice(0, 16));

describe('whatsapp importer', () => {
  it.each<[style: string, text: string, time: string]>([
    ['day first', '31/12/21, 22:01 - Ana: hi', '2021-12-31T22:01'],
    ['month first, twelve hours', '12/31/21, 10:01 PM - Ana: hi', '2021-12-31T22:01'],
    ['a narrow space before PM', '12/31/21, 10:01\u202fPM - Ana: hi', '2021-12-31T22:01'],
    ['noon and midnight', '12/31/21, 12:01 AM - Ana: hi', '2021-12-31T00:01'],
    ['dotted halves', '31/12/2021, 10:01 p. m. - Ana: hi', '2021-12-31T22:01'],
    ['dots', '31.12.21, 22:01 - Ana: hi', '2021-12-31T22:01'],
    ['year first', '2021-12-31, 22:01 - Ana: hi', '2021-12-31T22:01'],
    ['no comma', '31/12/2021 22:01 - Ana: hi', '2021-12-31T22:01'],
    ['an iPhone', '[31.12.21, 22:01:05] Ana: hi', '2021-12-31T22:01'],
    ['an iPhone with marks', '\u200e[12/31/21, 10:01:05\u202fPM] Ana: hi', '2021-12-31T22:01'],
    ['halves before the time', '2021/12/31 下午10:01 - Ana: hi', '2021-12-31T22:01'],
    ['Arabic digits', '٣١/١٢/٢٠٢١, ٢٢:٠١ - Ana: hi', '2021-12-31T22:01'],
  ])('reads the style of %s', async (_style, text, time) => {
    const { records, turns } = await read(text);
    expect(records).toHaveLength(1);
    expect(turns[0]).toMatchObject({ speaker: 'Ana', content: 'hi' });
    expect(turns.map(({ at }) => (at as Date).toISOString().slice(0, 16))).toEqual([time]);
  });

  it('derives the order of day and month from all dates of the file', async () => {
    const days = ['03/04/24, 10:00 - Ana: a', '25/04/24, 10:00 - Ana: b'].join('\n');
    expect(await timesOf(days)).toEqual(['2024-04-03T10:00', '2024-04-25T10:00']);
    const months = ['03/04/24, 10:00 - Ana: a', '03/25/24, 10:00 - Ana: b'].join('\n');
    expect(await timesOf(months)).toEqual(['2024-03-04T10:00', '2024-03-25T10:00']);
  });

  it('uses the order of messages if no date decides, and reports it', async () => {
    const { turns, notes } = await read('03/11/24, 10:00 - Ana: a\n04/01/24, 10:00 - Ana: b');
    expect(turns.map(({ at }) => (at as Date).toISOString().slice(5, 10))).toEqual(['03-11', '04-01']);
    expect(notes).toContain(
      'Its dates could be read with the day or the month first; they are read month-first, since they are then in order',
    );
  });

  it('reports the order that it guessed, and accepts a given one', async () => {
    const text = '03/04/24, 10:00 - Ana: a';
    const { notes } = await read(text);
    expect(notes.at(-1)).toMatch(/they are read day-first, since the file does not determine it$/);
    expect(await timesOf(text, { dateOrder: 'month-first' })).toEqual(['2024-03-04T10:00']);
    const forced = await read('25/04/24, 10:00 - Ana: a', { dateOrder: 'month-first' });
    expect(rejectionsOf(forced.records)).toEqual(['line 1: its date is invalid if dates are month-first']);
  });

  it('reads times in the given zone, summer and winter', async () => {
    const text =
      '15/01/24, 12:00 - Ana: a\n15/07/24, 12:00 - Ana: b\n31/03/24, 02:30 - Ana: c\n31/03/24, 12:00 - Ana: d\n27/10/24, 02:30 - Ana: e';
    expect(await timesOf(text, { timeZone: 'Europe/Oslo' })).toEqual([
      '2024-01-15T11:00',
      '2024-07-15T10:00',
      '2024-03-31T01:30',
      '2024-03-31T10:00',
      '2024-10-27T00:30',
    ]);
    expect((await read(text, { timeZone: 'Europe/Oslo' })).turns.map(({ at }) => at)).toEqual([
      '2024-01-15T12:00:00.000+01:00',
      '2024-07-15T12:00:00.000+02:00',
      '2024-03-31T03:30:00.000+02:00',
      '2024-03-31T12:00:00.000+02:00',
      '2024-10-27T02:30:00.000+02:00',
    ]);
    expect((await read(text)).notes).toEqual(['Its times have no zone and are read as UTC']);
    await expect(read(text, { timeZone: 'Nowhere' })).rejects.toThrow('timeZone: is not a time zone');
  });

  it.each<[zone: string, day: string, times: string, utc: string]>([
    [
      'America/New_York',
      '01/11/26',
      '00:50 01:30 01:45 01:10 01:20 02:10',
      '04:50 05:30 05:45 06:10 06:20 07:10',
    ],
    ['America/New_York', '01/11/26', '01:45 02:00', '05:45 07:00'],
    ['Europe/Oslo', '25/10/26', '01:59 02:30 02:30 02:10', '23:59 00:30 00:30 01:10'],
    ['Asia/Tokyo', '01/11/26', '01:30 01:10', '16:30 16:10'],
    ['America/New_York', '08/03/26', '01:59 02:30 03:10', '06:59 07:30 07:10'],
  ])('in %s on %s reads %s: a repeated hour in the order of messages', async (timeZone, day, times, utc) => {
    const text = times
      .split(' ')
      .map((time) => `${day}, ${time} - Ana: at ${time}`)
      .join('\n');
    const found = await timesOf(text, { timeZone, dateOrder: 'day-first' });
    expect(found.map((at) => at.slice(11)).join(' ')).toBe(utc);
  });

  it('joins lines, separates names from text, and skips messages by WhatsApp itself', async () => {
    const text = [
      'before the first',
      '01/02/24, 10:00 - Messages and calls are end-to-end encrypted.',
      '01/02/24, 10:01 - Ana Ruiz: first: line',
      '',
      'third line',
      '01/02/24, 10:02 - +34 600 100 200: hello',
      '01/02/24, 10:03 - Ana Ruiz changed the subject to "Kiln: fired"',
      '01/02/24, 10:04 - Ana Ruiz: <Media omitted>',
      '01/02/24, 10:05 - Ana Ruiz: This message was deleted',
      '01/02/24, 10:06 - Ana Ruiz: IMG-1.jpg (file attached)',
      'My kiln',
      '25/02/24, 10:07 - Ana Ruiz: soon <This message was edited>',
    ].join('\r\n');
    const { leftOut, records, turns } = await read(text, { me: 'Ana Ruiz' });
    expect(turns.map(({ content, role, speaker }) => [speaker, role, content])).toEqual([
      ['Ana Ruiz', 'user', 'first: line\n\nthird line'],
      ['+34 600 100 200', 'other', 'hello'],
      ['Ana Ruiz', 'user', 'My kiln'],
      ['Ana Ruiz', 'user', 'soon'],
    ]);
    expect(turns[2]?.attachments).toEqual([{ kind: 'image', description: 'IMG-1.jpg', uri: 'IMG-1.jpg' }]);
    expect(records[0]).toMatchObject({ where: 'line 3', conversation: { id: 'whatsapp/Ana', title: 'Ana' } });
    expect(leftOut).toEqual([
      'line 1: text before the first message',
      'line 2: a note of WhatsApp, such as who joined',
      'line 7: a note of WhatsApp, such as who joined',
      'line 8: a picture, recording or file that was not exported',
      'line 9: a message that was deleted',
    ]);
  });

  it('reads the marks of an iPhone export', async () => {
    const text = [
      '[1/25/24, 9:12:33 AM] Pot Club: \u200eMessages and calls are end-to-end encrypted.',
      '\u200e[1/25/24, 9:12:48 AM] ~ Ana: \u200e<attached: 00012-PHOTO.jpg>',
      '\u200e[1/25/24, 9:13:48 AM] ~ Ana: \u200eimage omitted',
      '\u200e[1/25/24, 9:14:48 AM] ~ Ana: plan.pdf • \u200e3 pages \u200edocument omitted',
    ].join('\n');
    const { leftOut, turns } = await read(text, {}, '_chat.txt');
    expect(
      turns.map(({ attachments, session, speaker }) => [session, speaker, attachments?.[0]?.description]),
    ).toEqual([
      ['whatsapp/Pot Club', 'Ana', '00012-PHOTO.jpg'],
      ['whatsapp/Pot Club', 'Ana', 'plan.pdf •'],
    ]);
    expect(leftOut).toHaveLength(2);
  });

  it('recognises messages when the chat is exported again, also from a second download', async () => {
    const start = '25/01/24, 10:00 - Ana: one\n25/01/24, 10:00 - Ana: one\n';
    const first = (await read(start)).turns.map(({ sourceId }) => sourceId);
    const later = await read(`${start}25/01/24, 10:01 - Ana: two`, {}, 'WhatsApp Chat with Ana (1).txt');
    expect(new Set(first).size).toBe(2);
    expect(later.turns.slice(0, 2).map(({ sourceId }) => sourceId)).toEqual(first);
    const edited = await read(start.replace('one\n', 'uno <This message was edited>\n'));
    expect(edited.turns[0]).toMatchObject({ sourceId: first[0], content: 'uno' });
    expect((await read(start, {}, 'WhatsApp Chat with Ben.txt')).turns[0]?.sourceId).not.toBe(first[0]);
  });

  it.skipIf(!existsSync(REAL)).each([
    ['chatminer_test_ddmmyy_24hrs.txt', 7],
    ['chatminer_test_mmddyy_24hrs.txt', 7],
    ['chatminer_test_mmddyyyy_12hrs.txt', 7],
    ['chatminer_test_yyyymmdd_24hrs.txt', 7],
    ['whatsapp_chat.txt', 8],
  ])('reads the sample %s (skipped if absent)', async (name, count) => {
    const records = await readAll(whatsAppImporter, join(REAL, name));
    expect([turnsOf(records).length, rejectionsOf(records)]).toEqual([count, []]);
    if (count === 7)
      expect(turnsOf(records).map(({ at }) => (at as Date).toISOString().slice(0, 10))).toEqual([
        ...['2019-01-01', '2019-01-20', '2019-01-30', '2020-06-10'],
        ...['2021-12-10', '2021-12-20', '2021-12-30'],
      ]);
  });
});

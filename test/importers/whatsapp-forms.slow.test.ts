import { describe, expect, it } from 'vitest';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { detectFormat } from '../../src/importers/detect-format.ts';
import type { ImportSettings } from '../../src/importers/importer.ts';
import { digestOf } from '../../src/importers/message-records.ts';
import { whatsAppImporter } from '../../src/importers/whatsapp/whatsapp.ts';
import { readAll, rejectionsOf, temporaryFolder, turnsOf } from './temporary-file.ts';

const FIRST = '2026-06-13T18:08';
const SECOND = '2026-06-14T06:09';

/** Two messages of one phone: 13 June, eight past six in the evening; 14 June, nine past six in the morning. */
const FORMS: readonly [phone: string, first: string, second: string][] = [
  ['Arabic', '\u200f١٣\u200f/٦\u200f/٢٠٢٦، ٦:٠٨ م - ', '\u200f١٤\u200f/٦\u200f/٢٠٢٦، ٦:٠٩ ص - '],
  ['Arabic, an iPhone', '[١٣/٦/٢٠٢٦، ٦:٠٨:٠٩ م] ', '[١٤/٦/٢٠٢٦، ٦:٠٩:٠٩ ص] '],
  ['Arabic with Latin digits', '13/6/2026، 6:08 م - ', '14/6/2026، 6:09 ص - '],
  ['Arabic of Morocco', '13/6/2026, 18:08 - ', '14/6/2026, 06:09 - '],
  ['Arabic with the calendar of Mecca', '٢٧/١٢/١٤٤٧ هـ، ٦:٠٨ م - ', '٢٨/١٢/١٤٤٧ هـ، ٦:٠٩ ص - '],
  ['Persian', '۱۴۰۵/۳/۲۳،\u200f ۱۸:۰۸ - ', '۱۴۰۵/۳/۲۴،\u200f ۰۶:۰۹ - '],
  ['Persian, halves', '۲۰۲۶/۶/۱۳، ۶:۰۸ ب.ظ. - ', '۲۰۲۶/۶/۱۴، ۶:۰۹ ق.ظ. - '],
  ['Urdu', '۱۳/۰۶/۲۰۲۶، ۶:۰۸ pm - ', '۱۴/۰۶/۲۰۲۶، ۶:۰۹ am - '],
  ['Hindi', '१३/०६/२६, ६:०८ pm - ', '१४/०६/२६, ६:०९ am - '],
  ['Hindi, words', '13/06/26, 6:08 अपराह्न - ', '14/06/26, 6:09 पूर्वाह्न - '],
  ['Marathi', '१३/६/२६, ६:०८ PM - ', '१४/६/२६, ६:०९ AM - '],
  ['Bengali', '১৩/৬/২৬, ৬:০৮ PM - ', '১৪/৬/২৬, ৬:০৯ AM - '],
  ['Burmese', '၁၃/၆/၂၆၊ ၁၈:၀၈ - ', '၁၄/၆/၂၆၊ ၀၆:၀၉ - '],
  ['Finnish, an iPhone', '[13.6.2026 klo 18.08.09] ', '[14.6.2026 klo 6.09.09] '],
  ['Finnish', '13.6.2026 klo 18.08 - ', '14.6.2026 klo 6.09 - '],
  ['Swedish', '2026-06-13 18:08 - ', '2026-06-14 06:09 - '],
  ['Swedish, kl.', '2026-06-13 kl. 18:08 - ', '2026-06-14 kl. 06:09 - '],
  ['Danish', '13.06.2026 18.08 - ', '14.06.2026 06.09 - '],
  ['Danish, an iPhone', '[13.06.2026 18.08.09] ', '[14.06.2026 06.09.09] '],
  ['German, um', '13.06.26 um 18:08 - ', '14.06.26 um 06:09 - '],
  ['German, Uhr', '13.06.26, 18:08 Uhr - ', '14.06.26, 06:09 Uhr - '],
  ['French, à', '13/06/2026 à 18:08 - ', '14/06/2026 à 06:09 - '],
  ['French, hours', '13/06/2026 18h08 - ', '14/06/2026 06h09 - '],
  ['French, spaces', '13/06/2026 à 18 h 08 - ', '14/06/2026 à 06 h 09 - '],
  ['French of Canada', '2026-06-13 18 h 08 - ', '2026-06-14 06 h 09 - '],
  ['French, a month in words', '13 juin 2026 à 18:08 - ', '14 juin 2026 à 06:09 - '],
  ['Spanish', '13/6/26 18:08 - ', '14/6/26 6:09 - '],
  ['Spanish of Mexico', '13/6/26, 6:08 p.m. - ', '14/6/26, 6:09 a.m. - '],
  ['Spanish with spaces', '13/6/2026, 6:08 p.\u00a0m. - ', '14/6/2026, 6:09 a.\u00a0m. - '],
  ['Spanish, a las', '13/6/2026 a las 18:08 - ', '14/6/2026 a las 6:09 - '],
  ['Spanish, a month in words', '[13 de junio de 2026, 18:08:09] ', '[14 de junio de 2026, 06:09:09] '],
  ['Portuguese', '13/06/2026 18:08 - ', '14/06/2026 06:09 - '],
  ['Portuguese, às', '13/06/2026 às 18:08 - ', '14/06/2026 às 06:09 - '],
  ['Italian', '13/06/26, 18:08 - ', '14/06/26, 06:09 - '],
  ['Italian, ore', '13/06/2026 ore 18.08 - ', '14/06/2026 ore 06.09 - '],
  ['Dutch', '13-06-2026 18:08 - ', '14-06-2026 06:09 - '],
  ['Turkish', '13.06.2026 18:08 - ', '14.06.2026 06:09 - '],
  ['Turkish, halves', '13.06.2026 ÖS 6:08 - ', '14.06.2026 ÖÖ 6:09 - '],
  ['Russian', '13.06.2026, 18:08 - ', '14.06.2026, 06:09 - '],
  ['Russian, в', '13.06.2026 в 18:08 - ', '14.06.2026 в 06:09 - '],
  ['Bulgarian', '13.06.26 г., 18:08 ч. - ', '14.06.26 г., 06:09 ч. - '],
  ['Ukrainian, halves', '13.06.26, 6:08 пп - ', '14.06.26, 6:09 дп - '],
  ['Czech', '13. 6. 2026 18:08 - ', '14. 6. 2026 6:09 - '],
  ['Hungarian', '2026. 06. 13. 18:08 - ', '2026. 06. 14. 6:09 - '],
  ['Hungarian, halves', '2026. 06. 13. du. 6:08 - ', '2026. 06. 14. de. 6:09 - '],
  ['Croatian', '13. 06. 2026. 18:08 - ', '14. 06. 2026. 06:09 - '],
  ['Greek', '13/6/26, 6:08 μ.μ. - ', '14/6/26, 6:09 π.μ. - '],
  ['Vietnamese', '18:08, 13/06/2026 - ', '06:09, 14/06/2026 - '],
  ['Vietnamese, halves', '6:08 CH, 13/06/2026 - ', '6:09 SA, 14/06/2026 - '],
  ['Vietnamese, an iPhone', '[18:08:09, 13/06/2026] ', '[06:09:09, 14/06/2026] '],
  ['Indonesian', '13/06/26 18.08 - ', '14/06/26 06.09 - '],
  ['Malay', '13/06/2026, 6:08 PTG - ', '14/06/2026, 6:09 PG - '],
  ['Thai', '13/6/2569 18:08 - ', '14/6/2569 06:09 - '],
  ['Thai, two digits', '13/6/69 18:08 - ', '14/6/69 06:09 - '],
  ['Thai, Thai digits', '๑๓/๖/๒๕๖๙ ๑๘:๐๘ - ', '๑๔/๖/๒๕๖๙ ๐๖:๐๙ - '],
  ['Korean', '2026. 6. 13. 오후 6:08 - ', '2026. 6. 14. 오전 6:09 - '],
  ['Korean, words', '2026년 6월 13일 오후 6:08 - ', '2026년 6월 14일 오전 6:09 - '],
  ['Korean, an iPhone', '[2026. 6. 13. 오후 6:08:09] ', '[2026. 6. 14. 오전 6:09:09] '],
  ['Chinese', '2026/6/13 下午6:08 - ', '2026/6/14 上午6:09 - '],
  ['Chinese, an iPhone', '[2026/6/13 下午6:08:09] ', '[2026/6/14 上午6:09:09] '],
  ['Chinese, words', '2026年6月13日 下午6时08分 - ', '2026年6月14日 上午6时09分 - '],
  ['Chinese, hours of the day', '2026/6/13 下午6:08 - ', '2026/6/14 早上6:09 - '],
  ['Chinese of Hong Kong', '13/6/2026 下午6:08 - ', '14/6/2026 上午6:09 - '],
  ['Japanese', '2026/06/13 18:08 - ', '2026/06/14 6:09 - '],
  ['Japanese, words', '2026年6月13日 午後6:08 - ', '2026年6月14日 午前6:09 - '],
  ['Japanese, a day', '2026/06/13(土) 18:08 - ', '2026/06/14(日) 06:09 - '],
  ['Hebrew, an iPhone', '\u200f[13.6.2026, 18:08:11] \u200f', '\u200f[14.6.2026, 6:09:11] \u200f'],
  ['English of Canada', '2026-06-13, 6:08 p.m. - ', '2026-06-14, 6:09 a.m. - '],
  ['English of South Africa', '2026/06/13, 18:08 - ', '2026/06/14, 06:09 - '],
  ['English, a month in words', 'Jun 13, 2026, 6:08 PM - ', 'Jun 14, 2026, 6:09 AM - '],
  ['English, a day and a month', '[Sat, 13 Jun 2026, 18:08:09] ', '[Sun, 14 Jun 2026, 06:09:09] '],
  ['English, a long dash', '13/06/2026, 18:08 – ', '14/06/2026, 06:09 – '],
  ['Latvian', '13.06.2026. plkst. 18:08 - ', '14.06.2026. plkst. 06:09 - '],
  ['a list with lines', '13.06.2026 18:08:09 | ', '14.06.2026 06:09:09 | '],
  ['a list with commas', '13.06.2026, 18:08:09, ', '14.06.2026, 06:09:09, '],
  ['an older iPhone, a colon', '13.06.26 18:08:45: ', '14.06.26 06:09:45: '],
  ['an older iPhone', '13-06-26 18:08:45 ', '14-06-26 06:09:45 '],
];

async function read(name: string, text: string, settings: ImportSettings = {}) {
  using folder = temporaryFolder();
  const path = folder.write(name, text);
  const { importer } = await detectFormat(path);
  const leftOut: string[] = [];
  const notes: string[] = [];
  const records = await readAll(importer, path, {
    settings,
    onLeftOut: ({ reason }) => leftOut.push(reason),
    onNote: (note) => notes.push(note),
  });
  const turns = turnsOf(records).map(({ at, content, speaker }) => [
    ...[(at as Date).toISOString().slice(0, 16), speaker, content],
  ]);
  return { format: importer.name, turns, leftOut, notes, rejections: rejectionsOf(records) };
}

const failureOf = (reading: Promise<unknown>) =>
  reading.then(
    () => null,
    (error: unknown) => error,
  );

describe('forms of dates in chats', () => {
  it.each(FORMS)('reads that of %s', async (_phone, first, second) => {
    const text = `${first}Sara: I moved to Amman\nsecond line\n${second}Omar: When?\n`;
    expect(await read('chat.txt', text)).toMatchObject({
      format: 'whatsapp',
      turns: [
        [FIRST, 'Sara', 'I moved to Amman\nsecond line'],
        [SECOND, 'Omar', 'When?'],
      ],
    });
  });

  it('reads a list without dashes whose names come again', async () => {
    const text = '2026-06-13 18:08 Sara: a\n2026-06-13 18:09 Omar: b\n2026-06-14 06:09 Sara: c';
    expect((await read('list.txt', text)).turns).toHaveLength(3);
  });

  it('takes a date and a time within a message for text', async () => {
    const plan =
      'My trip\n14.06.2026 06:09 Train: platform 5\n14.06.2026 07:10:00 Bus: stop 2\nat 18:08 - in June';
    const text = `13.06.2026, 18:08 - Sara: ${plan}\n14.06.2026, 06:09 - Omar: ok`;
    expect((await read('chat.txt', text)).turns).toEqual([
      [FIRST, 'Sara', plan],
      [SECOND, 'Omar', 'ok'],
    ]);
  });

  it('reads the parts of a day', async () => {
    const hours = ['凌晨12:05', '早上8:00', '上午11:00', '中午12:30', '下午1:00', '晚上11:00'];
    const text = hours.map((hour) => `2026/6/13 ${hour} - 小明: 你好`).join('\n');
    const { turns } = await read('chat.txt', text);
    const times = ['00:05', '08:00', '11:00', '12:30', '13:00', '23:00'];
    expect(turns.map(([at]) => at!.slice(11))).toEqual(times);
  });

  it('takes a word beside times after noon for no half of a day', async () => {
    const text = '13/6/2026 em 09:00 - Ana: um\n13/6/2026 em 21:00 - Ana: dois';
    const { turns } = await read('chat.txt', text);
    expect(turns.map(([at]) => at!.slice(11))).toEqual(['09:00', '21:00']);
  });

  it('keeps the identity of a message that was readable before', async () => {
    using folder = temporaryFolder();
    const ids = async (text: string) =>
      turnsOf(await readAll(whatsAppImporter, folder.write('a.txt', text))).map(({ sourceId }) => sourceId);
    const [latin] = await ids('12/31/21, 10:01 PM - Ana: hi');
    expect(latin).toBe(digestOf(['a', '12 31 21 10 01  p', 'Ana']));
    expect(await ids('12/31/21, 10:01 p. m. - Ana: hi')).toEqual([latin]);
  });
});

describe('chats of an unknown form', () => {
  const lines = (line: (second: number, name: string) => string) =>
    Array.from({ length: 12 }, (_, at) => line(at + 10, at % 2 === 0 ? 'Sara' : 'Omar')).join('\n');

  it.each<[what: string, name: string, text: string, shape: string]>([
    [
      'the years of an emperor',
      'a.txt',
      lines((n, name) => `令和8年6月13日 18:${n} - ${name}: I moved`),
      'aa0a0a00a 00:00 - Aaaa: …',
    ],
    [
      'no year',
      'a.txt',
      lines((n, name) => `13/06, 18:${n}:09 - ${name}: I moved`),
      '00/00, 00:00:00 - Aaaa: …',
    ],
    [
      'numbers alone',
      'a.txt',
      lines((n, name) => `20260613 1808${n} ${name}: I moved`),
      '00000000 000000 Aaaa: …',
    ],
    [
      'an offset',
      'a.txt',
      lines((n, name) => `[2026-06-13T18:08:${n}+02:00] ${name}: I moved`),
      '[0000-00-00A00:00:00+00:00] Aaaa: …',
    ],
    [
      'words in an unknown language',
      'a.txt',
      lines((n, name) => `13 xyzzy 2026 18:${n} - ${name}: I moved`),
      '00 aaaaa 0000 00:00 - Aaaa: …',
    ],
    ['the name of an export', 'WhatsApp Chat with Sara.txt', 'one 13 x 18\ntwo', 'aaa 00 a 00 …'],
    ['a Spanish name of an export', 'Chat de WhatsApp con Sara.txt', 'Hola 1', 'Aaaa 0 …'],
    ['a Turkish name of an export', 'Sara ile WhatsApp Sohbeti.txt', 'Selam 1', 'Aaaaa 0 …'],
    ['a Russian name of an export', 'Чат WhatsApp с контактом Sara.txt', 'Привет 1', 'Aaaaaa 0 …'],
    ['the name of an iPhone’s export', '_chat.txt', 'Hola 1', 'Aaaa 0 …'],
  ])('refuses one with %s, and shows a line without its words', async (_what, name, text, shape) => {
    const error = await failureOf(read(name, text));
    expect(error).toSatisfy(FileUnreadableError.isInstance);
    const { message } = error as Error;
    expect(message).toContain(`"${shape}"`);
    expect(message).toContain('--date-format');
    expect(message).not.toContain('moved');
    expect(message).not.toContain('Sara:');
  });

  it.each([
    (at: number, name: string) => `13 Jun, 18:1${at} - ${name}: hi`,
    (at: number, name: string) => `[13/06, 18:1${at}] ${name}: hi`,
    (at: number, name: string) => `[Mon 18:1${at}] ${name}: hi`,
    (at: number, name: string) => `(13.06.2026 18:1${at}) ${name}: hi`,
    (at: number, name: string) => `[13.06.2026 18:1${at}] <${name}> hi`,
    (at: number, name: string) => `${name} (13.06.2026 18:1${at}): hi`,
    (at: number, name: string) => `${name}, [13.06.2026 18:1${at}]\nhi`,
    (at: number, name: string) => `R8/6/13 18:1${at} - ${name}: hi\nmore`,
    (at: number) => `13/06, 18:1${at}:10 - +32 9 123 45 6${at % 2}: hi`,
    (at: number, name: string) => `13/06, 18:1${at}:10 - 🌻 ${name}: hi`,
  ])('refuses lines like those of a chat (%#)', async (line) => {
    const text = Array.from({ length: 8 }, (_, at) => line(at, at % 2 === 0 ? 'Sara' : 'Omar')).join('\n');
    await expect(read('a.txt', text)).rejects.toThrow('no line of it begins with a date');
    await expect(read('a.txt', text.split('\n', 6).join('\n'))).rejects.toThrow('--date-format');
  });

  it.each([
    [
      'Signal',
      'From: Mia (+44 7700 900123)\nType: incoming\nSent: Sun, 01 Mar 2026 09:00:00 +0000\n\nI moved.\n',
    ],
    [
      'another exporter',
      ['Mia', 'Me', 'Mia', 'Me'].map((name, at) => `13.06.2026, 18:0${at}\n${name}\nText ${at}\n`).join('\n'),
    ],
  ])('refuses the blocks of %s', async (_program, text) => {
    await expect(read('chat.txt', text)).rejects.toThrow(
      /layout of an exporter of Signal or iMessage.*JSON lines/,
    );
  });

  it('refuses a file without messages that was named as WhatsApp’s', async () => {
    using folder = temporaryFolder();
    const path = folder.write('a.txt', 'Dear diary,\ntoday it rained.');
    await expect(readAll(whatsAppImporter, path)).rejects.toThrow('no line of it begins with a date');
  });

  it.each<[format: string, first: string, second: string]>([
    ["D 'xyzzy' YYYY H:mm M", '13 xyzzy 2026 18:08 6 - ', '14 xyzzy 2026 06:09 6 - '],
    ['YYYYMMDD HHmm', '20260613 1808 ', '20260614 0609 '],
    ['H:mm * D/M/YY', '18:08 den 13/6/26 - ', '6:09 den 14/6/26 - '],
    ['M/D/YY h:mm a', '6/13/26 6:08 PM, ', '6/14/26 6:09 AM, '],
    ["YYYY-MM-DD'T'HH:mm:ss*", '[2026-06-13T18:08:09Z] ', '[2026-06-14T06:09:09Z] '],
  ])('reads the given form %s', async (dateFormat, first, second) => {
    using folder = temporaryFolder();
    const text = `${first}Sara: I moved\nto Amman\n${second}Omar: When?`;
    const records = await readAll(whatsAppImporter, folder.write('a.txt', text), {
      settings: { dateFormat },
    });
    expect(
      turnsOf(records).map(({ at, content, speaker }) => [
        (at as Date).toISOString().slice(0, 16),
        speaker,
        content,
      ]),
    ).toEqual([
      [FIRST, 'Sara', 'I moved\nto Amman'],
      [SECOND, 'Omar', 'When?'],
    ]);
  });

  it.each(['', 'D.M.YYYY', 'H:mm', 'D.M.YYYY H:mm D', 'words'])(
    'rejects the form "%s"',
    async (dateFormat) => {
      await expect(read('a.txt', '13.6.2026, 18:08 - Ana: hi', { dateFormat })).rejects.toThrow(
        'dateFormat: is not a form of dates and times such as "D.M.YYYY H:mm"',
      );
    },
  );

  it('does not let one chat of a folder hide the others', async () => {
    using folder = temporaryFolder();
    folder.write('_chat.txt', 'Hola 1');
    folder.write('b.txt', '13.06.2026, 18:08 - Ana: hi');
    const records = await readAll(whatsAppImporter, folder.path);
    expect(turnsOf(records).map(({ content }) => content)).toEqual(['hi']);
    expect(rejectionsOf(records)).toEqual([expect.stringMatching(/^_chat\.txt: no line of it begins/)]);
  });
});

it.each<[what: string, text: string]>([
  [
    'a diary',
    '2 March 2026: We went to the lake.\nIt rained.\n\n3 March 2026: Home again.\n4 March 2026: Work.',
  ],
  [
    'a diary with times',
    '2 March 2026, 10:30\nWe went to the lake: it rained.\n\n3 March 2026, 11:00\nHome again.',
  ],
  ['minutes', 'Minutes of 1 March 2026\n\n10:30 Anna: We should move.\n10:35 Ben: Yes.\n10:40 Anna: Good.'],
  [
    'a list of changes',
    '2026-03-01 10:00 - Fixed: the crash\n2026-03-02 11:00 - Added: a button\n2026-03-03 12:00 - Changed: words',
  ],
  ['versions', '1.2.3 (2026-03-01): first\n1.2.4 (2026-03-02): second\n1.2.5 (2026-03-03): third'],
  [
    'a log',
    '2026-03-01 10:00:00 INFO: started\n2026-03-01 10:00:01 ERROR: failed\n2026-03-01 10:00:02 INFO: stopped',
  ],
  [
    'a log with dashes',
    '2026-03-01 10:00:00 - INFO - app: started\n2026-03-01 10:00:01 - ERROR - app: failed',
  ],
  [
    'a log in brackets',
    '[2026-03-01 10:00:00] production.ERROR: it failed\n[2026-03-01 10:00:01] production.INFO: ok',
  ],
  [
    'a log of a program',
    '2026-03-01 10:00:00 server: started\n2026-03-01 10:00:01 server: stopped\n2026-03-01 10:00:02 server: x',
  ],
  ['a log with zones', '2026-03-01T10:00:00.123Z app[1]: started\n2026-03-01T10:00:01.456Z app[1]: stopped'],
  [
    'what was eaten',
    '2026-03-01 08:00 Breakfast: eggs\n2026-03-01 12:00 Lunch: soup\n2026-03-01 19:00 Dinner: fish',
  ],
  [
    'a transcript',
    '00:01:02 Anna: Hello.\n00:01:05 Ben: Hi.\n00:01:09 Anna: Shall we begin?\n00:01:12 Ben: Yes.',
  ],
  [
    'a transcript in brackets',
    '[00:01:02] Anna: Hello.\n[00:01:05] Ben: Hi.\n[00:01:09] Anna: So.\n[00:01:12] Ben: Yes.',
  ],
  ['a schedule', '13.06.2026 18:08 - Beginning\n13.06.2026 19:00 - Dinner\n13.06.2026 21:00 - End'],
  ['an e-mail', 'From: Mia\nTo: Ben\nDate: Sun, 01 Mar 2026 09:00:00 +0000\nSubject: Hello\n\nI moved.'],
  ['a letter', 'Ghent, 13 June 2026\n\nDear Ana: I moved on 12/6/2026 at 18:08.\nYours, Ben'],
  ['telephone numbers', 'Ana 0032 9 123 45 67: home\nBen 0032 9 123 45 68: work\nCarl 0032 9 123 45 69: fax'],
  [
    'a week',
    'Mon 10:30 - Yoga: hall 1\nTue 10:30 - Yoga: hall 2\nWed 18:00 - Swimming: pool\nThu 10:30 - Yoga: hall 1',
  ],
  ['a recipe', 'Step 1, 10:30 - Dough: mix it\n\nStep 2: bake'],
  ['verses', '1:1 In the beginning: light.\n1:2 And the earth: dark.\n1:3 Then: day.'],
  [
    'accounts',
    '13.06.2026 12,50 EUR Bakery: bread\n14.06.2026 8,20 EUR Bakery: cake\n15.06.2026 9,10 EUR Kiosk: paper',
  ],
  [
    'a text that quotes a message',
    'My notes\n\n[13.06.2026, 18:08:09] Ana: hi\n\nShe wrote it.\nI read it.\nThen I slept.',
  ],
])('documents with dates reads %s as a text', async (_what, text) => {
  expect((await read('notes.txt', text)).format).toBe('text');
});

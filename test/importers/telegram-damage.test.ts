import { describe, expect, it } from 'vitest';
import { detectFormat } from '../../src/importers/detect-format.ts';
import { mendJson } from '../../src/importers/json/mend-json.ts';
import { telegramImporter } from '../../src/importers/telegram/telegram.ts';
import { readAll, rejectionsOf, temporaryFolder, turnsOf } from './temporary-file.ts';

const message = (id: number, text: string) => ({
  id,
  type: 'message',
  date: '2026-03-01T10:00:00',
  date_unixtime: String(1_772_359_200 + id),
  from: 'Mia',
  from_id: 'user11',
  text,
  text_entities: [{ type: 'plain', text }],
});
const chat = (id: number, texts: readonly string[]) => ({
  name: `Chat ${id}`,
  type: 'personal_chat',
  id,
  messages: texts.map((text, at) => message(at + 1, text)),
});
const account = {
  about: 'x',
  personal_information: { user_id: 1 },
  chats: { about: 'x', list: [chat(1, ['a1', 'a2']), chat(2, ['b1', 'PLACE', 'b3']), chat(3, ['c1', 'c2'])] },
};

async function read(content: string | Uint8Array) {
  using folder = temporaryFolder();
  const notes: string[] = [];
  const path = folder.write('result.json', content);
  expect((await detectFormat(path)).importer.name).toBe('telegram');
  const records = await readAll(telegramImporter, path, {
    onNote: (note) => notes.push(note),
  });
  const said = turnsOf(records).map(({ content: text, session }) => `${session?.slice(9)} ${text}`);
  return { said, notes, rejections: rejectionsOf(records) };
}

const LAYOUTS = [
  ['as Telegram lays it out', 1],
  ['on one line', undefined],
] as const;

describe.each(LAYOUTS)('a damaged export of Telegram, %s', (_layout, indent) => {
  const written = (replaced: (json: string) => string) => replaced(JSON.stringify(account, null, indent));
  const all = (text: string) => ['1 a1', '1 a2', '2 b1', `2 ${text}`, '2 b3', '3 c1', '3 c2'];

  it.each<[what: string, place: string, text: string]>([
    ['a control character in hexadecimal', String.raw`one\x0B two`, 'one two'],
    ['a zero', String.raw`one\x00 two`, 'one two'],
    ['an escape of a terminal', String.raw`\x1B[0mone`, '[0mone'],
    ['a byte above 127', String.raw`caf\xE9`, 'café'],
    ['a backslash before x', String.raw`C:\\x0B`, String.raw`C:\x0B`],
    ['other escapes of C', String.raw`one\v\a\'two\'`, "one'two'"],
    ['a control character as it is', 'one\u0001\u000b two', 'one two'],
    ['a zero as it is', 'one\u0000 two', 'one two'],
    ['a tab and a line as they are', 'one\ttwo\nthree', 'one\ttwo\nthree'],
    ['a short escape of a character', String.raw`one\u12 two`, 'oneu12 two'],
  ])('is mended if it has %s', async (_what, place, text) => {
    const { notes, rejections, said } = await read(written((json) => json.replaceAll('PLACE', () => place)));
    expect(said).toEqual(all(text));
    expect(rejections).toEqual([]);
    const isJson = place.includes('C:');
    expect(notes).toEqual(
      isJson
        ? []
        : [expect.stringMatching(/^\d+ places? that (?:is|are) not JSON, as some programs write it, w/)],
    );
  });

  it.each<[what: string, change: (json: string) => string]>([
    ['ids without quotes', (json) => json.replaceAll('"user11"', 'user11')],
    ['keys without quotes', (json) => json.replaceAll('"from_id"', 'from_id')],
    ['missing values', (json) => json.replaceAll('"user11"', '')],
    [
      'commas before ends',
      (json) => json.replaceAll(/\}(\s*)\]/g, '},$1]').replaceAll(/\](\s*)\}/g, '],$1}'),
    ],
    ['two commas', (json) => json.replaceAll(/\},(\s*)\{/g, '},$1,{')],
    ['missing commas between messages', (json) => json.replaceAll(/\},(\s*)\{/g, '}$1{')],
    ['words for no value', (json) => json.replaceAll('"user11"', 'undefined')],
    ['numbers with leading zeros', (json) => json.replaceAll('"user11"', '0011')],
  ])('is mended if it has %s', async (_what, change) => {
    const { rejections, said } = await read(written(change));
    expect(said).toEqual(all('PLACE'));
    expect(rejections).toEqual([]);
  });

  it.each([
    ['a quote that is not escaped', 'He said "hi" to me'],
    ['one quote', 'A screen of 15" is enough'],
    ['quotes and brackets', 'x": [1, {"y" and "z"'],
    ['a quote before a comma', 'He said "hi", then he left'],
  ])('loses only the message with %s', async (_what, place) => {
    const { rejections, said } = await read(written((json) => json.replaceAll('PLACE', () => place)));
    expect(said).toEqual(all('PLACE').filter((each) => each !== '2 PLACE'));
    expect(rejections).toEqual(['chat 2, message 2: it is not JSON, or the file breaks off within it']);
  });

  it('loses only the last message of a chat if that is damaged', async () => {
    const { rejections, said } = await read(written((json) => json.replaceAll('"b3"', '"b" 3"')));
    expect(said).toEqual(all('PLACE').filter((each) => each !== '2 b3'));
    expect(rejections[0]).toBe('chat 2, message 3: it is not JSON, or the file breaks off within it');
  });

  it('is imported up to the break, wherever that is', async () => {
    const json = written((each) => each);
    const start = json.indexOf('a1');
    let before = 0;
    for (let end = start + 400; end < json.length; end += 97) {
      const { rejections, said } = await read(json.slice(0, end));
      expect(said, String(end)).toEqual(all('PLACE').slice(0, said.length));
      expect(said.length).toBeGreaterThanOrEqual(before);
      if (json.slice(end).trim().length > 3) expect(rejections.length, String(end)).toBeGreaterThan(0);
      before = said.length;
    }
    expect(before).toBeGreaterThan(5);
  });

  it('is imported up to a break within a character', async () => {
    const bytes = Buffer.from(written((json) => json.replaceAll('b3', 'b€')));
    const { said } = await read(bytes.subarray(0, bytes.indexOf('€') + 1));
    expect(said).toEqual(['1 a1', '1 a2', '2 b1', '2 PLACE']);
  });

  it('is imported with a byte that is not UTF-8, in UTF-16, and with a byte order mark', async () => {
    const bad = Buffer.from(written((json) => json.replaceAll('PLACE', 'a#b')));
    for (let at = bad.indexOf('#'); at >= 0; at = bad.indexOf('#', at + 1)) bad[at] = 0xff;
    expect((await read(bad)).said).toEqual(all('a\ufffdb'));
    const json = `\ufeff${written((each) => each)}`;
    const little = Buffer.from(json, 'utf16le');
    for (const content of [json, little, Buffer.from(little).swap16()])
      expect((await read(content)).said).toEqual(all('PLACE'));
  });
});

describe('mendJson', () => {
  it('reads JSON as JSON.parse does', () => {
    const value = {
      a: [1, -2.5e3, 'x\n"\u20ac\\', true, false, null, {}, [[]]],
      __proto__x: { y: '' },
      b: {},
    };
    for (const indent of [undefined, 2])
      expect(mendJson(JSON.stringify(value, null, indent))).toEqual({
        value,
        mended: 0,
        broken: new Set(),
        end: null,
      });
    expect(Object.keys(mendJson('{"__proto__": 1}').value as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('takes linear time for what it cannot mend', () => {
    const texts = [
      '['.repeat(500_000),
      '{"a":'.repeat(200_000),
      '[{"a":1 x},'.repeat(100_000),
      `["${'\\'.repeat(500_001)}`,
    ];
    for (const text of texts) expect(mendJson(text)).toBeDefined();
  });

  it('has no value for a text that is none', () => {
    expect(mendJson('').value).toBeUndefined();
    expect(mendJson(']').value).toBeUndefined();
    expect(mendJson('{"a":1} {"a":2}')).toMatchObject({ value: { a: 1 }, end: 8 });
  });
});

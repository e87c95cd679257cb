import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatGptImporter } from '../../src/importers/chatgpt/chatgpt.ts';
import type { ImportSettings } from '../../src/importers/importer.ts';
import { FIXTURES, readAll, rejectionsOf, SHARED_DATA, temporaryFolder, turnsOf } from './temporary-file.ts';

const REAL = join(SHARED_DATA, 'chat-exports/chatgpt');
const FILE = join(FIXTURES, 'chatgpt.json');

const message = (text: unknown, more = {}) => ({
  author: { role: 'user' },
  create_time: 1_704_100_000,
  content: { content_type: 'text', parts: [text] },
  ...more,
});
const chat = (mapping: object, more = {}) => ({ id: 'c', title: 'T', mapping, ...more });

async function readValue(value: unknown, settings: ImportSettings = {}) {
  using folder = temporaryFolder();
  return await readAll(chatGptImporter, folder.json(value), { settings });
}

describe('chatgpt importer', () => {
  it('reads the path shown last, with its attachments and tool output', async () => {
    const leftOut: string[] = [];
    const records = await readAll(chatGptImporter, FILE, {
      settings: { me: 'Mara' },
      onLeftOut: ({ where, reason }) => leftOut.push(`${where}: ${reason}`),
    });
    expect(turnsOf(records).map(({ speaker, role, content }) => [speaker, role, content])).toEqual([
      ['Mara', 'user', 'My kiln in Lisbon cracked. What now?'],
      ['browser', 'tool', 'Kilns\nhttps://kilns.example\nCracks are patched.'],
      ['ChatGPT', 'assistant', 'Patch it with kiln cement.'],
      ['Mara', 'user', 'Thanks, I will.'],
      ['Mara', 'user', 'My sister Vera lives in Ghent.'],
    ]);
    expect(records[0]).toMatchObject({
      where: 'conversation 1, message 3',
      conversation: { id: 'chatgpt/conv-kiln', title: 'Firing a kiln' },
      turn: {
        session: 'chatgpt/conv-kiln',
        sourceId: 'conv-kiln/n2',
        at: new Date('2024-01-01T09:06:50.250Z'),
        attachments: [
          { kind: 'image', description: 'kiln.jpg', uri: 'file-service://file-kiln1' },
          { kind: 'file', description: 'firing-log.txt', uri: 'file-log' },
        ],
      },
    });
    expect(turnsOf(records)[3]?.attachments).toEqual([
      { kind: 'audio', description: '', uri: 'sediment://file-voice' },
    ]);
    expect(rejectionsOf(records)).toEqual(['conversation 2: mapping: is missing or not an object']);
    expect(leftOut).toEqual([
      'conversation 1, message 2: a hidden message',
      'conversation 1, message 5: the call of a tool',
      'conversation 1, message 7: reasoning of a model',
      'conversation 1, message 4: on a branch that is not the one shown last',
    ]);
  });

  it('gives a message without a time that of the one before, or of the conversation', async () => {
    const turns = turnsOf(await readAll(chatGptImporter, FILE));
    expect(turns[2]?.at).toEqual(new Date(1_704_100_032_000));
    expect(turns[4]?.at).toEqual(new Date(1_704_200_000_000));
  });

  it('reads other branches on request, each into a separate session', async () => {
    const turns = turnsOf(await readAll(chatGptImporter, FILE, { settings: { branches: 'all' } }));
    const other = turns.find(({ content }) => content === 'An answer that was asked for anew.');
    expect(other).toMatchObject({ session: 'chatgpt/conv-kiln/branch-n3', sourceId: 'conv-kiln/n3' });
    expect(turns).toHaveLength(6);
  });

  it('survives cycles, orphans, unknown keys and missing ends', async () => {
    const circle = await readValue(
      chat({
        a: { parent: 'b', message: message('one') },
        b: { parent: 'a', message: message('two') },
        c: { parent: 'nobody', message: message('three', { create_time: 1_704_100_009 }) },
      }),
      { branches: 'all' },
    );
    const said = turnsOf(circle).map(({ content }) => content);
    expect(said.toSorted()).toEqual(['one', 'three', 'two']);
    const ends = await readValue(chat({ a: { message: message('x') } }, { current_node: 'nobody' }));
    expect(turnsOf(ends)).toHaveLength(1);
    const itself = await readValue(
      chat({ a: { parent: 'a', message: message('x') } }, { current_node: 'a' }),
    );
    expect(turnsOf(itself)).toHaveLength(1);
    using folder = temporaryFolder();
    const hostile = folder.write(
      'a.json',
      `[{"id":"p","__proto__":{"polluted":1},"mapping":{"__proto__":{"message":{"polluted":1}},"constructor":{"message":${JSON.stringify(message('safe'))}}}}]`,
    );
    expect(turnsOf(await readAll(chatGptImporter, hostile)).map(({ content }) => content)).toEqual(['safe']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('rejects invalid entries by position, without their text, and reads the others', async () => {
    const records = await readValue(
      chat(
        {
          a: { message: message('one') },
          b: { parent: 'a', message: { author: 'secret', content: {} } },
          c: { parent: 'b', message: message('far', { create_time: 1e15 }) },
          d: { parent: 'c', message: message('when', { create_time: 'secret' }) },
          e: { parent: 'd', message: message(`nul\u0000 and \u0007 bell`) },
          f: { parent: 'e', message: message('x'.repeat(5_000_001)) },
        },
        { current_node: 'f' },
      ),
    );
    expect(turnsOf(records).map(({ content }) => content)).toEqual(['one', 'nul and  bell']);
    expect(rejectionsOf(records)).toEqual([
      'conversation 1, message 2: author: is missing or not an object',
      'conversation 1, message 3: create_time: is not a time between 1970 and 2200',
      'conversation 1, message 4: create_time: is not a time',
      'conversation 1, message 6: is longer than 5000000 characters',
    ]);
  });

  it('truncates a message that exceeds the length of a turn', async () => {
    const text = `${'One sentence. '.repeat(20_000)}end`;
    const turns = turnsOf(await readValue(chat({ a: { message: message(text) } })));
    expect(turns.map(({ sourceId }) => sourceId)).toEqual(['c/a', 'c/a/part-2']);
    expect(turns.map(({ content }) => content).join('')).toBe(text);
  });

  it('distinguishes a second conversation with the same id, and limits invalid ids', async () => {
    const one = chat({ a: { message: message('one') } });
    const twice = await readValue([one, one]);
    expect(rejectionsOf(twice)).toEqual(['conversation 2: an earlier conversation has the same id']);
    const [turn] = turnsOf(await readValue(chat({ a: { message: message('x') } }, { id: 'i'.repeat(900) })));
    expect(turn?.session?.length).toBeLessThan(100);
    const nameless = { title: 'T', create_time: 1, mapping: one.mapping };
    const [first] = turnsOf(await readValue([nameless]));
    const [, again] = turnsOf(await readValue([{ ...nameless, title: 'New' }, nameless]));
    expect(again?.sourceId).toBe(first?.sourceId);
  });

  it('reads the complete part of a truncated file', async () => {
    using folder = temporaryFolder();
    const whole = JSON.stringify([chat({ a: { message: message('one') } }), { id: 'd', mapping: {} }]);
    const records = await readAll(chatGptImporter, folder.write('a.json', whole.slice(0, -12)));
    expect(turnsOf(records)).toHaveLength(1);
    expect(rejectionsOf(records)).toEqual([
      'conversation 2: the file ends too early, within or before this one',
    ]);
    const strict = readAll(chatGptImporter, folder.write('b.json', whole.slice(0, -12)), { tolerate: false });
    await expect(strict).rejects.toThrow('conversation 2: the file ends too early');
    for (const [text, reason] of [
      ['', 'it is empty'],
      ['secret', 'it is not JSON from line 1, column 1 on'],
      ['{"mapping":', 'it ends too early'],
    ] as const)
      await expect(readAll(chatGptImporter, folder.write('c.json', text))).rejects.toThrow(reason);
    const torn = await readAll(chatGptImporter, folder.write('d.json', `[{"a":1]},${whole.slice(1)}`));
    expect(torn.length).toBeGreaterThan(0);
  });

  it('walks a chat of 20,000 nested messages', async () => {
    const mapping = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [
        `n${at}`,
        { parent: at === 0 ? null : `n${at - 1}`, message: message(`m${at}`) },
      ]),
    );
    const turns = turnsOf(await readValue(chat(mapping, { current_node: 'n19999' })));
    expect([turns.length, turns[0]?.content, turns.at(-1)?.content]).toEqual([20_000, 'm0', 'm19999']);
  });

  it.skipIf(!existsSync(REAL))('reads the samples (skipped if absent)', async () => {
    for (const name of readdirSync(REAL).filter((each) => each.endsWith('.json'))) {
      const records = await readAll(chatGptImporter, join(REAL, name));
      expect(rejectionsOf(records)).toEqual([]);
      expect(turnsOf(records).length, name).toBeGreaterThan(0);
    }
  });
});

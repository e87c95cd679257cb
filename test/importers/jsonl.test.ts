import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CancelledError, FileUnreadableError } from '../../src/errors/index.ts';
import { detectFormat } from '../../src/importers/detect-format.ts';
import type { ImportProgress } from '../../src/importers/importer.ts';
import { jsonlImporter, MAX_LINE_BYTES } from '../../src/importers/jsonl.ts';
import { parseTimestamp } from '../../src/util/parse-timestamp.ts';
import { FIXTURES, readAll, rejectionsOf, temporaryFolder, turnsOf } from './temporary-file.ts';

const line = (content: string, more = {}) =>
  JSON.stringify({ content, at: '2024-03-01T09:00:00Z', index: 0, ...more });

async function readText(content: string | Uint8Array) {
  using folder = temporaryFolder();
  return await readAll(jsonlImporter, folder.write('turns.jsonl', content));
}

describe('jsonl importer', () => {
  it('reads each line as the input of add', async () => {
    const records = await readAll(jsonlImporter, join(FIXTURES, 'turns.jsonl'));
    expect(records.map((record) => record.where)).toEqual(['line 1', 'line 2', 'line 3']);
    expect(records[1]).toMatchObject({
      kind: 'turn',
      line: 2,
      turn: { content: 'Which street?', role: 'assistant' },
    });
    expect(turnsOf(records)[2]).toMatchObject({ source: 'notes', sourceId: 'n-3', at: 1709283610000 });
  });

  it('accepts a byte order mark, CRLF, blank lines and a missing last line end', async () => {
    const records = await readText(`\uFEFF${line('a')}\r\n\r\n   \n${line('b')}`);
    expect(turnsOf(records).map((turn) => turn.content)).toEqual(['a', 'b']);
    expect(records.map((record) => record.where)).toEqual(['line 1', 'line 4']);
  });

  it('reads an empty file as no turns', async () => expect(await readText('')).toEqual([]));

  it('keeps line separators inside a text', async () => {
    const [turn] = turnsOf(await readText(line('a\u2028b\u0085c')));
    expect(turn?.content).toBe('a\u2028b\u0085c');
  });

  it('reads characters split across chunks', async () => {
    const contents = Array.from({ length: 3000 }, (_, n) => `${'€'.repeat(97)}${n}`);
    const turns = turnsOf(await readText(contents.map((content) => line(content)).join('\n')));
    expect(turns.map((turn) => turn.content)).toEqual(contents);
  });

  it('reports each invalid line with its number and reads the others', async () => {
    const bad = [
      ['{"content":"secret', 'line 2: it ends too early, at column 19'],
      ['{"content": secret}', 'line 2: it is not JSON from column 13 on'],
      ['[1]', 'line 2: is not an object'],
      ['{"at":"2024-03-01"}', 'line 2: content: is missing or not a text'],
      ['{"content":"secret","at":true}', 'line 2: at: is missing or of the wrong kind'],
      [line('secret', { at: 'secret' }), 'line 2: at is not a time'],
      [line('secret', { role: 'secret' }), /^line 2: role: is none of user, assistant/],
      [line(' \n '), 'line 2: content is empty'],
      [line('secret', { secret: 1 }), /^line 2: has a field that is none of content, at, speaker/],
      [
        line('s', { attachments: [{ kind: 'i', description: '', secret: 1 }] }),
        /attachments.0: has an unknown field/,
      ],
      [line('secret', { at: 1e300 }), /^line 2: at: /],
      [line('s'.repeat(250_001)), 'line 2: content: is longer than 250000 characters; split it'],
    ] as const;
    for (const [text, reason] of bad) {
      const records = await readText([line('first'), text, line('third')].join('\n'));
      expect(turnsOf(records).map((turn) => turn.content)).toEqual(['first', 'third']);
      const [rejection, ...others] = rejectionsOf(records);
      expect(others).toEqual([]);
      expect(rejection).toMatch(reason);
      expect(rejection).not.toContain('secret');
    }
  });

  it('reports invalid UTF-8 and reads the next line', async () => {
    const bytes = Buffer.concat([Buffer.from('{"content":"\xff"}\n', 'latin1'), Buffer.from(line('é'))]);
    const records = await readText(bytes);
    expect(rejectionsOf(records)).toEqual(['line 1: is not UTF-8 text']);
    expect(turnsOf(records).map((turn) => turn.content)).toEqual(['é']);
  });

  it('rejects a line over 8 MB and reads the next', async () => {
    const long = line('x'.repeat(MAX_LINE_BYTES));
    const records = await readText(`${long}\n${line('next')}\n${long}`);
    expect(rejectionsOf(records)).toEqual([
      `line 1: is longer than ${MAX_LINE_BYTES} bytes`,
      `line 3: is longer than ${MAX_LINE_BYTES} bytes`,
    ]);
    expect(turnsOf(records)).toHaveLength(1);
  });

  it('reads an attachment without text as a turn', async () => {
    const attachments = [{ kind: 'image', description: 'a cat' }];
    expect(turnsOf(await readText(line('', { attachments })))).toHaveLength(1);
  });

  it('gives a line without identity a stable one, equal in a second import', async () => {
    const text = [
      line('hm', { index: undefined }),
      line('hm', { index: undefined }),
      line('own', { index: 4 }),
    ].join('\n');
    const ids = turnsOf(await readText(text)).map((turn) => turn.sourceId);
    expect(ids[0]).toMatch(/^said:/);
    expect(ids[1]).toBe(`${ids[0]}#2`);
    expect(ids[2]).toBeUndefined();
    expect(turnsOf(await readText(text)).map((turn) => turn.sourceId)).toEqual(ids);
  });

  it('gives a line without a time the present one, and an identity without it', async () => {
    using folder = temporaryFolder();
    const path = folder.write('turns.jsonl', '{"content":"a"}\n{"content":"a"}\n{"content":"b","index":3}');
    const notes: string[] = [];
    const read = async () =>
      turnsOf(await readAll(jsonlImporter, path, { onNote: (note) => void notes.push(note) }));
    const before = Date.now();
    const turns = await read();
    for (const { at } of turns) expect((at as Date).getTime()).toBeGreaterThanOrEqual(before);
    expect(notes).toEqual([
      '3 turns have no time ("at") and get the present one, if memory does not have them yet',
    ]);
    vi.useFakeTimers({ now: before + 60_000, toFake: ['Date'] });
    const again = await read().finally(() => vi.useRealTimers());
    expect(again.map(({ sourceId }) => sourceId)).toEqual(turns.map(({ sourceId }) => sourceId));
    expect(turns.map(({ sourceId }) => sourceId)).toEqual([
      expect.any(String),
      `${turns[0]!.sourceId}#2`,
      undefined,
    ]);
    expect((await detectFormat(path)).importer.name).toBe('jsonl');
  });

  it('yields nothing from a file with an invalid line if none is tolerated', async () => {
    using folder = temporaryFolder();
    const path = folder.write('turns.jsonl', `${line('good')}\nsecret`);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const record of jsonlImporter.read(path, { tolerate: false })) seen.push(record);
    })();
    await expect(reading).rejects.toThrow(
      'line 2: it is not JSON from column 1 on. Nothing of it was imported.',
    );
    expect(seen).toEqual([]);
    const good = folder.write('good.jsonl', line('good'));
    expect(turnsOf(await readAll(jsonlImporter, good, { tolerate: false }))).toHaveLength(1);
  });

  it('reads the trust of a turn if the line has one', async () => {
    const text = [line('a', { trust: 'low' }), line('b', { trust: 'high' }), line('c')].join('\n');
    expect(turnsOf(await readText(text)).map((turn) => turn.trust)).toEqual(['low', 'high', undefined]);
    expect(rejectionsOf(await readText(line('d', { trust: 'secret' })))).toEqual([
      'line 1: trust: is none of low, normal, high',
    ]);
  });

  it('reports the number of bytes read', async () => {
    const seen: ImportProgress[] = [];
    using folder = temporaryFolder();
    const text = `${line('a'.repeat(200_000))}\n`.repeat(3);
    await readAll(jsonlImporter, folder.write('a.jsonl', text), {
      onProgress: (progress) => seen.push(progress),
    });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toEqual({ unit: 'bytes', done: text.length, total: text.length });
  });

  it('stops when the signal fires', async () => {
    using folder = temporaryFolder();
    const path = folder.write('a.jsonl', `${line('a'.repeat(200_000))}\n`.repeat(10));
    const abort = new AbortController();
    let read = 0;
    const reading = (async () => {
      for await (const _ of jsonlImporter.read(path, { signal: abort.signal }))
        if (++read === 2) abort.abort();
    })();
    await expect(reading).rejects.toSatisfy(CancelledError.isInstance);
    expect(read).toBeLessThan(10);
  });

  it('reports errors of the file as a whole', async () => {
    using folder = temporaryFolder();
    const wrong: [path: string, reason: string][] = [
      [folder.path, 'it is a directory'],
      [join(folder.path, 'none.jsonl'), 'there is no such file'],
      [`${folder.path}/\0`, 'its name is not valid'],
      [
        folder.write('utf16.jsonl', Buffer.from('\uFEFF{}', 'utf16le')),
        'it is UTF-16 text; save it as UTF-8',
      ],
      [folder.write('a.jsonl.gz', Uint8Array.of(0x1f, 0x8b, 8, 0)), 'it is compressed; unpack it first'],
    ];
    for (const [path, reason] of wrong) {
      const error = await readAll(jsonlImporter, path).catch((cause: unknown) => cause);
      expect(error).toSatisfy(FileUnreadableError.isInstance);
      expect((error as Error).message).toContain(reason);
    }
  });

  it.skipIf(process.platform === 'win32')(
    'reads a pipe, but not twice (skipped on Windows: no mkfifo)',
    async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, 'pipe');
      execFileSync('mkfifo', [path]);
      const { writeFile } = await import('node:fs/promises');
      const [records] = await Promise.all([readAll(jsonlImporter, path), writeFile(path, line('piped'))]);
      expect(turnsOf(records)).toHaveLength(1);
      const strict = readAll(jsonlImporter, path, { tolerate: false });
      await Promise.all([expect(strict).rejects.toThrow('it is not a regular file'), writeFile(path, '')]);
    },
  );
});

describe('lines of other programs', () => {
  it.each<[value: object, at: string]>([
    [{ timestamp: '2026-03-01T09:00:00Z' }, '2026-03-01T09:00:00'],
    [{ created_at: '2026-03-01T09:00:00+01:00' }, '2026-03-01T08:00:00'],
    [{ createdAt: '2026-03-01T09:00:00.000Z' }, '2026-03-01T09:00:00'],
    [{ time: '2026-03-01 09:00' }, '2026-03-01T09:00:00'],
    [{ date: '2026-03-01' }, '2026-03-01T00:00:00'],
    [{ ts: 1_772_355_600 }, '2026-03-01T09:00:00'],
    [{ ts: '1772355600.25' }, '2026-03-01T09:00:00'],
    [{ timestamp: 1_772_355_600_000 }, '2026-03-01T09:00:00'],
    [{ create_time: 1_772_355_600.5 }, '2026-03-01T09:00:00'],
  ])('have their time under another name: %j', async (time, at) => {
    using folder = temporaryFolder();
    const path = folder.write(
      'a.jsonl',
      JSON.stringify({ role: 'user', content: 'I live in Ghent.', ...time }),
    );
    expect((await detectFormat(path)).importer.name).toBe('jsonl');
    const [turn] = turnsOf(await readAll(jsonlImporter, path));
    expect(turn).toMatchObject({ role: 'user', content: 'I live in Ghent.' });
    expect(new Date(parseTimestamp(turn!.at!)!).toISOString().slice(0, 19)).toBe(at);
  });

  it('may name their speaker and session, and may have no time', async () => {
    const lines = [
      '{"role":"user","content":"a","name":"Mia","conversation_id":7,"created_at":null}',
      '{"role":"assistant","content":"b","timestamp":"2026-03-01T09:00:00Z"}',
    ];
    const turns = turnsOf(await readText(lines.join('\n')));
    expect(turns.map(({ content, session, speaker }) => [content, speaker, session])).toEqual([
      ['a', 'Mia', '7'],
      ['b', undefined, 'main'],
    ]);
  });

  it('of the user without a speaker have the name that the import is given, and the identity of one without', async () => {
    using folder = temporaryFolder();
    const lines = [
      '{"role":"user","content":"a"}',
      '{"role":"user","content":"b","speaker":"Mia"}',
      '{"role":"assistant","content":"c"}',
    ];
    const path = folder.write('turns.jsonl', lines.join('\n'));
    const [named, plain] = [
      turnsOf(await readAll(jsonlImporter, path, { settings: { me: 'Ana' } })),
      turnsOf(await readAll(jsonlImporter, path)),
    ];
    expect(named.map(({ speaker }) => speaker)).toEqual(['Ana', 'Mia', undefined]);
    expect(plain.map(({ speaker }) => speaker)).toEqual([undefined, 'Mia', undefined]);
    expect(named.map(({ sourceId }) => sourceId)).toEqual(plain.map(({ sourceId }) => sourceId));
  });

  it('keep what is under a field’s own name, and are rejected for other fields', async () => {
    const at = '2026-03-01T09:00:00Z';
    const records = await readText(
      [line('a', { at, timestamp: at }), line('b', { timestamp: 'soon' })].join('\n'),
    );
    expect(rejectionsOf(records)).toEqual([
      expect.stringMatching(/^line 1: has a field that is none of/),
      expect.stringMatching(/^line 2: /),
    ]);
  });

  it.each(['\r', '\n', '\r\n'])('may end in %j', async (end) => {
    const turns = turnsOf(await readText(['a', 'b', 'c'].map((content) => line(content)).join(end) + end));
    expect(turns.map(({ content }) => content)).toEqual(['a', 'b', 'c']);
  });
});

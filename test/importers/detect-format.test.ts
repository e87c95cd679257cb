import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATASET_IMPORTERS } from '../../eval/datasets/registry.ts';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { detectFormat } from '../../src/importers/detect-format.ts';
import { keyPaths } from '../../src/importers/files/import-file.ts';
import { IMPORTERS } from '../../src/importers/registry.ts';
import { FIXTURES, SHARED_DATA, temporaryFolder } from './temporary-file.ts';
import { writeZip } from './zip-files.ts';

const REAL = join(SHARED_DATA, 'chat-exports');
const ALL = [...IMPORTERS, ...DATASET_IMPORTERS];
const formatOf = async (path: string) => (await detectFormat(path, ALL)).importer.name;

describe('detectFormat', () => {
  it('detects every fixture by its content', async () => {
    using folder = temporaryFolder();
    for (const name of readdirSync(FIXTURES)) {
      const copy = folder.write('data', readFileSync(join(FIXTURES, name)));
      expect(await formatOf(copy), name).toBe(name.replace(/\.jsonl?$/, '').replace('turns', 'jsonl'));
    }
    expect(await detectFormat(join(FIXTURES, 'chatgpt.json'))).toMatchObject({
      because: 'its conversations have a "mapping" of messages',
    });
  });

  it('detects texts by the beginnings of their lines, else by file name', async () => {
    using folder = temporaryFolder();
    expect(await formatOf(folder.write('a.txt', '31/12/21, 22:01 - Ana: hi\n'))).toBe('whatsapp');
    expect(await formatOf(folder.write('b.txt', '\u200e[12/31/21, 10:01:05\u202fPM] Ana: hi\n'))).toBe(
      'whatsapp',
    );
    expect(await formatOf(folder.write('c.txt', 'On 31/12/21 it rained.\n'))).toBe('text');
    expect(await formatOf(folder.write('d.md', '# Kiln\n'))).toBe('markdown');
  });

  it('looks into archives and folders', async () => {
    using folder = temporaryFolder();
    const json = readFileSync(join(FIXTURES, 'claude.json'));
    const path = await writeZip(join(folder.path, 'a.zip'), [
      { name: 'users.json', content: '[]' },
      { name: 'readme.md', content: '# Export' },
      { name: 'conversations.json', content: json },
    ]);
    expect(await formatOf(path)).toBe('claude');
    folder.write('notes.md', '# A');
    expect(await formatOf(folder.path)).toBe('markdown');
    folder.write('result.json', readFileSync(join(FIXTURES, 'telegram.json')));
    expect(await formatOf(folder.path)).toBe('telegram');
  });

  it('reports why it cannot detect a format', async () => {
    using folder = temporaryFolder();
    const wrong: [path: string, reason: string][] = [
      [
        folder.write('a.json', '{"secret": 1}'),
        'its format was not recognized; name it, if it is one of: jsonl,',
      ],
      [folder.write('b.json', ''), 'it is empty, or it is not UTF-8 text'],
      [folder.write('c.bin', Buffer.alloc(10)), 'it is empty, or it is not UTF-8 text'],
      [folder.write('d.jsonl', '{"format":"mnemis-export","version":4}'), 'an export of Mnemis itself'],
      [join(folder.path, 'none'), 'there is no such file'],
      ['/dev/null', 'it is not a regular file, so its format cannot be detected; name the format'],
    ];
    for (const [path, reason] of wrong) {
      const error = await detectFormat(path).catch((cause: unknown) => cause);
      expect(error).toSatisfy(FileUnreadableError.isInstance);
      expect((error as Error).message).toContain(reason);
      expect((error as Error).message).not.toContain('secret');
    }
  });

  it.skipIf(!existsSync(REAL))('detects the samples (skipped if absent)', async () => {
    for (const format of ['chatgpt', 'claude', 'telegram', 'whatsapp'])
      for (const name of readdirSync(join(REAL, format)).filter((each) => !each.endsWith('.md')))
        expect(await formatOf(join(REAL, format, name)), name).toBe(format);
  });
});

it('keyPaths lists the keys of JSON that may be truncated', () => {
  expect([...keyPaths('[{"a":{"b\\"":1,"c":["x:",{"d":null')]).toEqual([
    '[].a',
    '[].a.b\\"',
    '[].a.c',
    '[].a.c[].d',
  ]);
  expect([...keyPaths('not: json')]).toEqual([]);
  expect([...keyPaths('[['.repeat(50_000))]).toEqual([]);
});

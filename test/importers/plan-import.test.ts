import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planImport } from '../../src/importers/plan-import.ts';
import { bytesOf } from '../../src/importers/preview-import.ts';
import { FIXTURES, readAll, temporaryFolder, turnsOf } from './temporary-file.ts';
import { writeZip } from './zip-files.ts';

const fixture = (name: string) => readFileSync(join(FIXTURES, name));

describe('planImport', () => {
  it('recognizes each file of a folder, and reads those of one format together', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'sub'));
    folder.write('conversations.json', fixture('claude.json'));
    folder.write('my-claude.json', fixture('claude.json'));
    folder.write('sub/result.json', fixture('telegram.json'));
    folder.write('turns.jsonl', fixture('turns.jsonl'));
    folder.write('a.md', '# Kiln\n\nIt is hot.');
    folder.write('sub/b.md', '# Owl\n\nIt is awake.');
    folder.write('other.json', '{"a":1}');
    folder.write('picture.jpg', 'x');
    folder.write('broken.zip', 'no');
    await writeZip(join(folder.path, 'chat.zip'), [
      { name: 'conversations.json', content: fixture('chatgpt.json') },
    ]);
    const plan = await planImport(folder.path);
    expect(plan.isFolder).toBe(true);
    expect(plan.parts.map(({ importer, files }) => [importer.name, files])).toEqual([
      ['markdown', ['a.md', 'sub/b.md']],
      ['claude', ['conversations.json']],
      ['telegram', ['sub/result.json']],
      ['chatgpt', ['chat.zip']],
      ['claude', ['my-claude.json']],
      ['jsonl', ['turns.jsonl']],
    ]);
    expect(plan.others).toBe(1);
    expect(plan.unrecognized.map(({ name }) => name)).toEqual(['broken.zip', 'other.json']);
    const [documents] = plan.parts;
    const turns = turnsOf(await readAll(documents!.importer, documents!.path, { only: documents!.only! }));
    expect(turns.map(({ content }) => content)).toEqual(['Kiln\n\nIt is hot.', 'Owl\n\nIt is awake.']);
    expect(await bytesOf(folder.path, new Set(['a.md', 'picture.jpg']))).toBe(19);
  });

  it('takes a file as one part, and says why nothing is recognized', async () => {
    using folder = temporaryFolder();
    const file = folder.write('turns.jsonl', fixture('turns.jsonl'));
    expect(await planImport(file)).toMatchObject({ isFolder: false, parts: [{ path: file, only: null }] });
    using empty = temporaryFolder();
    await expect(planImport(empty.path)).rejects.toThrow('it has no file in a known format');
    empty.write('other.json', '{"secret":1}');
    await expect(planImport(empty.path)).rejects.toThrow('other.json in it: its format was not recognized');
  });
});

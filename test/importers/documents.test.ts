import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markdownImporter, textImporter } from '../../src/importers/documents/documents.ts';
import { readAll, rejectionsOf, temporaryFolder, turnsOf } from './temporary-file.ts';

const NOTE = `---
title: "Studio notes"
date: 2024-03-05
author: Mara
---

Opening words.

# Kiln

It cracked.

\`\`\`sh
# no heading

fire --slow
\`\`\`

## Repair

Patched with cement.

Glaze
-----

Celadon.
`;

describe('markdown importer', () => {
  it('splits at headings, keeps fences together, and reads the front matter', async () => {
    using folder = temporaryFolder();
    const records = await readAll(markdownImporter, folder.write('studio.md', NOTE));
    expect(turnsOf(records).map(({ content }) => content)).toEqual([
      'Opening words.',
      'Kiln\n\nIt cracked.\n\n```sh\n# no heading\n\nfire --slow\n```',
      'Kiln › Repair\n\nPatched with cement.',
      'Kiln › Glaze\n\nCeladon.',
    ]);
    expect(records[2]).toMatchObject({
      where: 'line 21',
      conversation: { id: 'markdown/studio.md', title: 'Studio notes' },
      turn: { speaker: 'Mara', at: new Date('2024-03-05T00:00:02Z'), source: 'markdown' },
    });
  });

  it('reads links of a vault as the words that it shows, outside of code', async () => {
    using folder = temporaryFolder();
    const note = [
      'Title [[Low Tide]], by [[People/Ana Lind|my sister]] and [[People/Ben#Work]]. ![[shots/chart.png|300]]',
      'Not `[[this]]`, [[ -f x ]], [[]] nor [a link](b.md).',
      '',
      '| owner |',
      '|---|',
      '| [[Jeremy\\|Jem]] |',
      '',
      '```sh',
      '[[a]]',
      '```',
      '',
      '# [[Kiln]]',
      '',
      'Hot.',
    ].join('\n');
    const records = await readAll(markdownImporter, folder.write('vault.md', note));
    expect(turnsOf(records).map(({ content }) => content)).toEqual([
      [
        'Title Low Tide, by my sister and Ben > Work. chart.png',
        'Not `[[this]]`, [[ -f x ]], [[]] nor [a link](b.md).',
        '',
        '| owner |',
        '|---|',
        '| Jem |',
        '',
        '```sh',
        '[[a]]',
        '```',
      ].join('\n'),
      'Kiln\n\nHot.',
    ]);
  });

  it('keeps the id of an edited passage, regardless of the text around it', async () => {
    using folder = temporaryFolder();
    const idsOf = async (text: string) =>
      turnsOf(await readAll(markdownImporter, folder.write('studio.md', text))).map(
        ({ sourceId }) => sourceId,
      );
    const before = await idsOf(NOTE);
    expect(await idsOf(NOTE.replace('with cement', 'twice'))).toEqual(before);
    const added = await idsOf(NOTE.replace('# Kiln', '# Wheel\n\nIt spins.\n\n# Kiln'));
    expect(added.filter((id) => !before.includes(id))).toHaveLength(1);
  });

  it('reads a folder, with dates from names and files, and follows no link', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'b'));
    folder.write('2023-04-05 walk.md', 'We walked.');
    utimesSync(folder.write('b/plain.md', 'No date.'), 0, Date.UTC(2022, 0, 2) / 1000);
    folder.write('b/picture.png', 'x');
    folder.write('.hidden.md', 'secret');
    symlinkSync(join(folder.path, 'b/plain.md'), join(folder.path, 'link.md'));
    folder.write('old.md', Buffer.from('\xe9', 'latin1'));
    const notes: string[] = [];
    const records = await readAll(markdownImporter, folder.path, { onNote: (note) => notes.push(note) });
    expect(
      turnsOf(records).map(({ at, content }) => [(at as Date).toISOString().slice(0, 10), content]),
    ).toEqual([
      ['2023-04-05', 'We walked.'],
      ['2022-01-02', 'No date.'],
    ]);
    expect(rejectionsOf(records)).toEqual([
      'link.md: is a link or not a regular file',
      'old.md: it is not UTF-8 text',
    ]);
    expect(notes).toHaveLength(1);
    await expect(readAll(textImporter, folder.path)).rejects.toThrow('it has no file of the format text');
  });
});

it('text importer joins short paragraphs and splits long ones', async () => {
  using folder = temporaryFolder();
  const long = 'word '.repeat(250).trim();
  const text = `One.\r\n\r\n# Two.\r\n\r\n${long}\r\n\r\n${long}`;
  const records = await readAll(textImporter, folder.write('2024-01-01.txt', text), {
    settings: { conversation: 'Diary' },
  });
  expect(turnsOf(records).map(({ content }) => content)).toEqual([`One.\n\n# Two.\n\n${long}`, long]);
  expect(turnsOf(records)[0]).toMatchObject({ session: 'text/Diary', speaker: 'user' });
});

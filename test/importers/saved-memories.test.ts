import { describe, expect, it } from 'vitest';
import { savedMemoriesImporter } from '../../src/importers/saved-memories.ts';
import { imported } from './imported.ts';
import { readAll, temporaryFolder, turnsOf } from './temporary-file.ts';

const TEXT = [
  '```',
  '## Identity',
  '[2026-03-01] - Lives in Ghent.',
  '- [2025-12] – Plays the oboe,',
  '  since school.',
  '[unknown] - Prefers short answers.',
  '[2026-02-30] - Never was.',
  '```',
].join('\n');

describe('saved memories', () => {
  it('reads what an assistant printed, with its dates', async () => {
    using folder = temporaryFolder();
    const read = await imported(folder.write('memories.txt', TEXT), { me: 'Ann' });
    expect(read.name).toBe('saved-memories');
    expect(read.said).toEqual([
      'saved-memories/memories.txt Ann: Lives in Ghent.',
      'saved-memories/memories.txt Ann: Plays the oboe, since school.',
      'saved-memories/memories.txt Ann: Prefers short answers.',
    ]);
    expect(read.turns[0]?.at).toEqual(new Date('2026-03-01'));
    expect(read.turns[1]?.at).toEqual(new Date('2025-12-01'));
    expect(read.rejected).toEqual(['line 7: its date is not a time']);
    expect(read.notes).toEqual(['Memories without a date get that of the file']);
  });

  it('gives each as a statement with its turn as evidence', async () => {
    using folder = temporaryFolder();
    const path = folder.write('memories.txt', TEXT);
    const facts = [];
    for await (const record of savedMemoriesImporter.facts!(path, { settings: { me: 'Ann' } }))
      if (record.kind === 'fact') facts.push(record.fact);
    expect(facts.map(({ statement, validAt }) => [statement, validAt])).toEqual([
      ['Lives in Ghent.', Date.UTC(2026, 2, 1)],
      ['Plays the oboe, since school.', Date.UTC(2025, 11, 1)],
      ['Prefers short answers.', undefined],
    ]);
    const { ids } = await imported(path);
    expect(facts.map(({ evidence }) => (evidence[0] as { sourceId: string }).sourceId)).toEqual(ids);
  });

  it('takes each line for one where none has a date, if the format is named', async () => {
    using folder = temporaryFolder();
    const path = folder.write('memories.txt', '**Saved**\n\n- User likes tea.\nUser has a dog.\n');
    const records = await readAll(savedMemoriesImporter, path, { settings: { me: 'Ann' } });
    expect(turnsOf(records).map(({ content }) => content)).toEqual(['User likes tea.', 'User has a dog.']);
  });

  it.each(['A note.\n\n[2026-03-01] - One line.\n', 'Just text.', '[x] - done\n[ ] - open'])(
    'does not take %j for them',
    async (text) => {
      using folder = temporaryFolder();
      expect((await imported(folder.write('note.txt', text))).name).toBe('text');
    },
  );
});

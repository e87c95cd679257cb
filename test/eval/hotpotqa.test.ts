import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hotpotQaImporter } from '../../eval/datasets/hotpotqa.ts';
import {
  FIXTURES,
  readAll,
  rejectionsOf,
  SHARED_DATA,
  temporaryFolder,
  turnsOf,
} from '../importers/temporary-file.ts';

const REAL = join(SHARED_DATA, 'multihop/hotpotqa_distractor_100.json');

describe('hotpotqa importer', () => {
  it('reads a passage as a session of one turn', async () => {
    const turns = turnsOf(await readAll(hotpotQaImporter, join(FIXTURES, 'hotpotqa.json')));
    expect(turns).toHaveLength(3);
    expect(turns[2]).toMatchObject({
      content: 'The Mire is a river. It rises in Norland.',
      session: 'Mire (river)',
      speaker: 'Mire (river)',
      role: 'other',
      index: 0,
      source: 'hotpotqa',
      sourceId: 'h-1/2',
    });
  });

  it('reads the columns of Hugging Face', async () => {
    using folder = temporaryFolder();
    const context = { title: ['A', 'A'], sentences: [['One.', 'Two.'], ['Three.']] };
    const turns = turnsOf(await readAll(hotpotQaImporter, folder.json([{ id: 'h', context }])));
    expect(turns.map(({ session, content }) => [session, content])).toEqual([
      ['A', 'One. Two.'],
      ['A#2', 'Three.'],
    ]);
  });

  it('reports invalid entries by position and reads the others', async () => {
    using folder = temporaryFolder();
    const path = folder.json([
      { _id: 'a', context: 'secret' },
      {
        _id: 'b',
        context: [['Good', ['One.']], ['secret'], ['Empty', [' ']], ['secret', ['a', 1]], 'secret'],
      },
    ]);
    const records = await readAll(hotpotQaImporter, path);
    expect(turnsOf(records).map((turn) => turn.session)).toEqual(['b/Good']);
    const rejections = rejectionsOf(records);
    expect(rejections.map((text) => text.split(':')[0])).toEqual([
      'question 1',
      ...[2, 3, 4, 5].map((n) => `question 2, passage ${n}`),
    ]);
    expect(rejections.join()).not.toContain('secret');
  });

  it.skipIf(!existsSync(REAL))(
    'reads 1,000 passages of 100 real questions (skipped without the data)',
    async () => {
      const records = await readAll(hotpotQaImporter, REAL);
      expect(rejectionsOf(records)).toEqual([]);
      expect(turnsOf(records)).toHaveLength(1000);
    },
  );
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { longMemEvalImporter } from '../../eval/datasets/longmemeval.ts';
import {
  FIXTURES,
  readAll,
  rejectionsOf,
  SHARED_DATA,
  temporaryFolder,
  turnsOf,
} from '../importers/temporary-file.ts';

const REAL = join(SHARED_DATA, 'longmemeval/longmemeval_s-3-dev.json');

describe('longmemeval importer', () => {
  it('reads each haystack under its question, with repeated sessions kept separate', async () => {
    const turns = turnsOf(await readAll(longMemEvalImporter, join(FIXTURES, 'longmemeval.json')));
    expect(turns.map(({ session, index, sourceId }) => `${session} ${index} ${sourceId}`)).toEqual([
      'q-1/chat_1 0 q-1/chat_1:0',
      'q-1/chat_1 1 q-1/chat_1:1',
      'q-1/answer_1 0 q-1/answer_1:0',
      'q-1/answer_1 1 q-1/answer_1:1',
      'q-1/chat_1#2 0 q-1/chat_1#2:0',
      'q-2_abs/answer_2_abs 0 q-2_abs/answer_2_abs:0',
    ]);
    expect(turns[1]).toMatchObject({
      role: 'assistant',
      speaker: 'assistant',
      at: new Date('2023-05-20T06:13:01Z'),
      source: 'longmemeval',
    });
  });

  it('reports invalid entries by position and reads the others', async () => {
    using folder = temporaryFolder();
    const path = folder.json([
      { question_id: 'x', haystack_sessions: 'secret' },
      {
        question_id: 5,
        haystack_dates: ['2023/05/20 (Sat) 06:13', 'secret', '2023/05/20 (Sat) 06:13'],
        haystack_session_ids: [],
        haystack_sessions: [
          [
            { role: 'user', content: 'a' },
            { role: 'secret', content: 'b' },
            { role: 'user', content: '' },
            { role: 'User', content: 'd' },
          ],
          [{ role: 'user', content: 'secret' }],
          'secret',
          [{ role: 'user', content: 'no date' }],
        ],
      },
    ]);
    const records = await readAll(longMemEvalImporter, path);
    expect(turnsOf(records).map((turn) => turn.sourceId)).toEqual(['5/session_1:0', '5/session_1:3']);
    const rejections = rejectionsOf(records);
    expect(rejections.map((text) => text.split(':')[0])).toEqual([
      'question 1',
      'question 2, session 1, turn 2',
      'question 2, session 1, turn 3',
      'question 2, session 2',
      'question 2, session 3',
      'question 2, session 4',
    ]);
    expect(rejections.join()).not.toContain('secret');
  });

  it.skipIf(!existsSync(REAL))(
    'reads all 1,629 turns of three real items (skipped without the data)',
    async () => {
      const records = await readAll(longMemEvalImporter, REAL);
      expect(rejectionsOf(records)).toEqual([]);
      expect(turnsOf(records)).toHaveLength(529 + 550 + 550);
    },
  );
});

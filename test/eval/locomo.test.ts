import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locomoImporter } from '../../eval/datasets/locomo.ts';
import {
  FIXTURES,
  readAll,
  rejectionsOf,
  SHARED_DATA,
  temporaryFolder,
  turnsOf,
} from '../importers/temporary-file.ts';

const REAL = join(SHARED_DATA, 'locomo/locomo5-dev.json');
const turn = (id: unknown, more = {}) => ({ speaker: 'Ana', dia_id: id, text: 'secret', ...more });

async function readValue(value: unknown) {
  using folder = temporaryFolder();
  return await readAll(locomoImporter, folder.json(value));
}
const sample = (conversation: object) => ({ sample_id: 'c', conversation });
const session = (turns: unknown[]) =>
  sample({ session_1_date_time: '1:56 pm on 8 May, 2023', session_1: turns });

describe('locomo importer', () => {
  it('reads sessions by number, with a prefix if there are several conversations', async () => {
    const turns = turnsOf(await readAll(locomoImporter, join(FIXTURES, 'locomo.json')));
    expect(turns.map(({ session, index, sourceId }) => `${session} ${index} ${sourceId}`)).toEqual([
      'conv-1/session_1 0 conv-1/D1:1',
      'conv-1/session_1 1 conv-1/D1:2',
      'conv-1/session_1 2 conv-1/D1:3',
      'conv-1/session_2 0 conv-1/D2:1',
      'conv-1/session_2 1 conv-1/D2:2',
      'conv-1/session_10 0 conv-1/D10:1',
      'conv-2/session_1 0 conv-2/D1:1',
    ]);
    expect(turns[2]).toMatchObject({
      speaker: 'Ana',
      content: 'Lovely bowl.',
      source: 'locomo',
      attachments: [],
    });
  });

  it('dates a turn by its session in UTC, one second per turn', async () => {
    const turns = turnsOf(await readAll(locomoImporter, join(FIXTURES, 'locomo.json')));
    expect(turns[2]?.at).toEqual(new Date('2023-05-08T13:56:02Z'));
  });

  it('keeps the picture and its caption, not the query of the generator', async () => {
    const turns = turnsOf(await readAll(locomoImporter, join(FIXTURES, 'locomo.json')));
    expect(turns[1]?.attachments).toEqual([
      { kind: 'image', description: 'a photo of a blue bowl', uri: 'https://example.org/bowl.jpg' },
    ]);
    expect(JSON.stringify(turns)).not.toContain('pottery bowl blue');
  });

  it('drops a URL that is too long to store, but keeps the turn', async () => {
    const img_url = [`data:image/png;base64,${'A'.repeat(3000)}`];
    const [read] = turnsOf(await readValue([session([turn('D1:1', { img_url, blip_caption: 'a cat' })])]));
    expect(read?.attachments).toEqual([{ kind: 'image', description: 'a cat' }]);
  });

  it('reads a single conversation that is not in a list, without a prefix', async () => {
    const turns = turnsOf(await readValue(session([turn('D1:1')])));
    expect(turns.map((each) => each.session)).toEqual(['session_1']);
  });

  it('names a conversation without an id, and one with a duplicate id', async () => {
    const nameless = { conversation: session([turn('D1:1')]).conversation };
    const turns = turnsOf(await readValue([session([turn('D1:1')]), session([turn('D1:1')]), nameless]));
    expect(turns.map((each) => each.sourceId)).toEqual(['c/D1:1', 'c#2/D1:1', 'conversation-3/D1:1']);
  });

  it('reports invalid turns, sessions and conversations by position and reads the others', async () => {
    const records = await readValue([
      7,
      { sample_id: 'x', conversation: [] },
      sample({ speaker_a: 'Ana' }),
      sample({
        session_1: [turn('D1:1')],
        session_2: 'secret',
        session_2_date_time: '1:56 pm on 8 May, 2023',
      }),
      session([
        'secret',
        turn(null),
        turn('D1:3', { text: 5 }),
        turn('D1:4'),
        turn('D1:4'),
        turn('D1:6', { text: '' }),
        turn('D1:7', { speaker: 's'.repeat(501) }),
        turn('D1:8'),
      ]),
    ]);
    expect(turnsOf(records).map((each) => `${each.sourceId} ${each.index}`)).toEqual([
      'c#3/D1:4 3',
      'c#3/D1:8 7',
    ]);
    const rejections = rejectionsOf(records);
    expect(rejections.map((text) => text.split(':')[0])).toEqual([
      'conversation 1',
      'conversation 2',
      'conversation 3',
      'conversation 4, session 1',
      'conversation 4, session 2',
      ...[1, 2, 3, 5, 6, 7].map((n) => `conversation 5, session 1, turn ${n}`),
    ]);
    expect(rejections.join()).toContain('session_1_date_time is not a time; its 1 turns are left out');
    expect(rejections.join()).toContain('dia_id: an earlier turn has the same');
    expect(rejections.join()).not.toContain('secret');
  });

  it.skipIf(!existsSync(REAL))(
    'reads all 2,760 turns of the development split (skipped without the data)',
    async () => {
      const records = await readAll(locomoImporter, REAL);
      expect(rejectionsOf(records)).toEqual([]);
      const turns = turnsOf(records);
      expect(turns).toHaveLength(2760);
      expect(new Set(turns.map((each) => each.sourceId)).size).toBe(2760);
      expect(new Set(turns.map((each) => each.session)).size).toBe(19 + 19 + 32 + 29 + 29);
    },
  );
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hotpotQaImporter } from '../../eval/datasets/hotpotqa.ts';
import { locomoImporter } from '../../eval/datasets/locomo.ts';
import { longMemEvalImporter } from '../../eval/datasets/longmemeval.ts';
import type { Importer } from '../../src/importers/importer.ts';
import { FIXTURES, readAll, rejectionsOf, temporaryFolder, turnsOf } from '../importers/temporary-file.ts';

const fixtureOf = async (importer: Importer) =>
  turnsOf(await readAll(importer, join(FIXTURES, `${importer.name}.json`)));

async function readValue(importer: Importer, value: unknown) {
  using folder = temporaryFolder();
  return await readAll(importer, folder.json(value));
}

/** Where a record was rejected; the reasons quote nothing of it. */
function placesIn(records: Parameters<typeof rejectionsOf>[0]): string[] {
  const rejections = rejectionsOf(records);
  expect(rejectionsOf(records).join()).not.toContain('secret');
  return rejections.map((text) => text.split(':')[0]!);
}

const turn = (id: unknown, more = {}) => ({ speaker: 'Ana', dia_id: id, text: 'secret', ...more });
const sample = (conversation: object) => ({ sample_id: 'c', conversation });
const session = (turns: unknown[]) =>
  sample({ session_1_date_time: '1:56 pm on 8 May, 2023', session_1: turns });

describe('locomo importer', () => {
  it('reads sessions by number, with a prefix if there are several conversations', async () => {
    const turns = await fixtureOf(locomoImporter);
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
    const turns = await fixtureOf(locomoImporter);
    expect(turns[2]?.at).toEqual(new Date('2023-05-08T13:56:02Z'));
  });

  it('keeps the picture and its caption, not the query of the generator', async () => {
    const turns = await fixtureOf(locomoImporter);
    expect(turns[1]?.attachments).toEqual([
      { kind: 'image', description: 'a photo of a blue bowl', uri: 'https://example.org/bowl.jpg' },
    ]);
    expect(JSON.stringify(turns)).not.toContain('pottery bowl blue');
  });

  it('drops a URL that is too long to store, but keeps the turn', async () => {
    const img_url = [`data:image/png;base64,${'A'.repeat(3000)}`];
    const [read] = turnsOf(
      await readValue(locomoImporter, [session([turn('D1:1', { img_url, blip_caption: 'a cat' })])]),
    );
    expect(read?.attachments).toEqual([{ kind: 'image', description: 'a cat' }]);
  });

  it('reads a single conversation that is not in a list, without a prefix', async () => {
    const turns = turnsOf(await readValue(locomoImporter, session([turn('D1:1')])));
    expect(turns.map((each) => each.session)).toEqual(['session_1']);
  });

  it('names a conversation without an id, and one with a duplicate id', async () => {
    const nameless = { conversation: session([turn('D1:1')]).conversation };
    const turns = turnsOf(
      await readValue(locomoImporter, [session([turn('D1:1')]), session([turn('D1:1')]), nameless]),
    );
    expect(turns.map((each) => each.sourceId)).toEqual(['c/D1:1', 'c#2/D1:1', 'conversation-3/D1:1']);
  });

  it('reports invalid turns, sessions and conversations by position and reads the others', async () => {
    const records = await readValue(locomoImporter, [
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
    expect(placesIn(records)).toEqual([
      'conversation 1',
      'conversation 2',
      'conversation 3',
      'conversation 4, session 1',
      'conversation 4, session 2',
      ...[1, 2, 3, 5, 6, 7].map((n) => `conversation 5, session 1, turn ${n}`),
    ]);
    expect(rejectionsOf(records).join()).toContain(
      'session_1_date_time is not a time; its 1 turns are left out',
    );
    expect(rejectionsOf(records).join()).toContain('dia_id: an earlier turn has the same');
  });
});

describe('longmemeval importer', () => {
  it('reads each haystack under its question, with repeated sessions kept separate', async () => {
    const turns = await fixtureOf(longMemEvalImporter);
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
    const records = await readValue(longMemEvalImporter, [
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
    expect(turnsOf(records).map((turn) => turn.sourceId)).toEqual(['5/session_1:0', '5/session_1:3']);
    expect(placesIn(records)).toEqual([
      'question 1',
      'question 2, session 1, turn 2',
      'question 2, session 1, turn 3',
      'question 2, session 2',
      'question 2, session 3',
      'question 2, session 4',
    ]);
  });
});

describe('hotpotqa importer', () => {
  it('reads a passage as a session of one turn', async () => {
    const turns = await fixtureOf(hotpotQaImporter);
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
    const context = { title: ['A', 'A'], sentences: [['One.', 'Two.'], ['Three.']] };
    const turns = turnsOf(await readValue(hotpotQaImporter, [{ id: 'h', context }]));
    expect(turns.map(({ session, content }) => [session, content])).toEqual([
      ['A', 'One. Two.'],
      ['A#2', 'Three.'],
    ]);
  });

  it('reports invalid entries by position and reads the others', async () => {
    const records = await readValue(hotpotQaImporter, [
      { _id: 'a', context: 'secret' },
      {
        _id: 'b',
        context: [['Good', ['One.']], ['secret'], ['Empty', [' ']], ['secret', ['a', 1]], 'secret'],
      },
    ]);
    expect(turnsOf(records).map((turn) => turn.session)).toEqual(['b/Good']);
    expect(placesIn(records)).toEqual(['question 1', ...[2, 3, 4, 5].map((n) => `question 2, passage ${n}`)]);
  });
});

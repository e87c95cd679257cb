import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBeamDataset } from '../../eval/datasets/beam.ts';
import { CancelledError, FileUnreadableError } from '../../src/errors/index.ts';
import { SHARED_DATA, temporaryFolder } from '../importers/temporary-file.ts';

const REAL_BEAM = join(SHARED_DATA, 'beam/beam-100k-dev10.json');

const said = (
  id: unknown,
  role: string,
  more: { readonly batch?: number; readonly [key: string]: unknown } = {},
) => ({
  ...{ id, role, content: 'secret' },
  ...more,
});

const CHAT = {
  id: 'c1',
  turns: [
    said(0, 'user', { batch: 1, time_anchor: 'March-15-2024' }),
    said(1, 'assistant', { batch: 1, time_anchor: null }),
    said(2, 'user', { batch: 2, time_anchor: 'April-05-2024' }),
    said(3, 'assistant', { batch: 2 }),
    said(4, 'user', { batch: 3, time_anchor: 'March-01-2024' }),
    said(5, 'assistant', { batch: 3, time_anchor: 'soon' }),
  ],
  questions: {
    abstention: [{ question: 'Who?', ideal_response: 'No information.', rubric: ['Nothing is known.'] }],
    contradiction_resolution: [
      {
        question: 'Have I?',
        ideal_answer: 'Both.',
        source_chat_ids: { first_statement: [2], second_statement: [0, 2] },
      },
    ],
    event_ordering: [
      { question: 'In which order?', answer: 'A, B.', source_chat_ids: [[4, 0], 2], rubric: 'secret' },
    ],
    information_extraction: [
      { question: 'When?', answer: 'In May.', source_chat_ids: [3, 99], rubric: ['It says May.', 'Short.'] },
    ],
    preference_following: [{ question: 'What?', expected_compliance: 'Short.', source_chat_ids: [] }],
    summarization: [{ question: 'Sum up?', ideal_summary: 'All.', source_chat_ids: [1] }],
  },
};

/** The same chat as its authors lay it out. */
const OFFICIAL = [1, 2, 3].map((batch) => ({
  batch_number: batch,
  turns: [
    CHAT.turns
      .filter((turn) => turn.batch === batch)
      .map(({ batch: _, ...turn }) => ({
        ...turn,
        content: turn.role === 'user' ? `${turn.content} ->-> ${batch},1` : turn.content,
      })),
  ],
}));

function write(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  }
}

async function readFolder(files: Readonly<Record<string, unknown>>, within = '') {
  using folder = temporaryFolder();
  write(folder.path, files);
  return await readBeamDataset(join(folder.path, within));
}

async function readValue(value: unknown) {
  using folder = temporaryFolder();
  return await readBeamDataset(folder.json(value));
}

const rejectionsOf = ({ rejected }: Awaited<ReturnType<typeof readValue>>) =>
  rejected.map(({ where, reason }) => `${where}: ${reason}`);

describe('BEAM data set', () => {
  it('has one case per chat, a session per batch, roles and times', async () => {
    const { name, cases, rejected } = await readValue([CHAT, { ...CHAT, id: 'c2' }]);
    expect([name, rejected]).toEqual(['beam', []]);
    expect(cases.map(({ scope }) => scope)).toEqual(['c1', 'c2']);
    expect(
      cases[0]?.turns.map((turn) => [turn.sourceId, turn.session, turn.index, turn.role, turn.speaker]),
    ).toEqual([
      ['c1/0', 'batch_1', 0, 'user', 'user'],
      ['c1/1', 'batch_1', 1, 'assistant', 'assistant'],
      ['c1/2', 'batch_2', 0, 'user', 'user'],
      ['c1/3', 'batch_2', 1, 'assistant', 'assistant'],
      ['c1/4', 'batch_3', 0, 'user', 'user'],
      ['c1/5', 'batch_3', 1, 'assistant', 'assistant'],
    ]);
  });

  it('dates turns by anchors, and a second after the turn before where there is none or an earlier one', async () => {
    const { cases } = await readValue(CHAT);
    expect(cases[0]?.turns.map(({ at }) => new Date(at!).toISOString())).toEqual([
      '2024-03-15T00:00:00.000Z',
      '2024-03-15T00:00:01.000Z',
      '2024-04-05T00:00:00.000Z',
      '2024-04-05T00:00:01.000Z',
      '2024-04-05T00:00:02.000Z',
      '2024-04-05T00:00:03.000Z',
    ]);
    const turns = [said(0, 'user', { batch: 1 }), said(1, 'user', { batch: 1, time_anchor: 'May-01-2024' })];
    const late = await readValue({ ...CHAT, turns });
    expect(late.cases[0]?.turns.map(({ at }) => new Date(at!).toISOString())).toEqual([
      '2024-05-01T00:00:00.000Z',
      '2024-05-01T00:00:01.000Z',
    ]);
  });

  it('reads evidence of all shapes, the gold by ability, and no evidence for abstention', async () => {
    const { cases } = await readValue(CHAT);
    expect(
      cases[0]?.questions.map(({ category, answer, evidenceTurns, evidenceSessions }) => [
        category,
        answer,
        evidenceTurns.join(' '),
        evidenceSessions.join(' '),
      ]),
    ).toEqual([
      ['abstention', null, '', ''],
      ['contradiction_resolution', 'Both.', 'c1/2 c1/0', 'batch_1 batch_2'],
      ['event_ordering', 'A, B.', 'c1/4 c1/0 c1/2', 'batch_1 batch_2 batch_3'],
      ['information_extraction', 'In May.', 'c1/3', 'batch_2'],
      ['preference_following', 'Short.', '', ''],
      ['summarization', 'All.', 'c1/1', 'batch_1'],
    ]);
    expect(new Set(cases[0]?.questions.map(({ id }) => id)).size).toBe(6);
    const rubrics = cases[0]?.questions.map(({ rubric }) => rubric);
    expect(rubrics).toEqual([
      ['Nothing is known.'],
      ...[undefined, undefined],
      ['It says May.', 'Short.'],
      ...[undefined, undefined],
    ]);
  });

  it('reads the official layout as the file, without the numbers of bullets', async () => {
    const probing = 'probing_questions/probing_questions.json';
    const { cases, rejected } = await readFolder(
      {
        'chats/100K/10/chat.json': OFFICIAL,
        [`chats/100K/10/${probing}`]: CHAT.questions,
        'chats/100K/2/chat.json': 'secret, and never read',
        'chats/100K/2/chat_trunecated.json': OFFICIAL.slice(0, 1),
        [`chats/100K/2/${probing}`]: CHAT.questions,
        'chats/100K/2/topic.json': {},
      },
      'chats',
    );
    expect(rejected).toEqual([]);
    expect(cases.map(({ scope, turns }) => [scope, turns.length])).toEqual([
      ['100K-2', 2],
      ['100K-10', 6],
    ]);
    const [fromFile] = (await readValue({ ...CHAT, id: '100K-10' })).cases;
    expect(cases[1]).toEqual(fromFile);
  });

  it('names a chat by its folder if that is the path', async () => {
    const probing = { 'c7/probing_questions/probing_questions.json': CHAT.questions };
    const { cases } = await readFolder({ 'c7/chat.json': OFFICIAL, ...probing }, 'c7');
    expect(cases.map(({ scope }) => scope)).toEqual(['c7']);
  });

  it('reports what does not fit with its place, and keeps the rest', async () => {
    const broken = {
      ...CHAT,
      turns: [
        said(0, 'user', { batch: 1 }),
        said(0, 'user', { batch: 1 }),
        said(1, 'tool', { batch: 1 }),
        said(2, 'user'),
        'secret',
        said(3, 'assistant', { batch: 1, content: '' }),
      ],
      questions: {
        summarization: [{ question: 'Sum up?', source_chat_ids: [0] }, { question: '' }, 'secret'],
      },
    };
    const dataset = await readValue([broken, { turns: [] }, 'secret']);
    expect(dataset.cases.map(({ turns, questions }) => [turns.length, questions.length])).toEqual([[1, 1]]);
    expect(rejectionsOf(dataset).map((text) => text.split(':')[0])).toEqual([
      'chat 1, turn 2',
      'chat 1, turn 3',
      'chat 1, turn 4',
      'chat 1, turn 5',
      'chat 1, turn 6',
      'chat 1, summarization 2',
      'chat 1, summarization 3',
      'chat 2',
      'chat 3',
    ]);
    expect(rejectionsOf(dataset).join()).not.toContain('secret');
  });

  it('names a chat in another layout, and a folder or a file that it cannot read', async () => {
    const probing = 'probing_questions/probing_questions.json';
    const other = await readFolder({
      '10M/1/chat.json': [{ 'plan-1': OFFICIAL }],
      [`10M/1/${probing}`]: CHAT.questions,
    });
    expect(other.cases).toEqual([]);
    expect(rejectionsOf(other)).toEqual([expect.stringMatching(/^chat 10M-1: 0\.batch_number: /)]);
    expect((await readFolder({ 'notes.json': {} })).cases).toEqual([]);
    const unreadable = expect.toSatisfy(FileUnreadableError.isInstance);
    await expect(readFolder({ [`1/${probing}`]: CHAT.questions })).rejects.toEqual(unreadable);
    await expect(readFolder({ '1/chat.json': 'secret', [`1/${probing}`]: {} })).rejects.toEqual(unreadable);
    await expect(readValue({})).rejects.toEqual(unreadable);
    await expect(readBeamDataset('/nowhere')).rejects.toEqual(unreadable);
  });

  it('stops when the signal fires', async () => {
    using folder = temporaryFolder();
    const aborted = readBeamDataset(folder.json(CHAT), { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toSatisfy(CancelledError.isInstance);
  });

  it.skipIf(!existsSync(REAL_BEAM))(
    'has 10 chats, 2,734 turns, 200 questions, 179 with evidence (skipped without the data)',
    async () => {
      const { cases, rejected } = await readBeamDataset(REAL_BEAM);
      expect(rejected).toEqual([]);
      expect(cases).toHaveLength(10);
      expect(cases.flatMap(({ turns }) => turns)).toHaveLength(2734);
      const questions = cases.flatMap((each) => each.questions);
      expect(questions).toHaveLength(200);
      expect(questions.filter(({ evidenceTurns }) => evidenceTurns.length > 0)).toHaveLength(179);
      expect(questions.filter(({ answer }) => answer === null)).toHaveLength(20);
    },
  );
});

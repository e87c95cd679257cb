import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EvaluationDataset } from '../../eval/datasets/dataset.ts';
import { readDiaAsqDataset } from '../../eval/datasets/diaasq.ts';
import { readHotpotQaAsOne, readHotpotQaGold } from '../../eval/datasets/hotpotqa-one.ts';
import { readLongDialQaDataset } from '../../eval/datasets/longdialqa.ts';
import { fragmentsOf } from '../../eval/datasets/passages.ts';
import { readRealtalkDataset } from '../../eval/datasets/realtalk.ts';
import { datasetReaderNamed } from '../../eval/datasets/registry.ts';
import { readTriviaQaDataset } from '../../eval/datasets/triviaqa.ts';
import { CancelledError, FileUnreadableError } from '../../src/errors/index.ts';
import { factInputSchema } from '../../src/model/fact-input.ts';
import { SHARED_DATA, temporaryFolder } from '../importers/temporary-file.ts';

type Read = (path: string) => Promise<EvaluationDataset>;

const questionsOf = ({ cases }: EvaluationDataset) => cases.flatMap((each) => each.questions);
const turnsOf = ({ cases }: EvaluationDataset) => cases.flatMap((each) => each.turns);
const rejectionsOf = ({ rejected }: EvaluationDataset) =>
  rejected.map(({ where, reason }) => `${where}: ${reason}`);
/** Where records were rejected; the reasons quote nothing of them. */
const placesOf = (dataset: EvaluationDataset) => {
  expect(rejectionsOf(dataset).join()).not.toContain('secret');
  return dataset.rejected.map(({ where }) => where);
};

async function readValue(read: Read, value: unknown) {
  using folder = temporaryFolder();
  return await read(folder.json(value));
}

async function readFiles(read: Read, files: Readonly<Record<string, unknown>>, path = '') {
  using folder = temporaryFolder();
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), typeof value === 'string' ? value : JSON.stringify(value));
  }
  return await read(join(folder.path, path));
}

/** Every evidence id is that of a turn, and ids of turns and of questions are unique. */
function expectSound(dataset: EvaluationDataset) {
  for (const { turns, questions } of dataset.cases) {
    const ids = turns.map(({ sourceId }) => sourceId);
    const sessions = new Set(turns.map(({ session }) => session));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(turns.map(({ session, index }) => `${session} ${index}`)).size).toBe(turns.length);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    for (const { evidenceTurns, evidenceSessions } of questions) {
      expect(ids).toEqual(expect.arrayContaining([...evidenceTurns]));
      expect([...sessions]).toEqual(expect.arrayContaining([...evidenceSessions]));
    }
  }
}

const message = (id: unknown, speaker: string, text: unknown, more = {}) => ({
  ...{ clean_text: text, speaker, dia_id: id, date_time: '05.02.2024, 18:30:10' },
  ...more,
});

const CHAT = {
  name: { speaker_1: 'Ilse', speaker_2: 'Jon' },
  session_1: [
    message('D1:1', 'Ilse', 'I start at the bakery on Monday.'),
    message('D1:2', 'Jon', '', {
      date_time: '05.02.2024, 18:42:00',
      img_url: ['https://example.org/loaf.jpg'],
      blip_caption: 'a loaf of bread',
    }),
  ],
  session_1_date_time: '05.02.2024, 18:30:00',
  events_session_1: { agent_a: [], agent_b: [] },
  session_2: [message('D2:5', 'Ilse', 'The bakery closed.', { date_time: '11.02.2024, 09:00:00' })],
  session_2_date_time: '11.02.2024, 09:00:00',
  qa: [
    { question: 'Where does Ilse work?', answer: 'At a bakery', evidence: ['D1:1, D2:05'], category: 1 },
    { question: 'When did Ilse start?', answer: '12 February', evidence: ['D1:1'], category: 2 },
  ],
};

describe('REALTALK', () => {
  it('reads the folder of chats: sessions, times of messages, pictures, evidence', async () => {
    const dataset = await readFiles(readRealtalkDataset, {
      'Chat_2_Jon_Ada.json': { ...CHAT, qa: [] },
      'Chat_1_Ilse_Jon.json': CHAT,
      'notes.json': 'secret',
    });
    expect(rejectionsOf(dataset)).toEqual([]);
    expect(dataset.name).toBe('realtalk');
    expect(dataset.cases.map(({ scope }) => scope)).toEqual(['Chat_1_Ilse_Jon', 'Chat_2_Jon_Ada']);
    const [first] = dataset.cases;
    expect(first!.turns).toMatchObject([
      {
        session: 'session_1',
        index: 0,
        speaker: 'Ilse',
        sourceId: 'Chat_1_Ilse_Jon/D1:1',
        source: 'realtalk',
      },
      { attachments: [{ kind: 'image', description: 'a loaf of bread' }] },
      { session: 'session_2', content: 'The bakery closed.' },
    ]);
    expect(first!.turns.map(({ at }) => new Date(at!).toISOString())).toEqual([
      '2024-02-05T18:30:10.000Z',
      '2024-02-05T18:42:00.000Z',
      '2024-02-11T09:00:00.000Z',
    ]);
    expect(questionsOf(dataset)).toMatchObject([
      {
        ...{ category: '1', answer: 'At a bakery', evidenceSessions: ['session_1', 'session_2'] },
        evidenceTurns: ['Chat_1_Ilse_Jon/D1:1', 'Chat_1_Ilse_Jon/D2:5'],
      },
      { category: '2', evidenceTurns: ['Chat_1_Ilse_Jon/D1:1'] },
    ]);
    expectSound(dataset);
  });

  it('reads one file, and names it', async () => {
    const dataset = await readFiles(readRealtalkDataset, { 'Chat_7_A_B.json': CHAT }, 'Chat_7_A_B.json');
    expect(dataset.cases.map(({ scope }) => scope)).toEqual(['Chat_7_A_B']);
  });

  it('reports what does not fit with its place, and keeps the rest', async () => {
    const broken = {
      ...CHAT,
      session_1: [
        message('D1:1', 'Ilse', 'Hi.'),
        message('D1:1', 'Ilse', 'secret'),
        message(undefined, 'Ilse', 'secret'),
        message('D1:4', 'Ilse', 5),
        message('D1:5', 'Ilse', ''),
        'secret',
      ],
      session_2: 'secret',
      session_3: [message('D3:1', 'Ilse', 'secret')],
      qa: [{ question: '' }, { answer: 'secret' }, CHAT.qa[1]],
    };
    const dataset = await readFiles(readRealtalkDataset, {
      'Chat_1.json': broken,
      'Chat_2.json': '{ "secret',
      'Chat_3.json': { name: {} },
      'Chat_4.json': [1],
    });
    expect(dataset.cases.map(({ turns, questions }) => [turns.length, questions.length])).toEqual([[1, 1]]);
    expect(placesOf(dataset)).toEqual([
      'Chat_2.json',
      ...[2, 3, 4, 5, 6].map((turn) => `chat 1, session 1, turn ${turn}`),
      'chat 1, session 2',
      'chat 1, session 3',
      'chat 1, question 1',
      'chat 1, question 2',
      'chat 2',
      'chat 3',
    ]);
    expectSound(dataset);
  });

  it('has no cases in an empty folder, and cannot read what is no chat', async () => {
    expect((await readFiles(readRealtalkDataset, { 'notes.json': {} })).cases).toEqual([]);
    await expect(readValue(readRealtalkDataset, {})).rejects.toSatisfy(FileUnreadableError.isInstance);
  });
});

const asked = (answer: unknown, question = 'Who?') => ({
  ...{ questions: { default: question, Mira: 'x' }, options: ['A', 'B'], answer },
});

const SHOW = {
  'S01E01 The Kettle.txt': {
    1: {
      date: 'September 22, 1994',
      script: 'Story: secret\nMira: Who broke the kettle?\nPaul: I did.\n(He sits down)\nMira: Again!',
      hard_q: { past: [asked('Paul'), asked('I don’t know.')], fu: [asked("I don't know.")] },
      easy_q: { ans_w_time: { 350: asked('Paul') }, dont_know_unans: {} },
    },
    2: { date: 'September 22, 1994', script: 'Paul: Tea?', hard_q: {}, easy_q: {} },
  },
  'S01E02 The Cup.txt': {
    1: {
      date: 'September 29, 1994',
      script: 'Mira: A new cup.',
      easy_q: { ans_wo_time: { 7: asked('Cup') } },
    },
  },
};

describe('LongDialQA', () => {
  it('reads a show as one case, lines as turns, and one question a scene', async () => {
    const dataset = await readFiles(
      readLongDialQaDataset,
      { 'kettle_dialsim.json': SHOW },
      'kettle_dialsim.json',
    );
    expect(rejectionsOf(dataset)).toEqual([]);
    expect(dataset.cases.map(({ scope }) => scope)).toEqual(['kettle_dialsim']);
    expect(
      turnsOf(dataset).map(({ session, index, speaker, content }) => [session, index, speaker, content]),
    ).toEqual([
      ['S01E01 The Kettle.txt/1', 0, 'Mira', 'Who broke the kettle?'],
      ['S01E01 The Kettle.txt/1', 1, 'Paul', 'I did.\n(He sits down)'],
      ['S01E01 The Kettle.txt/1', 2, 'Mira', 'Again!'],
      ['S01E01 The Kettle.txt/2', 0, 'Paul', 'Tea?'],
      ['S01E02 The Cup.txt/1', 0, 'Mira', 'A new cup.'],
    ]);
    const times = turnsOf(dataset).map(({ at }) => new Date(at!).getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(new Set(times).size).toBe(times.length);
    expect(times.at(-1)).toBe(Date.UTC(1994, 8, 29));
    expect(questionsOf(dataset)).toMatchObject([
      { text: 'Who?', answer: 'Paul', askedAt: Date.UTC(1994, 8, 22), evidenceTurns: [] },
      { category: 'easy ans_wo_time', answer: 'Cup', askedAt: Date.UTC(1994, 8, 29) },
    ]);
    expect(dataset.note).toContain('One question a scene');
    expectSound(dataset);
  });

  it('draws the same again, and every kind of question in the end', async () => {
    const scenes = Array.from({ length: 60 }, () => SHOW['S01E01 The Kettle.txt'][1]);
    const show = { e: Object.fromEntries(scenes.map((scene, position) => [position, scene])) };
    const dataset = await readValue(readLongDialQaDataset, show);
    expect(questionsOf(await readValue(readLongDialQaDataset, show))).toEqual(questionsOf(dataset));
    const kinds = new Set(questionsOf(dataset).map(({ category }) => category));
    expect(kinds).toEqual(new Set(['hard past', 'easy ans_w_time']));
  });

  it('reports what does not fit with its place, and keeps the rest', async () => {
    const [good] = Object.values(SHOW['S01E02 The Cup.txt']);
    const dataset = await readValue(readLongDialQaDataset, {
      e1: {
        1: { ...good, date: 'secret' },
        2: { ...good, script: 5 },
        3: { ...good, script: '' },
        4: 'secret',
        5: {
          ...good,
          script: 'Mira: Hi.\nPaul:\nMira: Bye.',
          hard_q: {
            past: ['secret', { ...asked('secret'), questions: {} }, asked(5), asked('Paul')],
            cur: 'secret',
          },
          easy_q: undefined,
        },
      },
      e2: {},
    });
    expect(placesOf(dataset)).toEqual([
      ...['e1/1', 'e1/2', 'e1/3', 'e1/4', 'e1/5, line 2'],
      ...['e1/5/hard past 0', 'e1/5/hard past 1', 'e1/5/hard past 2', 'e1/5/hard cur '],
    ]);
    expect(turnsOf(dataset).map(({ content }) => content)).toEqual(['Hi.', 'Bye.']);
    expect(questionsOf(dataset)).toHaveLength(1);
    expectSound(dataset);
  });

  it('has no cases if it is empty, and cannot read what is no show', async () => {
    expect((await readValue(readLongDialQaDataset, {})).cases).toEqual([]);
    for (const value of [[], { e: 'secret' }, 'x'])
      await expect(readValue(readLongDialQaDataset, value)).rejects.toSatisfy(FileUnreadableError.isInstance);
  });
});

const paragraph = (words: string) =>
  `${words} ${'It is told at length in the old chronicle. '.repeat(4).trim()}`;
const BRIDGE = paragraph('The bridge of Tarn was built by Oda Brink.');
const RIVER = paragraph('The river Tarn rises in the north.');
const row = (id: string, more = {}) => ({
  question: 'Who built the bridge of Tarn?',
  question_id: id,
  question_source: 'http://example.org',
  entity_pages: {
    doc_source: ['TagMe', 'TagMe'],
    filename: ['Tarn.txt', 'Oda.txt'],
    title: ['Tarn', 'Oda'],
    wiki_context: [`${RIVER}\n\n${'x'.repeat(700)}\n\n${BRIDGE}`, BRIDGE],
  },
  search_results: { filename: [], title: [], search_context: [], rank: [], url: [], description: [] },
  answer: { value: 'Oda Brink', aliases: ['Oda Brink', 'O. Brink'], type: 'FreeForm' },
  ...more,
});

describe('TriviaQA', () => {
  it('reads the rows of Hugging Face: fragments of pages, each page once, the answer’s other names', async () => {
    const dataset = await readValue(readTriviaQaDataset, [row('tc_1'), row('tc_1'), row('tc_2')]);
    expect(rejectionsOf(dataset)).toEqual([]);
    expect(dataset.cases).toHaveLength(1);
    expect(
      turnsOf(dataset).map(({ session, index, sourceId, speaker }) => [session, index, sourceId, speaker]),
    ).toEqual([
      ['Tarn', 0, 'wikipedia/Tarn.txt:0', 'Tarn'],
      ['Tarn', 1, 'wikipedia/Tarn.txt:1', 'Tarn'],
      ['Oda', 0, 'wikipedia/Oda.txt:0', 'Oda'],
    ]);
    expect(questionsOf(dataset).map(({ id }) => id)).toEqual(['tc_1', 'tc_1#2', 'tc_2']);
    expect(questionsOf(dataset)[0]).toMatchObject({
      ...{ answer: 'Oda Brink', otherAnswers: ['Oda Brink', 'O. Brink'] },
      evidenceTurns: ['wikipedia/Tarn.txt:1', 'wikipedia/Oda.txt:0'],
      evidenceSessions: ['Tarn', 'Oda'],
    });
    expectSound(dataset);
  });

  const official = (id: unknown, more = {}) => ({
    ...{ QuestionId: id, Question: 'Who built the bridge?', QuestionSource: 'http://example.org' },
    Answer: { Value: 'Oda Brink', Aliases: ['O. Brink'], NormalizedValue: 'oda brink' },
    EntityPages: [{ DocSource: 'TagMe', Filename: 'Tarn.txt', Title: 'Tarn' }],
    SearchResults: [{ Filename: '1/1_2.txt', Title: 'Bridges', Rank: 0, Url: 'http://example.org' }],
    ...more,
  });
  const FILES = { 'evidence/wikipedia/Tarn.txt': RIVER, 'evidence/web/1/1_2.txt': BRIDGE };

  it.each(['qa/wikipedia-dev.json', 'wikipedia-dev.json'])(
    'reads the official file as %s with its evidence',
    async (name) => {
      const file = { Data: [official('tc_9')], Domain: 'Wikipedia', VerifiedEval: false, Version: 1 };
      const dataset = await readFiles(readTriviaQaDataset, { ...FILES, [name]: file }, name);
      expect(rejectionsOf(dataset)).toEqual([]);
      expect(turnsOf(dataset).map(({ speaker, content }) => [speaker, content])).toEqual([
        ['Tarn', RIVER],
        ['Bridges', BRIDGE],
      ]);
      expect(questionsOf(dataset)).toMatchObject([{ id: 'tc_9', evidenceTurns: ['web/1/1_2.txt:0'] }]);
      expectSound(dataset);
    },
  );

  it('reports what does not fit with its place, keeps the rest, and reads no file outside of its evidence', async () => {
    const Data = [
      official(''),
      official('b', { Question: 7 }),
      official('c', { Answer: undefined }),
      official('d', { EntityPages: 'secret' }),
      official('e', { EntityPages: [{ Filename: '../../key.txt', Title: 'Key' }] }),
      official('f', { EntityPages: [{ Filename: 'Gone.txt' }], SearchResults: undefined }),
      'secret',
      official('g'),
    ];
    const files = { ...FILES, 'key.txt': paragraph('secret'), 'w.json': { Data } };
    const dataset = await readFiles(readTriviaQaDataset, files, 'w.json');
    expect(placesOf(dataset)).toEqual([1, 2, 3, 4, 5, 6, 7].map((place) => `question ${place}`));
    expect(questionsOf(dataset).map(({ id }) => id)).toEqual(['e', 'g']);
    expect(JSON.stringify(turnsOf(dataset))).not.toContain('secret');
    expectSound(dataset);
  });

  it('leaves out pages with a fragment that is too short or too long, and says for how many questions', async () => {
    const pages = (...wiki_context: string[]) => ({ entity_pages: { wiki_context, title: ['P', 'Q'] } });
    const dataset = await readValue(readTriviaQaDataset, [
      row('short', pages('Too short.')),
      row('long', pages(`${BRIDGE}\n\n${'y'.repeat(1_025)}`)),
      row('both', { entity_pages: { wiki_context: ['Too short.', BRIDGE], title: ['P2', 'Q2'] } }),
    ]);
    expect(questionsOf(dataset).map(({ id }) => id)).toEqual(['both']);
    expect(turnsOf(dataset).map(({ session }) => session)).toEqual(['Q2']);
    expect(dataset.note).toContain('; 2 questions');
  });

  it('takes 500 questions', async () => {
    const rows = Array.from({ length: 501 }, (_, position) => row(`q${position}`));
    expect(questionsOf(await readValue(readTriviaQaDataset, rows))).toHaveLength(500);
  });

  it('has no cases if it is empty, and cannot read what is no list', async () => {
    expect((await readValue(readTriviaQaDataset, { Data: [] })).cases).toEqual([]);
    for (const value of [{}, { Data: 'secret' }, 'x'])
      await expect(readValue(readTriviaQaDataset, value)).rejects.toSatisfy(FileUnreadableError.isInstance);
  });
});

describe('fragments of a page', () => {
  it('are at most 1,024 characters, and repeat short paragraphs at their border', () => {
    const [a, b, c] = ['a'.repeat(900), 'b'.repeat(60), 'c'.repeat(500)] as const;
    expect(fragmentsOf(`${a}\n\n${b}\n\n${c}`)).toEqual([`${a}\n\n${b}`, `${b}\n\n${c}`]);
    expect(fragmentsOf(`${a}\n\n${'b'.repeat(65)}\n\n${c}`)).toEqual([`${a}\n\n${'b'.repeat(65)}`, c]);
    expect(fragmentsOf(`${c}\n\n${c}`)).toEqual([`${c}\n\n${c}`]);
    expect(fragmentsOf(`\n\n${'d'.repeat(1_500)}\n \n${c}\n\n`)).toEqual(['d'.repeat(1_500), c]);
    expect(fragmentsOf(' \n\n ')).toEqual([]);
  });
});

const item = (id: string, context: unknown, facts: string[], more = {}) => ({
  ...{ _id: id, question: `Which of ${id}?`, answer: 'A', type: 'bridge', level: 'hard', context },
  supporting_facts: facts.map((title) => [title, 0]),
  ...more,
});

describe('HotpotQA as one graph', () => {
  const OTHER = ['Brook', [paragraph('Another brook.')]];
  const ITEMS = [
    item(
      'h1',
      [
        ['Tarn', [RIVER]],
        ['Bridge', [BRIDGE]],
        ['Brook', [paragraph('A brook.')]],
      ],
      ['Tarn', 'Bridge'],
    ),
    item('h2', [OTHER, ['Bridge', [BRIDGE]]], ['Brook']),
  ];

  it('has each passage once, and every question about all of them', async () => {
    const dataset = await readValue(readHotpotQaAsOne, ITEMS);
    expect(dataset.name).toBe('hotpotqa-one');
    expect(dataset.cases).toHaveLength(1);
    expect(turnsOf(dataset).map(({ session, speaker }) => [session, speaker])).toEqual([
      ['Tarn', 'Tarn'],
      ['Bridge', 'Bridge'],
      ['Brook', 'Brook'],
      ['Brook#2', 'Brook'],
    ]);
    expect(questionsOf(dataset)).toMatchObject([
      { id: 'h1', evidenceTurns: ['Tarn', 'Bridge'], evidenceSessions: ['Tarn', 'Bridge'] },
      { id: 'h2', evidenceTurns: ['Brook#2'], evidenceSessions: ['Brook#2'] },
    ]);
    const times = turnsOf(dataset).map(({ at }) => new Date(at!).getTime());
    expect(new Set(times).size).toBe(4);
    expectSound(dataset);
  });

  it('has the passages that answers need alone, if their lengths fit', async () => {
    const short = item(
      'h3',
      [
        ['Moor', ['A moor.']],
        ['Tarn', [RIVER]],
      ],
      ['Moor', 'Tarn'],
    );
    const dataset = await readValue(readHotpotQaGold, [...ITEMS, short]);
    expect(turnsOf(dataset).map(({ session }) => session)).toEqual(['Tarn', 'Bridge', 'Brook']);
    expect(questionsOf(dataset).map(({ id }) => id)).toEqual(['h1', 'h2']);
    expectSound(dataset);
  });

  it('reports what does not fit with its place, and keeps the rest', async () => {
    const dataset = await readValue(readHotpotQaAsOne, [
      item('h1', [['Tarn', [RIVER]], ['Tarn'], 'secret', ['Empty', []]], ['Tarn']),
      item('h1', [['Tarn', [RIVER]]], ['Tarn']),
      item('h4', 'secret', ['Tarn']),
      item('h5', [['Tarn', [RIVER]]], [], { supporting_facts: 'secret' }),
    ]);
    expect(placesOf(dataset).toSorted()).toEqual([
      'question 1, passage 2',
      'question 1, passage 3',
      'question 1, passage 4',
      'question 3',
      'question 4',
    ]);
    expect(questionsOf(dataset).map(({ id }) => id)).toEqual(['h1', 'h1#2']);
    expect(turnsOf(dataset)).toHaveLength(1);
    expect((await readValue(readHotpotQaAsOne, [])).cases).toEqual([]);
  });

  const REAL = join(SHARED_DATA, 'multihop/hotpotqa_distractor_100.json');
  it.skipIf(!existsSync(REAL))('reads 100 real questions (skipped without the data)', async () => {
    const all = await readHotpotQaAsOne(REAL);
    const gold = await readHotpotQaGold(REAL);
    for (const dataset of [all, gold]) {
      expect(dataset.rejected).toEqual([]);
      expectSound(dataset);
      const passages = turnsOf(dataset).map(({ speaker, content }) => `${speaker} ${content}`);
      expect(new Set(passages).size).toBe(passages.length);
      expect(questionsOf(dataset).every(({ evidenceTurns }) => evidenceTurns.length === 2)).toBe(true);
    }
    expect([questionsOf(all).length, turnsOf(all).length]).toEqual([100, 1000]);
    expect([questionsOf(gold).length, turnsOf(gold).length]).toEqual([96, 192]);
  });
});

/** Tokens: 0–5, 6–11, 12–17. */
const DIALOGUE = {
  doc_id: '0007',
  sentences: [
    'The Nimbus has a dull screen',
    'Its battery lasts two whole days',
    'My Nimbus charges very slowly .',
  ],
  replies: [-1, 0, 1],
  speakers: [0, 1, 0],
  triplets: [
    [1, 2, 5, 6, 4, 5, 'neg', 'Nimbus', 'screen', 'dull'],
    [1, 2, 7, 8, 8, 9, 'pos', 'Nimbus', 'battery', 'lasts'],
    [13, 14, -1, -1, 14, 15, 'neg', 'Nimbus', '', 'charges slowly'],
    [1, 2, 5, 6, 15, 17, 'amb', 'Nimbus', 'screen', 'very slowly'],
    [13, 14, 5, 6, -1, -1, -1, 'Nimbus', 'screen', ''],
  ],
  targets: [[1, 2, 'Nimbus']],
};

describe('DiaASQ', () => {
  it('reads utterances, opinions as facts with their turns, and asks for them', async () => {
    const dataset = await readValue(readDiaAsqDataset, [DIALOGUE]);
    expect(rejectionsOf(dataset)).toEqual([]);
    expect(dataset.note).toContain('The questions are ours');
    expect(
      turnsOf(dataset).map(({ session, index, speaker, sourceId }) => [session, index, speaker, sourceId]),
    ).toEqual([
      ['0007', 0, 'Speaker 1', '0007/0'],
      ['0007', 1, 'Speaker 2', '0007/1'],
      ['0007', 2, 'Speaker 1', '0007/2'],
    ]);
    expect(
      questionsOf(dataset).map(({ text, answer, category, evidenceTurns }) => [
        text,
        answer,
        category,
        ...evidenceTurns,
      ]),
    ).toEqual([
      [
        'What does Speaker 1 think of the screen of Nimbus?',
        'dull (negative); very slowly (ambiguous)',
        ...['aspect', '0007/0', '0007/2'],
      ],
      [
        'What does Speaker 2 think of the battery of Nimbus?',
        'lasts (positive)',
        'aspect',
        '0007/0',
        '0007/1',
      ],
      ['What does Speaker 1 think of Nimbus?', 'charges slowly (negative)', 'target', '0007/2'],
    ]);
    const { facts } = dataset.cases[0]!;
    expect(facts).toHaveLength(4);
    expect(facts[1]).toEqual({
      statement: 'Speaker 2 says of the battery of Nimbus: lasts (positive).',
      participants: ['Speaker 2', 'Nimbus'],
      evidence: ['0007/0', '0007/1'].map((sourceId) => ({ source: 'diaasq', sourceId })),
    });
    for (const fact of facts) expect(factInputSchema.safeParse(fact).success).toBe(true);
    expectSound(dataset);
  });

  it('reports what does not fit with its place, and keeps the rest', async () => {
    const [good, ...rest] = DIALOGUE.triplets;
    const dataset = await readValue(readDiaAsqDataset, [
      {
        ...DIALOGUE,
        sentences: [DIALOGUE.sentences[0], 5, '', 'Its camera is fine', 'secret without a speaker'],
        speakers: [0, 1, 1, 'secret'],
        triplets: [
          good,
          'secret',
          good!.slice(1),
          rest[0],
          [900, 901, -1, -1, 902, 903, 'pos', 'secret', '', 'x'],
        ],
      },
      { ...DIALOGUE, triplets: undefined },
      { doc_id: '9', sentences: 'secret', speakers: [] },
      'secret',
    ]);
    expect(placesOf(dataset)).toEqual([
      ...[2, 3, 4, 5].map((place) => `dialogue 1, utterance ${place}`),
      ...[2, 3, 4, 5].map((place) => `dialogue 1, opinion ${place}`),
      'dialogue 3',
      'dialogue 4',
    ]);
    expect(dataset.cases.map(({ scope, questions }) => [scope, questions.length])).toEqual([
      ['0007', 1],
      ['0007#2', 0],
    ]);
    expectSound(dataset);
    expect((await readValue(readDiaAsqDataset, [])).cases).toEqual([]);
    await expect(readValue(readDiaAsqDataset, {})).rejects.toSatisfy(FileUnreadableError.isInstance);
  });
});

it.each(['realtalk', 'longdialqa', 'triviaqa', 'diaasq', 'hotpotqa-one', 'hotpotqa-gold'])(
  'the reader of %s is found by its name, runs in a suite only if it is named, and stops when the signal fires',
  async (name) => {
    const reader = datasetReaderNamed(name);
    expect(reader.onlyNamed).toBe(true);
    using folder = temporaryFolder();
    const aborted = reader.read(folder.json([CHAT]), { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toSatisfy(CancelledError.isInstance);
    await expect(reader.read('/nowhere.json')).rejects.toSatisfy(FileUnreadableError.isInstance);
  },
);

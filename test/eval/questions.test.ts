import { describe, expect, it } from 'vitest';
import {
  laterQuestionsReader,
  QUESTION_KINDS,
  questionsReader,
} from '../../eval/datasets/questions/questions.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { temporaryFolder } from '../importers/temporary-file.ts';

const ALL = [questionsReader, laterQuestionsReader];
const DATASETS = await Promise.all(ALL.map(({ readBundled }) => readBundled()));
const CASES = DATASETS.flatMap(({ cases }) => cases);
const QUESTIONS = CASES.flatMap(({ questions }) => questions);

/** Kinds that came with the second 200; the golds of the first ten are in words of their own. */
const NEW_KINDS = QUESTION_KINDS.slice(10);
/** Their golds are computed or concluded. */
const DERIVED = ['yes-no', 'counts', 'durations', 'periods', 'changes'];

describe('the data sets of questions as users ask them', () => {
  it('have 400 questions, no two alike, and no flaw', () => {
    expect(DATASETS.map(({ name, rejected }) => [name, rejected])).toEqual([
      ['questions', []],
      ['questions-later', []],
    ]);
    expect(DATASETS.map(({ cases }) => cases.map(({ scope, turns }) => [scope, turns.length]))).toEqual([
      [
        ['maren', 110],
        ['devin', 100],
        ['flatmates', 104],
        ['penfriends', 94],
        ['rhona-and-teo', 288],
        ['ottilie', 184],
      ],
      [
        ['canal-boat', 243],
        ['diary', 152],
      ],
    ]);
    expect(DATASETS.map(({ cases }) => cases.flatMap(({ questions }) => questions).length)).toEqual([
      300, 100,
    ]);
    expect(new Set(QUESTIONS.map(({ id }) => id)).size).toBe(400);
    const asked = CASES.flatMap(({ scope, questions }) =>
      questions.map(({ text, earlier = [] }) => [scope, ...earlier, text].join('\n').toLowerCase()),
    );
    expect(new Set(asked).size).toBe(400);
  });

  it('have at least a dozen questions of each kind, half of the new ones held out, and 15 % without an answer', () => {
    const counts = QUESTION_KINDS.map((kind) =>
      DATASETS.map(({ cases }) =>
        cases.flatMap(({ questions }) => questions).filter(({ category }) => category === kind),
      ).map(({ length }) => length),
    );
    for (const [tuned = 0, later = 0] of counts) expect(tuned + later).toBeGreaterThanOrEqual(12);
    for (const [tuned = 0, later = 0] of counts.slice(10))
      expect(Math.abs(tuned - later)).toBeLessThanOrEqual(2);
    expect(QUESTIONS.filter(({ answer }) => answer === null).length).toBeGreaterThanOrEqual(60);
  });

  it('have an answer and evidence for all but the unanswerable ones, and earlier questions for follow-ups', () => {
    for (const { category, answer, evidenceTurns, evidenceSessions, earlier } of QUESTIONS) {
      if (['unanswerable', 'wrong-detail'].includes(category)) expect(answer).toBeNull();
      else if (!NEW_KINDS.some((kind) => kind === category)) expect(answer).not.toBeNull();
      expect(evidenceTurns.length === 0).toBe(answer === null);
      expect(new Set(evidenceTurns).size).toBe(evidenceTurns.length);
      expect(evidenceSessions.length).toBeLessThanOrEqual(evidenceTurns.length);
      expect(earlier !== undefined).toBe(category === 'follow-up');
    }
  });

  it('say the terms of a new gold in its evidence, unless it is computed', () => {
    const missing = CASES.flatMap(({ turns, questions }) =>
      questions.flatMap(({ text, category, answer, evidenceTurns }) => {
        if (answer === null || DERIVED.includes(category) || !NEW_KINDS.some((kind) => kind === category))
          return [];
        const said = turns
          .filter(({ sourceId }) => evidenceTurns.includes(sourceId!))
          .flatMap(({ speaker = '', content, attachments = [] }) => [
            speaker,
            content,
            ...attachments.map((each) => each.description),
          ]);
        const terms = new Set(analyze(said.join('\n')));
        // "two: Mrs Pym and Ozzy": the number is counted.
        const gold = category === 'counted-lists' ? answer.replace(/^\w+: /, '') : answer;
        const absent = analyze(gold).filter((term) => !terms.has(term));
        return absent.length === 0 ? [] : [[text, answer, absent]];
      }),
    );
    expect(missing).toEqual([]);
  });

  it('show pictures by their descriptions where a question asks for them', () => {
    for (const { turns, questions } of CASES)
      for (const { category, evidenceTurns } of questions)
        if (category === 'captions' && evidenceTurns.length > 0)
          expect(turns.find(({ sourceId }) => sourceId === evidenceTurns[0])?.attachments).toEqual([
            { kind: 'image', description: expect.any(String) },
          ]);
  });

  it('ask in the first person only where one person talks to an assistant or writes notes', () => {
    for (const { turns, questions } of CASES) {
      const people = new Set(turns.filter(({ role }) => role === 'user').map(({ speaker }) => speaker));
      const isFirstPerson = ({ text }: { text: string }) => /\b(?:I|my|our|we|about me)\b/.test(text);
      if (people.size > 1) expect(questions.filter(isFirstPerson)).toEqual([]);
      else expect(questions.filter(isFirstPerson).length).toBeGreaterThan(15);
    }
  });

  it('are read from a file of the same form, and reject what does not fit', async () => {
    const at = { at: '2024-05-01T10:00', turns: [['Ann', 'I have a dog.']] };
    const question = { kind: 'lists', question: 'Which pets does Ann have?', answer: 'a dog' };
    const conversation = {
      ...{ scope: 'ann', speakers: { Ann: 'user' }, sessions: [at, { ...at, at: 'some day' }] },
      questions: [
        { ...question, evidence: ['1:1'] },
        { ...question, evidence: ['1:2'] },
        { ...question, evidence: [] },
      ],
    };
    using folder = temporaryFolder();
    const { cases, rejected } = await questionsReader.read(folder.json([conversation, { scope: 'empty' }]));
    expect(cases).toHaveLength(1);
    expect(cases[0]?.turns).toMatchObject([{ speaker: 'Ann', role: 'user', sourceId: 'ann/1:1' }]);
    expect(cases[0]?.questions).toMatchObject([{ id: 'ann/1', evidenceTurns: ['ann/1:1'] }]);
    expect(rejected.map(({ where, reason }) => `${where}: ${reason.slice(0, 30)}`)).toEqual([
      'conversation 1, session 2: at is not a time',
      'conversation 1, question 2: names a turn that the conversa',
      'conversation 1, question 3: an answer needs evidence, and ',
      expect.stringMatching(/^conversation 2: /),
    ]);
  });
});

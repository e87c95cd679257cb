import { describe, expect, it } from 'vitest';
import { QUESTION_KINDS, questionsReader } from '../../eval/datasets/questions/questions.ts';
import { temporaryFolder } from '../importers/temporary-file.ts';

const questionsOf = async () => (await questionsReader.readBundled()).cases.flatMap((each) => each.questions);

describe('the data set of questions as users ask them', () => {
  it('has 20 questions of each of ten kinds, and no flaw', async () => {
    const { cases, rejected } = await questionsReader.readBundled();
    expect(rejected).toEqual([]);
    expect(cases.map(({ scope, turns }) => [scope, turns.length])).toEqual([
      ['maren', 110],
      ['devin', 100],
      ['flatmates', 104],
      ['penfriends', 94],
    ]);
    const questions = await questionsOf();
    for (const kind of QUESTION_KINDS)
      expect([kind, questions.filter(({ category }) => category === kind).length]).toEqual([kind, 20]);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(200);
  });

  it('has an answer and evidence for all but the unanswerable ones, and earlier questions for follow-ups', async () => {
    for (const { category, answer, evidenceTurns, evidenceSessions, earlier } of await questionsOf()) {
      expect(answer === null).toBe(category === 'unanswerable');
      expect(evidenceTurns.length === 0).toBe(category === 'unanswerable');
      expect(evidenceSessions.length).toBeLessThanOrEqual(evidenceTurns.length);
      expect(earlier !== undefined).toBe(category === 'follow-up');
    }
  });

  it('asks in the first person only where one person talks to an assistant', async () => {
    for (const { turns, questions } of (await questionsReader.readBundled()).cases) {
      const people = new Set(turns.filter(({ role }) => role === 'user').map(({ speaker }) => speaker));
      const isFirstPerson = ({ text }: { text: string }) => /\b(?:I|my|our|we|about me)\b/.test(text);
      if (people.size > 1) expect(questions.filter(isFirstPerson)).toEqual([]);
      else expect(questions.filter(isFirstPerson).length).toBeGreaterThan(20);
    }
  });

  it('is read from a file of the same form, and rejects what does not fit', async () => {
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

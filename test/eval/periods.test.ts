import { expect, it } from 'vitest';
import { PERIOD_KINDS, periodsReader } from '../../eval/datasets/periods/periods.ts';

it('the data set of periods has 40 questions in two conversations, each about a time, and no flaw', async () => {
  const { cases, rejected } = await periodsReader.readBundled();
  expect(rejected).toEqual([]);
  expect(cases.map(({ scope, questions }) => [scope, questions.length])).toEqual([
    ['harbour', 20],
    ['allotment', 20],
  ]);
  const questions = cases.flatMap((each) => each.questions);
  expect(new Set(questions.map(({ text }) => text)).size).toBe(40);
  expect(new Set(questions.map(({ category }) => category))).toEqual(new Set(PERIOD_KINDS));
  for (const { answer, evidenceTurns } of questions) {
    expect(answer).not.toBeNull();
    expect(evidenceTurns.length).toBeGreaterThan(0);
  }
});

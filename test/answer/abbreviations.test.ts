import { afterAll, expect, it } from 'vitest';
import { thoughtsOf } from '../../src/answer/thoughts.ts';
import { open, remember, turn } from '../engine/memory-fixture.ts';

const engine = await open(':memory:');
afterAll(() => engine.close());

let scopes = 0;
async function told(content: string) {
  const memory = engine.scope(`told ${scopes++}`);
  await remember(memory, [turn(content, { speaker: 'Nora', role: 'user', at: '2026-04-20T10:00:00Z' })]);
  return memory;
}

it.each([
  [
    'My boss Dr. Otto Klein lives in Turin.',
    'Where does my boss live?',
    'boss Dr. Otto Klein lives in Turin.',
  ],
  [
    'The tour with Capt. Ruiz, Lt. Moss etc. starts at the harbour.',
    'Where does the tour start?',
    'The tour with Capt. Ruiz, Lt. Moss etc. starts at the harbour.',
  ],
  [
    'My neighbour Gen. Holt said "Great!" and moved to Bonn.',
    'Where did Gen. Holt move?',
    'said "Great!" and moved to Bonn.',
  ],
])('an answer without a model is whole: %s', async (content, question, words) => {
  const memory = await told(content);
  expect((await memory.ask(question)).text).toContain(words);
});

it.each([
  ["Prof. Ana Ruiz works at St. Mary's in Bonn.", ["Prof. Ana Ruiz works at St. Mary's in Bonn"]],
  [
    'I take vitamin C. My sister Ida lives in Oslo.',
    ['Nora takes vitamin C', "Nora's sister Ida lives in Oslo"],
  ],
  ['“Watch out!” said the guide at the glacier hut.', ['"Watch out!" said the guide at the glacier hut']],
  [
    'My list: 1. Call Dr. Weiss. 2. I live in Ghent. 3. My dog is Rex.',
    ['Nora lives in Ghent', "Nora's dog is Rex"],
  ],
])('a fact is read from the whole sentence: %s', async (content, statements) => {
  const memory = await told(content);
  const { facts } = await memory.search(content, { limit: 10 });
  expect(facts.map(({ statement }) => statement).toSorted()).toEqual(statements.toSorted());
});

it.each([
  ['Our tour met Capt. Ruiz. We left at 5 p.m. Then it rained.', 3],
  ['I am 25. I live in Ghent.', 2],
  ['No. I do not.', 2],
  ['Buy: 1. Flour. 2. Eggs.', 2],
  ['我住在根特。我有一只狗！', 2],
])('the parts of a turn are its sentences: %s', (content, count) => {
  expect(thoughtsOf({ content, attachments: [], role: 'user', source: 'turn' })).toHaveLength(count);
});

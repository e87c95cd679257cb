import { expect, it } from 'vitest';
import { conflictingFacts } from '../../../src/ingest/supersede/conflicting-facts.ts';
import { judgedFact } from './judged-facts.ts';

const conflicts = async (...statements: readonly string[]) =>
  (await conflictingFacts(statements.map((statement, order) => judgedFact(statement, { order })))).length;

it.each([
  ['Ann lives in Oslo', 'Ann lives in Lisbon'],
  ["Ann's car is a Fiat", "Ann's car is a Volvo"],
  ["Ann's name is Berg", "Ann's name is Meyer"],
])('contradict each other: %s, %s', async (one, other) => {
  expect(await conflicts(one, other)).toBe(1);
});

it.each([
  ['Ann is a nurse', 'Ann is tired'],
  ['Ann is a nurse', 'Ann is a painter'],
  ['Ann is a teacher', 'Ann is a good cook'],
  ["Ann's flat is a mess", "Ann's flat is a two-room place"],
  ["Ann's boss is a Belgian", "Ann's boss is a nice man from Ghent"],
  ["Ann's phone is a Pixel", "Ann's phone is in the kitchen"],
  ["Ann's job is stressful", "Ann's job is in Ghent"],
])('are both true: %s, %s', async (one, other) => {
  expect(await conflicts(one, other)).toBe(0);
});

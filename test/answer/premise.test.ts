import { describe, expect, it } from 'vitest';
import { answerConfidence, extractiveAnswer } from '../../src/answer/extractive-answer.ts';
import { isSaid } from '../../src/answer/wordings.ts';
import { NOT_ENOUGH } from '../../src/model/fixed-replies.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { open, remember, turn } from '../engine/memory-fixture.ts';
import { episodeItem, found } from './items.ts';

const TALK: readonly TurnInput[] = [
  turn('I adopted a grey cat from the shelter.', { speaker: 'Ann', index: 0 }),
  turn('Lovely! I bake bread before dawn.', { speaker: 'Bob', index: 1 }),
  turn('What do you bake it with?', { speaker: 'Ann', index: 2 }),
  turn('I bake it with rye flour from the mill.', { speaker: 'Bob', index: 3 }),
  turn('I moved to Ghent last week.', { speaker: 'Ann', index: 4 }),
  turn('Ann plays the cello in a quartet.', { speaker: 'Bob', index: 5 }),
];

async function ask(question: string, turns = TALK) {
  const memory = (await open(':memory:')).scope('a');
  await remember(memory, turns);
  return memory.ask(question);
}

describe('a question about the wrong person', () => {
  it.each([
    ['What did Ann adopt from the shelter?', /cat/],
    ['What does Bob bake before dawn?', /bread/],
    ['What does Ann play in a quartet?', /cello/],
  ])('is told from the right one: %s', async (question, words) => {
    expect((await ask(question)).text).toMatch(words);
  });

  it.each([
    'What did Bob adopt from the shelter?',
    'What does Ann bake with rye flour from the mill?',
    'What does Bob play in a quartet?',
  ])('is not answered: %s', async (question) => {
    const answer = await ask(question);
    expect(answer).toMatchObject({ answered: false, text: NOT_ENOUGH, citations: [] });
    expect(answer.confidence).toBeLessThan(0.4);
  });

  it('says nothing where everybody is named, or nobody', async () => {
    expect((await ask('What do Ann and Bob know of rye flour from the mill?')).text).toContain('rye');
    expect((await ask('Who adopted a grey cat from the shelter?')).text).toContain('cat');
  });
});

describe('events that bring a state about', () => {
  it('answer for the state', async () => {
    expect((await ask('Where does Ann live?')).text).toContain('Ghent');
    expect((await ask('Where does Ann live now?')).text).toContain('Ghent');
  });

  it('are those of the table, in their sense', () => {
    expect(isSaid('live', 'We relocated to Bergen.')).toBe(true);
    expect(isSaid('live', 'I moved the sofa.')).toBe(false);
    expect(isSaid('cat', 'I moved to Bergen.')).toBe(false);
    expect(isSaid('own', 'She bought a boat.')).toBe(true);
  });

  it('count less than the word itself', async () => {
    const both = [
      turn('I moved to Ghent.', { speaker: 'Ann', index: 0 }),
      turn('I live in Ghent, by the canal.', { speaker: 'Ann', index: 1 }),
    ];
    const { citations } = await ask('Where does Ann live?', both);
    expect(citations[0]?.quote).toContain('canal');
  });
});

describe('confidence', () => {
  const quote = (coverage: number, score = 0) => ({ coverage, coverageAround: coverage, score });

  it('is the best coverage where nothing speaks for or against the premise', () => {
    for (const coverage of [0.1, 0.4, 0.75])
      expect(answerConfidence([quote(0.05), quote(coverage)])).toBeCloseTo(coverage, 10);
    expect(answerConfidence([quote(0)])).toBe(0);
    expect(answerConfidence([])).toBe(0);
  });

  it('grows with the agreement, with the score of each quote and with their number', () => {
    const of = (score: number, agreement: number) => answerConfidence([quote(0.5, score)], agreement);
    expect(of(0, 0.45)).toBeGreaterThan(of(0, 0.4));
    expect(of(0, 0.9)).toBe(of(0, 0.8)); // it can refute an answer, and proves none
    expect(of(1, 0.6)).toBeGreaterThan(of(0, 0.6));
    expect(answerConfidence([quote(0.5), quote(0.5)], 0.6)).toBeGreaterThan(of(0, 0.6));
    expect(of(3, 0)).toBeLessThan(0.01);
    expect(of(3, 1)).toBeLessThanOrEqual(1);
  });

  it('is what the threshold is held against', async () => {
    const search = found({
      query: 'cello lessons',
      episodes: [episodeItem('t', { content: 'My cello is old.' })],
    });
    const knowledge = { weight: () => 1, isSpeaker: () => false };
    const at = (threshold: number, agreement = 0.5) =>
      extractiveAnswer(search, knowledge, {
        ...{ at: Number.POSITIVE_INFINITY, outdated: new Map(), allowsPast: true, threshold, agreement },
      });
    expect(await at(0.4)).toMatchObject({ answered: true, answerer: 'local', confidence: 0.5 });
    expect(await at(0.6)).toMatchObject({ answered: false, confidence: 0.5 });
    expect((await at(0.2, 0.9)).answered).toBe(true);
    expect((await at(0.2, 0.3)).answered).toBe(false);
  });

  it.each([
    ['Which cello does Ann play at dawn?', true],
    ['Which cello might Ann play at dawn?', false],
    ['Would Ann play the cello at dawn?', false],
  ])('is more for a conclusion than for what was told: %s', async (query, isAnswered) => {
    const episodes = [episodeItem('t', { content: 'I play the cello in a quartet.' })];
    const knowledge = { weight: (term: string) => (term === 'dawn' ? 2 : 1), isSpeaker: () => false };
    const answer = await extractiveAnswer(found({ query: query.replace(' Ann', ''), episodes }), knowledge);
    expect(answer).toMatchObject({ answered: isAnswered });
    expect(answer.confidence).toBeGreaterThanOrEqual(0.4);
    expect(answer.confidence).toBeLessThan(0.55);
  });
});

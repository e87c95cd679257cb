import { describe, expect, it } from 'vitest';
import {
  contextFigures,
  type EvidencedAnswer,
  holdsEvidence,
  isAnswerable,
  type Quote,
  quotedEvidence,
  quoteFigures,
} from '../../eval/metrics/evidence-metrics.ts';

const EMPTY = { episodes: 0, facts: 0, entities: 0 };

function answer(gold: readonly string[], quoted: readonly string[][], more: Partial<EvidencedAnswer> = {}) {
  const given: EvidencedAnswer = {
    question: {
      ...{ id: 'q', text: '?', category: '1', answer: 'a', evidenceSessions: [] },
      evidenceTurns: gold,
    },
    answered: quoted.length > 0,
    quotes: quoted.map((turns): Quote => ({ kind: 'fact', text: '', turns })),
    context: { tokens: 0, sources: EMPTY, turns: [], citedByFacts: [] },
    ...more,
  };
  return given;
}

describe('gold evidence in the quotes of an answer', () => {
  it.each<[gold: string[], quotes: string[][], evidence: string, at1: boolean, at3: boolean]>([
    [['1'], [['1']], 'whole', true, true],
    [['1', '2'], [['1', '2']], 'whole', true, true],
    [['1', '2'], [['1'], ['2']], 'whole', true, true],
    [['1', '2'], [['9'], ['2']], 'partial', false, true],
    [['1'], [['7'], ['8'], ['9']], 'wrong', false, false],
    [['1'], [['6'], ['7'], ['8'], ['1']], 'whole', false, false],
    [['1'], [], 'declined', false, false],
  ])('%j in %j is %s', (gold, quotes, evidence, at1, at3) => {
    const given = answer(gold, quotes);
    expect(quotedEvidence(given)).toBe(evidence);
    expect([holdsEvidence(given, 1), holdsEvidence(given, 3)]).toEqual([at1, at3]);
  });

  it('is counted only of questions with a gold answer and known evidence', () => {
    const without = answer(['1'], [['1']]);
    const unanswerable = { ...without, question: { ...without.question, answer: null } };
    expect(
      [without, answer([], [['1']]), unanswerable].map(({ question }) => isAnswerable(question)),
    ).toEqual([true, false, false]);
    expect(quoteFigures([without, answer(['1'], []), unanswerable])).toEqual({
      answerable: 2,
      ...{ evidenceAt1: 50, evidenceAt3: 50, whole: 50, partial: 0, wrong: 0, declined: 50 },
      ...{ unanswerable: 1, unanswerableDeclined: 0 },
    });
    expect(quoteFigures([])).toMatchObject({ answerable: 0, whole: null, unanswerableDeclined: null });
  });
});

it('gold evidence in the composed context counts turns, and turns that facts cite', () => {
  const context = { tokens: 90, sources: { episodes: 1, facts: 2, entities: 3 } };
  const figures = contextFigures([
    answer(['1', '2'], [], { context: { ...context, turns: ['1'], citedByFacts: ['1', '2'] } }),
    answer(['3'], [], { context: { ...context, tokens: 10, turns: [], citedByFacts: [] } }),
    answer([], [], { context: { ...context, tokens: 999, turns: [], citedByFacts: [] } }),
  ]);
  expect(figures).toEqual({
    ...{ turns: 25, whole: 0, turnsOrFacts: 50, tokens: 50 },
    sources: { episodes: 1, facts: 2, entities: 3 },
  });
  expect(contextFigures([])).toEqual({
    turns: null,
    whole: null,
    turnsOrFacts: null,
    tokens: null,
    sources: null,
  });
});

import { describe, expect, it } from 'vitest';
import { isAboutName, NEUTRAL, premiseAgreement, shareOf } from '../../src/answer/premise.ts';
import { episodeItem } from './items.ts';

const asked = new Set(['Ann']);
const others = new Set(['Bob']);

describe('whom a turn tells of', () => {
  it.each<[speaker: string, content: string, share: number]>([
    ['Ann', 'I adopted a cat.', 1],
    ['Bob', 'I adopted a cat.', 0],
    ['Ann', 'The cat is grey.', 1],
    ['Bob', 'The cat is grey.', 0],
    ['Ann', 'Your cat is grey.', 0.5],
    ['Bob', 'Your cat is grey.', 0.5],
    ['Bob', 'I like your cat.', 0],
    ['Bob', 'Ann adopted a cat.', 1],
    ['Bob', 'I saw Ann’s cat.', 0.5],
    ['Ann', 'I saw Bob’s cat.', 0.5],
    ['Ann', 'Yesterday Bob got a cat.', 0],
    ['Bob', 'Thanks, Ann! I adopted a cat.', 0],
    ['Bob', 'Hey Ann, I adopted a cat.', 0],
    ['Bob', 'Annabel adopted a cat.', 0],
  ])('%s: %s', (speaker, content, share) => {
    expect(shareOf({ asked, others }, { speaker, content })).toBe(share);
  });

  it('is told from being called by what stands around the name', () => {
    expect(isAboutName('Ann', 'So, Ann got a job')).toBe(false);
    expect(isAboutName('Ann', 'Yesterday Ann got a job')).toBe(true);
    expect(isAboutName('Ann', 'I called Ann.')).toBe(false);
    expect(isAboutName('', 'anything goes')).toBe(false);
  });
});

describe('the agreement with a premise', () => {
  const said = (speaker: string, words: number, vectors: number) =>
    episodeItem(speaker + words, {
      speaker,
      content: 'I adopted a cat.',
      why: [
        { route: 'r', list: 'lexical', rank: 1, score: words },
        { route: 'r', list: 'vector', rank: 1, score: vectors },
      ],
    });
  const lists = { lexical: 0.5, vector: 0.5 };

  it('is the share of those who are asked about in the best matches', () => {
    const of = (...turns: ReturnType<typeof said>[]) => premiseAgreement({ asked, others, turns, lists });
    expect(of(said('Ann', 3, 1), said('Bob', 1, 1))).toBeCloseTo((0.75 + 0.5) / 2, 10);
    expect(of(said('Bob', 3, 1))).toBe(0);
    expect(of(said('Ann', 3, 1))).toBe(1);
  });

  it('hears three turns of either side, the best', () => {
    const turns = [9, 1, 9, 9, 1].map((words) => said('Ann', words, 0));
    const agreement = premiseAgreement({
      asked,
      others,
      turns: [...turns, said('Bob', 27, 0)],
      lists: { lexical: 1 },
    });
    expect(agreement).toBe(0.5);
  });

  it('is neutral where nothing was heard, and goes by the lists that were', () => {
    expect(premiseAgreement({ asked, others, turns: [], lists })).toBe(NEUTRAL);
    expect(premiseAgreement({ asked, others, turns: [said('Ann', 3, 0), said('Bob', 1, 0)], lists })).toBe(
      0.75,
    );
    expect(premiseAgreement({ asked, others, turns: [said('Ann', -3, 0)], lists })).toBe(NEUTRAL);
  });
});

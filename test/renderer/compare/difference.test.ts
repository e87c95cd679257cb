import { describe, expect, it } from 'vitest';
import type { GivenAnswer, SearchResult } from '../../../main/contract.ts';
import {
  differenceOf,
  dollarsOf,
  formatTimes,
  keysOf,
  millisecondsOf,
} from '../../../renderer/compare/difference.ts';
import { evidenceOf } from '../../../renderer/compare/side.ts';

const NONE = { calls: 0, promptTokens: 0, completionTokens: 0 };
const turn = (id: string, rank: number) => ({
  ...{ kind: 'episode', id, rank, score: 1 / rank, why: [], sources: [], attachments: [] },
  ...{ content: `Turn ${id}`, speaker: 'Ana', validAt: 5 },
});
const fact = (id: string, rank: number) => ({
  ...{ kind: 'fact', id, rank, score: 1, why: [], statement: `Fact ${id}`, validAt: 6 },
  sources: [{ episode: 'a', session: 's1', index: 0, removed: true }],
});
const entity = (id: string, rank: number) => ({
  ...{ kind: 'entity', id, rank, score: 1, why: [], sources: [], name: id, summary: '' },
});

interface Run {
  readonly turns?: readonly string[];
  readonly facts?: readonly string[];
  readonly cited?: string;
  readonly milliseconds?: number;
  readonly usage?: GivenAnswer['usage'];
}
function ended({ turns = [], facts = [], cited, milliseconds = 10, usage = NONE }: Run) {
  const found = {
    episodes: turns.map((id, at) => turn(id, at + 1)),
    facts: facts.map((id, at) => fact(id, at + 1)),
    entities: [entity('Porto', 2)],
    milliseconds: 3,
  } as unknown as SearchResult;
  const citations = cited === undefined ? [] : [{ number: 1, item: { id: cited }, quote: '' }];
  const answer = {
    ...{ answered: cited !== undefined, text: `About ${cited} [1]`, citations, usage, search: found },
    trace: { milliseconds, context: { items: [], tokens: 0, leftOut: 0 } },
  } as unknown as GivenAnswer;
  return { found, answer };
}

describe('the difference between two runs', () => {
  it('counts what both found, and what one side alone found', () => {
    const left = ended({ turns: ['a', 'b'], facts: ['f'], cited: 'f' });
    const right = ended({ turns: ['b', 'c', 'd'], cited: 'b' });
    expect(differenceOf(left, right)).toEqual({
      ...{ common: 2, left: 2, right: 2, answers: 'other' },
      ...{ slower: null, dearer: null },
    });
    expect([...keysOf(left.found)]).toEqual(['episode a', 'fact f', 'episode b', 'entity Porto']);
  });

  it('says who took longer and used more tokens, unless it is about the same', () => {
    const usage = { calls: 2, promptTokens: 900, completionTokens: 100 };
    const slow = ended({ milliseconds: 21, usage });
    expect(differenceOf(ended({ milliseconds: 10 }), slow)).toMatchObject({
      slower: { side: 'right', times: 2.1 },
      dearer: { side: 'right', tokens: 1_000 },
      answers: 'neither',
    });
    expect(differenceOf(slow, ended({ milliseconds: 20 }))).toMatchObject({
      slower: null,
      dearer: { side: 'left' },
    });
    expect(differenceOf(ended({ milliseconds: 0.2 }), ended({ milliseconds: 0.9 })).slower).toBeNull();
    expect([2.13, 14.4].map(formatTimes)).toEqual(['2.1', '14']);
  });

  it('takes the time of the search from an engine that reports no other', () => {
    const { found, answer } = ended({});
    const { trace: _, ...older } = answer;
    expect(millisecondsOf({ found, answer: older })).toBe(3);
  });
});

it('what a run costs is counted with the price of a million tokens', () => {
  const usage = { calls: 1, promptTokens: 2_000, completionTokens: 500 };
  expect(dollarsOf(usage, { prompt: 1, completion: 4 })).toBeCloseTo(0.004);
  expect(dollarsOf(usage, undefined)).toBeNull();
  expect(dollarsOf(NONE, undefined)).toBe(0);
});

it('the evidence of a run is in the order of rank, with words, sources and citations', () => {
  const { found, answer } = ended({ turns: ['a', 'b'], facts: ['f'], cited: 'f' });
  expect(evidenceOf(found, answer)).toMatchObject([
    { kind: 'episode', id: 'a', text: 'Turn a', speaker: 'Ana', at: 5, cited: null },
    { kind: 'fact', text: 'Fact f', speaker: null, cited: 1, sources: [{ episode: 'a', index: 0 }] },
    { kind: 'episode', id: 'b' },
    { kind: 'entity', text: 'Porto', at: null },
  ]);
  expect(evidenceOf(found, null).every(({ cited }) => cited === null)).toBe(true);
});

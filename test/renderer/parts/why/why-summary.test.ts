import { describe, expect, it } from 'vitest';
import type { RouteTrace, Why, WhyItem } from '../../../../main/contract.ts';
import {
  barsOf,
  citedOf,
  formatMilliseconds,
  layersOf,
  leadOf,
  reasonOf,
  stateOf,
  voteName,
} from '../../../../renderer/parts/why/why-summary.ts';

const item = (id: string, more: Partial<WhyItem> = {}): WhyItem => ({
  ...{ kind: 'episode', id, text: 'words', speaker: 'Ana', at: 0, rank: 1, score: 1, votes: [] },
  ...{ sources: [], cited: null },
  ...more,
});
const trace = (route: string, more: Partial<RouteTrace> = {}): RouteTrace => ({
  ...{ route, end: 'found', milliseconds: 1, failure: null, notes: [], figures: {} },
  found: { episodes: 1, entities: 0, facts: 0 },
  usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
  ...more,
});
const why = (more: Partial<Why> = {}): Why => ({
  ...{ scope: 'default', question: 'Who?', recipe: 'auto', milliseconds: 8.2, routes: [], items: [] },
  ...{ tokens: 10, leftOut: 0, used: null },
  ...more,
});

describe('why an answer says what it says', () => {
  it('is told in one sentence', () => {
    const items = [item('a', { cited: 2 }), item('b', { cited: 1 }), item('c')];
    const routes = [trace('system1'), trace('system2'), trace('traversal', { end: 'skipped' })];
    expect(leadOf(why({ items, routes }))).toBe(
      'Found by similarity and the categories: 3 pieces of evidence, 2 cited, in 8 ms.',
    );
    expect(leadOf(why({ items: [item('a')], routes: [trace('a new route')] }))).toBe(
      'Found by a new route: 1 piece of evidence, none cited, in 8 ms.',
    );
    expect(citedOf(items).map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('distinguishes no evidence from no search', () => {
    expect(stateOf(why({ items: [item('a')] }), false)).toBe('found');
    expect(stateOf(why({ routes: [trace('system1', { end: 'nothing' })] }), false)).toBe('nothing');
    expect(stateOf(why(), true)).toBe('private');
    expect(stateOf(why(), false)).toBe('unknown');
  });

  it('gives the reason of a route that was skipped or failed, not of one that found something', () => {
    const notes = ['the question is for one thing'];
    expect(reasonOf(trace('system2', { end: 'skipped', notes }))).toBe('The question is for one thing');
    expect(reasonOf(trace('system2', { end: 'failed', failure: 'unexpected' }))).toBe('Unexpected');
    expect(reasonOf(trace('system2', { notes }))).toBeNull();
    expect(reasonOf(trace('system2', { end: 'nothing' }))).toBeNull();
  });

  it('names votes, also of lists that it does not know', () => {
    expect(voteName({ route: 'system1', list: 'lexical' })).toBe('Words');
    expect(voteName({ route: 'rerank', list: 'some-model' })).toBe('Second reading');
    expect(voteName({ route: 'later', list: 'other' })).toBe('later');
  });

  it('measures each kind of evidence by its own weakest and strongest', () => {
    const bars = barsOf([
      item('a', { score: 0.031 }),
      item('b', { score: 0.03, cited: 1 }),
      item('fact', { kind: 'fact', score: 900 }),
    ]);
    expect(bars.map(({ id }) => id)).toEqual(['a', 'fact', 'b']);
    expect(bars.map(({ height }) => height)).toEqual([1, 1, 0.12]);
  });

  it('joins the lists of a layer, from the top down', () => {
    const step = (layer: number, names: string[], picks: string[]) => ({
      ...{ layer, names, offered: names.length, picked: picks.length, notes: [] },
      picks: picks.map((name) => ({ name, all: name === 'Dogs' })),
    });
    const layers = layersOf({
      ...{ selector: 'local', end: 'complete', endLayer: 0, failure: null, categories: 1, entities: 1 },
      steps: [
        step(2, ['Animals', 'Work'], ['Animals']),
        step(1, ['Dogs', 'Cats'], ['Dogs']),
        step(1, ['Birds'], []),
        step(0, ['Rex'], ['Rex']),
      ],
    });
    expect(layers).toMatchObject([
      { layer: 2, offered: 2, picked: 1, passed: ['Work'] },
      { layer: 1, offered: 3, picked: 1, picks: [{ name: 'Dogs', all: true }], passed: ['Cats', 'Birds'] },
      { layer: 0, offered: 1, picked: 1, passed: [] },
    ]);
  });

  it('says how long it took', () => {
    expect([0.4, 8.4, 1_240, 61_000].map(formatMilliseconds)).toEqual(['<1 ms', '8 ms', '1.2 s', '61 s']);
  });
});

import { describe, expect, it } from 'vitest';
import { beamSearch, beamSearchAll, tripletCost } from '../../../src/retrieve/traversal/beam-search.ts';
import { type BeamSearchSettings, TRAVERSAL } from '../../../src/retrieve/traversal/defaults.ts';
import type { NodeType, TraversalGraph } from '../../../src/retrieve/traversal/traversal-graph.ts';
import { handGraph, walkOver, walkThatStops } from './hand-graph.ts';

const on = (more: Partial<BeamSearchSettings> = {}, walk = walkOver()) => ({
  settings: { ...TRAVERSAL.beamSearch, ...more },
  walk,
});

/** 0–1–2–3 by .9, .8, .4 and 0–4–5 by .6, .6. */
const TWO = handGraph({
  edges: [
    { between: [0, 1], relation: 0, cosine: 0.9 },
    { between: [1, 2], relation: 1, cosine: 0.8 },
    { between: [2, 3], relation: 2, cosine: 0.4 },
    { between: [0, 4], relation: 3, cosine: 0.6 },
    { between: [4, 5], relation: 4, cosine: 0.6 },
  ],
});
const told = (paths: ReturnType<typeof beamSearch>) =>
  paths.map(({ nodes, score, ended }) => [nodes.join('–'), score.toFixed(4), ended]);

describe('scores', () => {
  it('are the sum of −ln cosine divided by the length to the power of 0.75', () => {
    expect(told(beamSearch(TWO, 0, on({ maximumDepth: 1 })))).toEqual([
      ['0–1', '0.1054', false],
      ['0–4', '0.5108', false],
    ]);
    expect(told(beamSearch(TWO, 0, on({ maximumDepth: 2 })))).toEqual([
      ['0–1–2', '0.1953', false],
      ['0–4–5', '0.6075', false],
    ]);
  });

  it('are the sum with power 0, and the mean with 1', () => {
    const best = (meanAlpha: number) => told(beamSearch(TWO, 0, on({ maximumDepth: 2, meanAlpha })))[0]![1];
    expect(best(0)).toBe('0.3285');
    expect(best(1)).toBe('0.1643');
  });

  it('are high for dissimilar triplets, but never infinite', () => {
    expect(tripletCost(-1)).toBeCloseTo(13.8155, 4);
    expect(tripletCost(1)).toBeCloseTo(0);
  });
});

describe('the final order', () => {
  const sorted = (sorting: BeamSearchSettings['sorting'], maximumPaths = 10) =>
    told(beamSearch(TWO, 0, on({ maximumDepth: 3, sorting, maximumPaths })));
  const long = ['0–1–2–3', '0.5461', false];
  const short = ['0–4–5', '0.6075', true];

  it('mixes both, or puts ended or continuous paths first', () => {
    expect(sorted('mixed')).toEqual([long, short]);
    expect(sorted('ended_first')).toEqual([short, long]);
    expect(sorted('continuous_first')).toEqual([long, short]);
  });

  it('fills up from the other list', () => {
    // Node 7 is attached to 0 with the lowest cosine, so that three paths remain.
    const three = handGraph({
      edges: [
        { between: [0, 1], relation: 0, cosine: 0.3 },
        { between: [1, 2], relation: 1, cosine: 0.3 },
        { between: [0, 4], relation: 2, cosine: 0.9 },
        { between: [0, 7], relation: 3, cosine: 0.8 },
      ],
    });
    const order = (sorting: BeamSearchSettings['sorting']) =>
      beamSearch(three, 0, on({ maximumDepth: 2, sorting })).map(({ nodes }) => nodes.at(-1));
    expect(order('ended_first')).toEqual([4, 7, 2]);
    expect(order('continuous_first')).toEqual([2, 4, 7]);
    expect(order('mixed')).toEqual([4, 7, 2]);
  });
});

describe('the beam', () => {
  it('keeps the paths of lowest cost, lower number first', () => {
    const star = handGraph({
      edges: Array.from({ length: 20 }, (_, at) => ({
        between: [0, at + 1] as const,
        relation: at,
        cosine: at < 4 ? 0.2 : 0.7,
      })),
    });
    const ends = beamSearch(star, 0, on({ maximumPaths: 3 })).map(({ nodes }) => nodes.at(-1));
    expect(ends).toEqual([5, 6, 7]);
  });

  it('stops at five edges', () => {
    const line = handGraph({
      edges: Array.from({ length: 9 }, (_, at) => ({ between: [at, at + 1] as const, relation: at })),
    });
    expect(beamSearch(line, 0, on())[0]).toMatchObject({ nodes: [0, 1, 2, 3, 4, 5], ended: false });
    // 6–9 ends after three.
    const fromSix = beamSearch(line, 6, on()).map(({ nodes, ended }) => [nodes.at(-1), ended]);
    expect(fromSix).toEqual([
      [9, true],
      [1, false],
    ]);
  });

  it('treats parallel facts as two steps', () => {
    const pair = handGraph({
      edges: [
        { between: [0, 1], relation: 7, cosine: 0.4 },
        { between: [0, 1], relation: 8, cosine: 0.9 },
      ],
    });
    expect(beamSearchAll(pair, [0], on()).map(({ relation }) => relation)).toEqual([8, 7]);
  });
});

describe('the three switches', () => {
  const lengths = (graph: ReturnType<typeof handGraph>, more: Partial<BeamSearchSettings>) =>
    beamSearch(graph, 0, on(more))
      .map(({ nodes }) => nodes.join('–'))
      .sort();
  const triangle = handGraph({
    edges: [
      { between: [0, 1], relation: 0, cosine: 0.9 },
      { between: [1, 2], relation: 1, cosine: 0.9 },
      { between: [2, 3], relation: 2, cosine: 0.9 },
      { between: [1, 3], relation: 3, cosine: 0.9 },
    ],
  });
  /** 0–1–3 and 0–2–3. */
  const diamond = handGraph({
    edges: [
      { between: [0, 1], relation: 0 },
      { between: [0, 2], relation: 1 },
      { between: [1, 3], relation: 2 },
      { between: [2, 3], relation: 3 },
    ],
  });

  it('a path does not return to its nodes, unless allowed; never directly back', () => {
    const alone = { differentPathsShareNodes: true, differentPathsShareRelations: true, maximumDepth: 4 };
    expect(lengths(triangle, alone)).toEqual(['0–1–2–3', '0–1–3–2']);
    const revisiting = lengths(triangle, { ...alone, samePathRevisitsNodes: true });
    expect(revisiting).toEqual(['0–1–2–3–1', '0–1–3–2–1']);
  });

  it('two paths do not share nodes or relations, unless allowed', () => {
    // Both reach 3 in the same step; from there each meets the other.
    expect(lengths(diamond, {})).toEqual(['0–1–3', '0–2–3']);
    expect(lengths(diamond, { differentPathsShareNodes: true })).toEqual(['0–1–3', '0–2–3']);
    expect(lengths(diamond, { differentPathsShareRelations: true })).toEqual(['0–1–3', '0–2–3']);
    const both = { differentPathsShareNodes: true, differentPathsShareRelations: true };
    expect(lengths(diamond, both)).toEqual(['0–1–3–2', '0–2–3–1']);
  });
});

describe('restrictions', () => {
  const graph = handGraph({
    types: { 0: 'episode', 1: 'thesis', 2: 'episode' },
    edges: [{ between: [0, 1] }, { between: [1, 2] }, { between: [0, 3] }],
  });

  it('exclude node types from paths; the start may have any', () => {
    const reached = (...allowed: readonly NodeType[]) =>
      beamSearchAll(graph, [0], on({}, walkOver(...allowed))).map(({ to }) => to);
    expect(reached().sort()).toEqual([1, 2, 3]);
    expect(reached('thesis', 'object').sort()).toEqual([1, 3]);
    expect(reached('thesis')).toEqual([1]);
    expect(reached('episode')).toEqual([]);
  });
});

describe('several starts', () => {
  it('are merged, best path first, without duplicates', () => {
    const edges = beamSearchAll(TWO, [5, 2], on({ maximumDepth: 1 }));
    // 2–1 (.8), 5–4 (.6), 2–3 (.4).
    expect(edges.map(({ relation }) => relation)).toEqual([1, 4, 2]);
    const both = beamSearchAll(TWO, [1, 2], on({ maximumDepth: 1 }));
    expect(both.map(({ relation }) => relation)).toEqual([0, 1, 2]);
    expect(beamSearchAll(TWO, [], on())).toEqual([]);
  });

  it('the limit is checked within the thousands of edges of a hub, of which the cheapest are used', () => {
    const hub: TraversalGraph = {
      ...TWO,
      edgesOf: (from) =>
        from === 0 ? Array.from({ length: 4_000 }, (_, at) => ({ from, to: at + 1, relation: at })) : [],
      relevance: ({ to }) => (to > 3_990 ? 0.9 : 0.5),
    };
    expect(() => beamSearchAll(hub, [0], on({ maximumDepth: 1 }, walkThatStops(3)))).toThrow('stopped');
    const ends = beamSearch(hub, 0, on({ maximumPaths: 12 })).map(({ nodes }) => nodes.at(-1));
    expect(ends).toEqual([3_991, 3_992, 3_993, 3_994, 3_995, 3_996, 3_997, 3_998, 3_999, 4_000, 1, 2]);
  });

  it('the limit is checked', () => {
    expect(() => beamSearchAll(TWO, [0], on({}, walkThatStops(2)))).toThrow('stopped');
  });
});

import { describe, expect, it } from 'vitest';
import { TRAVERSAL, type WaterCirclesSettings } from '../../../src/retrieve/traversal/defaults.ts';
import type { TraversalEdge } from '../../../src/retrieve/traversal/traversal-graph.ts';
import { waterCircles } from '../../../src/retrieve/traversal/water-circles.ts';
import { handGraph, walkOver, walkThatStops } from './hand-graph.ts';

/** The question's entities are 0, 1, 2. */
const ASKED = [0, 1, 2];
const RELATIONS = [
  { between: [0, 1], relation: 10, cosine: 0.1, names: [2] }, // hits 1 at its end and names 2
  { between: [0, 2], relation: 11, cosine: 0.2 }, // hits 2
  { between: [0, 3], relation: 12, cosine: 0.3 }, // meets 13 in 3
  { between: [1, 3], relation: 13, cosine: 0.4 },
  { between: [1, 4], relation: 14, cosine: 0.5 }, // hits nothing
  { between: [2, 5], relation: 15, cosine: 0.6 },
  { between: [5, 6], relation: 16, cosine: 0.9 }, // beyond the ring
] as const;
/** Theses 20 to 22, episodes 30 and 31. */
const FRAGMENTS = [
  { between: [0, 20], cosine: 0.9 }, // 0 and 1: one other
  { between: [1, 20], cosine: 0.9 },
  { between: [0, 21], cosine: 0.2, names: [0, 1, 2] }, // two others
  { between: [0, 22], cosine: 0.8 }, // nobody else
  { between: [0, 30], cosine: 0.3 },
  { between: [1, 31], cosine: 0.7 },
] as const;
const TYPES = { 20: 'thesis', 21: 'thesis', 22: 'thesis', 30: 'episode', 31: 'episode' } as const;
const graph = handGraph({ types: TYPES, edges: [...RELATIONS, ...FRAGMENTS] });

const run = (more: Partial<WaterCirclesSettings> = {}, walk = walkOver(), asked = ASKED, on = graph) =>
  waterCircles(on, asked, { settings: { ...TRAVERSAL.waterCircles, ...more }, walk });
const relations = (edges: readonly TraversalEdge[]) => edges.map(({ relation }) => relation);
const ends = (edges: readonly TraversalEdge[]) => edges.map(({ to }) => to);

describe('the circles', () => {
  it('separate triplets that touch several entities, one entity, and chains that meet', () => {
    const { several, one, chains, walked } = run();
    expect(relations(several)).toEqual([10]);
    expect(relations(one)).toEqual([11]);
    expect(relations(chains)).toEqual([12, 13]);
    expect(relations(walked).sort()).toEqual([10, 11, 12, 13, 14, 15]);
  });

  it('put triplets that touch most first', () => {
    const both = handGraph({
      edges: [
        { between: [0, 4], relation: 1, names: [1, 2] },
        { between: [0, 5], relation: 2, names: [1, 2, 3] },
      ],
    });
    expect(relations(run({}, walkOver(), [0, 1, 2, 3], both).several)).toEqual([2, 1]);
  });

  it('do not count the entity that a triplet started from', () => {
    const own = handGraph({ edges: [{ between: [0, 4], relation: 1, names: [0] }] });
    expect(relations(run({}, walkOver(), ASKED, own).one)).toEqual([]);
  });
});

describe('strict_filter', () => {
  it('keeps only triplets that touch several; the others are secondary, nearest first', () => {
    const { primary, secondary } = run();
    expect(relations(primary)).toEqual([10]);
    expect(relations(secondary)).toEqual([15, 14, 13, 12, 11]);
  });

  it('falls back to the others if none touches several', () => {
    const without = handGraph({ edges: RELATIONS.slice(1) });
    const { primary, secondary } = run({}, walkOver(), ASKED, without);
    expect(relations(primary)).toEqual([11, 12, 13]);
    expect(relations(secondary)).toEqual([15, 14]);
  });

  it('if off, uses all three lists, without duplicates', () => {
    const { primary, secondary } = run({ strictFilter: false });
    expect(relations(primary)).toEqual([10, 11, 12, 13]);
    expect(relations(secondary)).toEqual([15, 14]);
  });

  it('drops fragments about one entity only, unless all are', () => {
    // Theses: two others before one; 22 has none. Episodes have none.
    const { theses, episodes } = run();
    expect(ends(theses)).toEqual([21, 20]);
    expect(ends(episodes)).toEqual([31, 30]);
    expect(ends(run({ strictFilter: false }).theses)).toEqual([21, 20, 22]);
  });
});

it('the limits apply to each part', () => {
  const few = { strictFilter: false, chainTriplets: 2, otherTriplets: 1, hyper: 1, episodic: 1 };
  const { primary, secondary, theses, episodes, edges } = run(few);
  expect([relations(primary), relations(secondary)]).toEqual([[10, 11], [15]]);
  expect([ends(theses), ends(episodes)]).toEqual([[21], [31]]);
  expect(edges).toEqual([...primary, ...secondary, ...theses, ...episodes]);
});

it('restrictions exclude node types from circles, except the question’s own entities', () => {
  const types = (found: ReturnType<typeof run>) => [
    relations(found.walked),
    ends(found.theses),
    ends(found.episodes),
  ];
  const all = [10, 11, 12, 13, 14, 15];
  expect(types(run({}, walkOver('object', 'thesis')))).toEqual([all, [21, 20], []]);
  expect(types(run({}, walkOver('object', 'episode')))).toEqual([all, [], [31, 30]]);
  expect(types(run({}, walkOver('thesis', 'episode')))).toEqual([
    [10, 11],
    [21, 20],
    [31, 30],
  ]);
});

describe('few entities', () => {
  it('one: everything around it, nearest first; none: nothing', () => {
    const { primary, secondary, theses } = run({}, walkOver(), [0]);
    expect([relations(primary), relations(secondary)]).toEqual([[], [12, 11, 10]]);
    expect(ends(theses)).toEqual([20, 22, 21]);
    expect(run({}, walkOver(), []).edges).toEqual([]);
  });

  it('the limit is checked', () => {
    expect(() => run({}, walkThatStops(2))).toThrow('stopped');
  });
});

import { describe, expect, it } from 'vitest';
import { aStar, aStarAll } from '../../../src/retrieve/traversal/a-star.ts';
import { type AStarSettings, type Heuristic, TRAVERSAL } from '../../../src/retrieve/traversal/defaults.ts';
import { handGraph, walkOver, walkThatStops } from './hand-graph.ts';

const settings = (more: Partial<AStarSettings> = {}): AStarSettings => ({ ...TRAVERSAL.aStar, ...more });
const by = (heuristic: Heuristic, maximumPops = 150) => ({
  settings: settings({ heuristic, maximumPops }),
  walk: walkOver(),
});

/** Start 0, goal 4: the short way by 1, the long one by 2 and 3. */
const FORK = [
  { between: [0, 1], relation: 0 },
  { between: [0, 2], relation: 1 },
  { between: [1, 4], relation: 2 },
  { between: [2, 3], relation: 3 },
  { between: [3, 4], relation: 4 },
] as const;
const LEG = { start: 0, goal: 4 };
const fork = (distances: Readonly<Record<string, number>>) => handGraph({ edges: FORK, distances });
const line = (length: number) =>
  handGraph({
    edges: Array.from({ length }, (_, at) => ({ between: [at, at + 1] as const, relation: at })),
  });

describe('the heuristics', () => {
  // g + h of node 1, 2: ip 1 + .8, 1 + .6; weighted 1 + 1 · .8, 1 + 2 · .6; averaged 1 + 1 · (.9 + .8)/2 = 1.85,
  // 1 + 2 · (.1 + .6)/2 = 1.7.
  const first = fork({ '0 1': 0.9, '0 2': 0.1, '1 4': 0.8, '2 4': 0.6 });
  // ip 1.8, 1.3; weighted 1.8, 1.6; averaged 1 + (.1 + .8)/2 = 1.45, 1 + 2 · (.9 + .3)/2 = 2.2.
  const second = fork({ '0 1': 0.1, '0 2': 0.9, '1 4': 0.8, '2 4': 0.3 });

  it.each([
    ['ip', 2, 2],
    ['weighted', 1, 2],
    ['averaged-weighted', 2, 1],
  ] as const)('%s goes on from the node with the smallest f', (heuristic, inFirst, inSecond) => {
    expect(aStar(first, LEG, by(heuristic, 2)).path).toEqual([0, inFirst]);
    expect(aStar(second, LEG, by(heuristic, 2)).path).toEqual([0, inSecond]);
  });

  it('averages over the whole path', () => {
    // Node 1: 1 + (1.5 + 1.1)/2 = 2.3. Node 2: 1 + 2 · (.1 + .1)/2 = 1.2. Node 3: 2 + (.1 + .2 + .3)/3 = 2.2.
    const graph = fork({ '0 1': 1.5, '1 4': 1.1, '0 2': 0.1, '2 4': 0.1, '2 3': 0.2, '3 4': 0.3 });
    expect(aStar(graph, LEG, by('averaged-weighted', 3)).path).toEqual([0, 2, 3]);
  });

  it('find the shortest path regardless of what they explore first', () => {
    // ip: 0; 2 (f 1.6); 1 (1.8); 4 (2). weighted: 0; 1 (1.8); 4 (2). averaged: 0; 2 (1.7); 1 (1.85); 4 (2).
    const run = (heuristic: Heuristic) => aStar(first, LEG, by(heuristic));
    expect(run('ip')).toEqual({ path: [0, 1, 4], reached: true, pops: 4 });
    expect(run('weighted')).toEqual({ path: [0, 1, 4], reached: true, pops: 3 });
    expect(run('averaged-weighted')).toEqual({ path: [0, 1, 4], reached: true, pops: 4 });
  });

  it('prefer the lower number at equal f', () => {
    expect(aStar(fork({}), LEG, by('ip', 2)).path).toEqual([0, 1]);
  });

  it('replace a longer path to a node by a shorter one that is found later', () => {
    // 0–1–2–3–5 and 0–4–3: node 4 is far from the goal (f 2.9), so 3 is first reached in three hops.
    const graph = handGraph({
      edges: [
        [0, 1],
        [1, 2],
        [2, 3],
        [0, 4],
        [3, 4],
        [3, 5],
      ].map(([a, b], relation) => ({ between: [a!, b!] as const, relation })),
      distances: { '1 5': 0, '2 5': 0, '3 5': 0, '4 5': 1.9 },
    });
    // f: 1 → 1; 2 → 2; 4 → 2.9; 3 → 3 by 2, then 4 is expanded first (2.9): 3 by 4 has f 2.
    const run = aStar(graph, { start: 0, goal: 5 }, by('ip'));
    expect(run.path).toEqual([0, 4, 3, 5]);
  });
});

describe('limits', () => {
  it('stop at ten hops, with the path to the last expanded node', () => {
    expect(aStar(line(12), { start: 0, goal: 10 }, by('ip'))).toMatchObject({ reached: true, pops: 11 });
    const far = aStar(line(12), { start: 0, goal: 11 }, by('ip'));
    expect(far).toEqual({ path: Array.from({ length: 11 }, (_, at) => at), reached: false, pops: 11 });
  });

  it('stop after 150 nodes', () => {
    const star = handGraph({
      edges: [
        ...Array.from({ length: 200 }, (_, at) => ({ between: [0, at + 1] as const, relation: at })),
        { between: [300, 301], relation: 300 },
      ],
    });
    const run = aStar(star, { start: 0, goal: 301 }, by('ip'));
    // The start, then the leaves in order.
    expect(run).toEqual({ path: [0, 149], reached: false, pops: 150 });
  });

  it('are checked during the search', () => {
    const stopping = { settings: settings({ heuristic: 'weighted' }), walk: walkThatStops(3) };
    expect(() => aStar(line(9), { start: 0, goal: 9 }, stopping)).toThrow('stopped');
  });
});

describe('an unreachable goal', () => {
  const graph = handGraph({
    edges: [
      { between: [0, 1], relation: 0 },
      { between: [2, 3], relation: 1 },
    ],
  });

  it('costs the hop-counting heuristics nothing', () => {
    for (const heuristic of ['weighted', 'averaged-weighted'] as const)
      expect(aStar(graph, { start: 0, goal: 3 }, by(heuristic))).toEqual({
        path: [0],
        reached: false,
        pops: 0,
      });
  });

  it('gives ip the path explored so far', () => {
    expect(aStar(graph, { start: 0, goal: 3 }, by('ip'))).toEqual({ path: [0, 1], reached: false, pops: 2 });
  });
});

describe('restrictions', () => {
  // 0 – thesis 1 – 4; 0 – 2 – 3 – 4.
  const graph = handGraph({
    types: { 1: 'thesis' },
    edges: [
      { between: [0, 1] },
      { between: [1, 4] },
      { between: [0, 2], relation: 0 },
      { between: [2, 3], relation: 1 },
      { between: [3, 4], relation: 2 },
    ],
  });
  const without = (heuristic: Heuristic) => ({
    settings: settings({ heuristic }),
    walk: walkOver('object', 'episode'),
  });

  it.each(['ip', 'weighted', 'averaged-weighted'] as const)(
    '%s walks round what it may not enter',
    (kind) => {
      expect(aStar(graph, LEG, by(kind)).path).toEqual([0, 1, 4]);
      expect(aStar(graph, LEG, without(kind)).path).toEqual([0, 2, 3, 4]);
    },
  );

  it.each(['ip', 'weighted', 'averaged-weighted'] as const)('%s may start and end anywhere', (kind) => {
    expect(aStar(graph, { start: 0, goal: 1 }, without(kind)).path).toEqual([0, 1]);
    expect(aStar(graph, { start: 1, goal: 3 }, without(kind)).path).toEqual([1, 4, 3]);
  });

  it('count hops separately for a start that others may not pass', () => {
    // 0 – thesis 1 – 4 and 0 – 2: without theses, 0 does not reach 4, so it does not expand 2 either.
    const bridge = handGraph({
      types: { 1: 'thesis' },
      edges: [{ between: [0, 1] }, { between: [1, 4] }, { between: [0, 2], relation: 0 }],
    });
    const legs = [
      { start: 1, goal: 4 },
      { start: 0, goal: 4 },
    ];
    const edges = aStarAll(bridge, legs, without('weighted'));
    expect(edges).toEqual([{ from: 1, to: 4, relation: null }]);
  });
});

it('several legs return each triplet once, including parallel ones', () => {
  const graph = handGraph({
    edges: [
      { between: [0, 1], relation: 7 },
      { between: [0, 1], relation: 8 },
      { between: [1, 2], relation: 9 },
    ],
  });
  const legs = [
    { start: 0, goal: 1 },
    { start: 2, goal: 0 },
  ];
  const edges = aStarAll(graph, legs, by('weighted'));
  expect(edges).toEqual([
    { from: 0, to: 1, relation: 7 },
    { from: 0, to: 1, relation: 8 },
    { from: 2, to: 1, relation: 9 },
  ]);
  expect(aStarAll(graph, [], by('ip'))).toEqual([]);
});

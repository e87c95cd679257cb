import { describe, expect, it } from 'vitest';
import { type IncomingEdges, pagerank, scaledSeeds } from '../../../src/retrieve/pagerank/pagerank.ts';
import { buildAdjacency } from '../../../src/search/graph-view.ts';

type Edge = readonly [from: number, to: number, weight: number];

function graph(nodes: number, edges: readonly Edge[]): IncomingEdges {
  return buildAdjacency(nodes, 'to', {
    froms: Uint32Array.from(edges, ([from]) => from),
    tos: Uint32Array.from(edges, ([, to]) => to),
    weights: Float32Array.from(edges, ([, , weight]) => weight),
    types: new Uint8Array(edges.length),
  });
}
const bothWays = (edges: readonly Edge[]): Edge[] =>
  edges.flatMap(([from, to, weight]) => [
    [from, to, weight],
    [to, from, weight],
  ]);
const seeds = (...scores: readonly number[]) => scaledSeeds(Float64Array.from(scores));
const four = (ranks: Float64Array) => Array.from(ranks, (rank) => rank.toFixed(4));
const HALF = { damping: 0.5 };

describe('pagerank', () => {
  // docs/papers.md §2.11: e1, e2, t1, t2, s.
  const WORKED: readonly Edge[] = [
    [0, 2, 0.2],
    [0, 3, 0.2],
    [1, 3, 0.8],
    [0, 1, 0.6],
    [2, 4, 0.2],
    [3, 4, 0.5],
  ];
  const SEEDS = seeds(0.2, 0.8, 0.1, 0.5, 0.4);

  it('computes the ranks of the worked example, symmetric and directed', () => {
    const symmetric = pagerank(graph(5, bothWays(WORKED)), SEEDS, HALF);
    expect(four(symmetric.ranks)).toEqual(['0.1550', '0.3244', '0.0640', '0.2920', '0.1647']);
    const directed = pagerank(graph(5, WORKED), SEEDS, HALF);
    // The last one is .23375, exactly between two numbers of four digits.
    const wanted = [0.05, 0.215, 0.03, 0.2375, 0.23375];
    for (const [node, rank] of wanted.entries()) expect(directed.ranks[node]).toBeCloseTo(rank, 6);
  });

  it('solves a pair as by hand', () => {
    // a = .5·1 + .5·b and b = .5·0 + .5·a, for any weight: b = a/2, a = .5 + a/4, so a = 2/3 and b = 1/3.
    const { ranks } = pagerank(graph(2, bothWays([[0, 1, 0.3]])), seeds(1, 0), HALF);
    expect(ranks[0]).toBeCloseTo(2 / 3, 5);
    expect(ranks[1]).toBeCloseTo(1 / 3, 5);
  });

  it('splits a node’s rank by the weights of its edges, with another damping', () => {
    // A star, d = .8, all seed in the middle m; leaves a (weight 3) and b (weight 1) return all their rank:
    // m = .2 + .8·(a + b), a = .8·¾·m, b = .8·¼·m; a + b = .8·m, m = .2 / .36 = .5556, a = .3333, b = .1111.
    const star = graph(
      3,
      bothWays([
        [0, 1, 3],
        [0, 2, 1],
      ]),
    );
    const { ranks } = pagerank(star, seeds(1, 0, 0), { damping: 0.8, rounds: 200 });
    expect(four(ranks)).toEqual(['0.5556', '0.3333', '0.1111']);
  });

  it('counts parallel edges separately', () => {
    // Two edges of weight 1 to a, one of weight 2 to b: half of .5·1 each, that is .5·.5·½ with the seed's own .5.
    const { ranks } = pagerank(
      graph(3, [
        [0, 1, 1],
        [0, 1, 1],
        [0, 2, 2],
      ]),
      seeds(1, 0, 0),
      HALF,
    );
    expect(four(ranks)).toEqual(['0.5000', '0.1250', '0.1250']);
  });

  it('drops the mass of nodes without out-edges', () => {
    // a → b → c: a = .5, b = .5·a = .25, c = .5·b = .125; the rest is lost.
    const { ranks } = pagerank(
      graph(3, [
        [0, 1, 0.7],
        [1, 2, 0.001],
      ]),
      seeds(1, 0, 0),
      HALF,
    );
    expect(four(ranks)).toEqual(['0.5000', '0.2500', '0.1250']);
  });

  it('handles isolated nodes, and an empty graph', () => {
    expect(four(pagerank(graph(2, []), seeds(3, 1), HALF).ranks)).toEqual(['0.3750', '0.1250']);
    expect(pagerank(graph(0, []), seeds(), HALF).ranks).toHaveLength(0);
  });

  it('stops when the ranks change by less than the tolerance, or after the maximum of rounds', () => {
    const pair = graph(2, bothWays([[0, 1, 1]]));
    // The first round changes (1, 0) to (.5, .5), by 1; each later change is half the last: below 1e-6 in the 21st, 2^-20.
    expect(pagerank(pair, seeds(1, 0), HALF).rounds).toBe(21);
    // 1, .5, .25, .125, .0625.
    expect(pagerank(pair, seeds(1, 0), { damping: 0.5, tolerance: 0.1 }).rounds).toBe(5);
    expect(pagerank(pair, seeds(1, 0), { damping: 0.99 }).rounds).toBe(50);
    expect(pagerank(pair, seeds(1, 0), { damping: 0.5, rounds: 2 }).rounds).toBe(2);
  });

  it('does not modify its seeds, and can be stopped', () => {
    const given = seeds(1, 0);
    pagerank(graph(2, bothWays([[0, 1, 1]])), given, HALF);
    expect([...given]).toEqual([1, 0]);
    const stop = () => {
      throw new TypeError('late');
    };
    expect(() => pagerank(graph(2, []), given, { damping: 0.5, check: stop })).toThrow('late');
  });
});

describe('seeds', () => {
  it('have sum 1, and no negative value', () => {
    expect([...seeds(0.3, -0.5, 0.1)].map((seed) => seed.toFixed(4))).toEqual(['0.7500', '0.0000', '0.2500']);
  });

  it('are uniform if no score is above 0', () => {
    expect([...seeds(0, -1, 0, -0.2)]).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(seeds()).toHaveLength(0);
  });
});

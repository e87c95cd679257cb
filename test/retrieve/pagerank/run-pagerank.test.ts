import { describe, expect, it } from 'vitest';
import { PAGERANK, type PagerankRoute } from '../../../src/retrieve/pagerank/defaults.ts';
import { rankQuestion, runPagerank } from '../../../src/retrieve/pagerank/run-pagerank.ts';
import { Limit } from '../../../src/retrieve/within-time.ts';
import { type GraphOfCosines, indexOf, inputOf } from './graph-of-cosines.ts';

/** docs/papers.md §2.11. */
const WORKED: GraphOfCosines = {
  entities: { e1: 0.2, e2: 0.8 },
  turns: { t1: 0.1, t2: 0.5 },
  segments: { s: 0.4 },
  facts: { r: 0.6 },
  mentions: { t1: ['e1'], t2: ['e1', 'e2'] },
  inSegment: { t1: 's', t2: 's' },
  relations: { r: ['e1', 'e2'] },
  cites: { r: ['t2'] },
};

type Asked = Parameters<typeof inputOf>[1];

/** Rank of each node to four decimals. */
function ranksIn(graph: GraphOfCosines, route: Partial<PagerankRoute> = {}, asked?: Asked) {
  const index = indexOf(graph);
  const { nodes, ranks } = rankQuestion(inputOf(index, asked), { ...PAGERANK, ...route });
  const nameOf = (node: number) => {
    if (node < nodes.firstTurn) return index.entities.ids.idOf(node);
    if (node < nodes.firstSegment) return index.episodes.ids.idOf(node - nodes.firstTurn);
    return index.segments.ids.idOf(node - nodes.firstSegment);
  };
  return Object.fromEntries(
    Array.from(nodes.nodes, (node, place) => [nameOf(node), Number(ranks[place]!.toFixed(4))] as const),
  );
}
/** Within what rounding the vectors does to cosines of two dimensions. */
const near = (ranks: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(ranks).map(([name, rank]) => [name, expect.closeTo(rank, 2)]));
const nodesIn = (...asked: Parameters<typeof ranksIn>) => Object.keys(ranksIn(...asked)).sort();

function found(graph: GraphOfCosines, route: Partial<PagerankRoute> = {}, asked?: Asked) {
  const { lists, report } = runPagerank(inputOf(indexOf(graph), asked), { ...PAGERANK, ...route });
  const keys = (kind: keyof typeof lists) => lists[kind].flatMap((list) => list.keys);
  return { turns: keys('episode'), facts: keys('fact'), entities: keys('entity'), lists, report };
}

describe('ranks of a memory', () => {
  it('equal the worked example: symmetric, directed and over the full graph', () => {
    const symmetric = near({ e1: 0.155, e2: 0.3244, t1: 0.064, t2: 0.292, s: 0.1647 });
    expect(ranksIn(WORKED)).toEqual(symmetric);
    expect(ranksIn(WORKED, { graph: 'full' })).toEqual(symmetric);
    const directed = near({ e1: 0.05, e2: 0.215, t1: 0.03, t2: 0.2375 });
    const { s, ...others } = ranksIn(WORKED, { edges: 'directed' });
    expect(others).toEqual(directed);
    expect(s).toBeCloseTo(0.23375, 2);
  });

  it('weigh edges by the question, or uniformly', () => {
    // Directed, from e alone (seed ½) to a (seed 0) by a fact of .9 and to b (seed ½) by one of .1:
    // e = .25, a = .5·.9·.25 = .1125, b = .25 + .5·.1·.25 = .2625; all the same: a = .0625, b = .3125.
    const fork: GraphOfCosines = {
      entities: { e: 0.5, a: 0, b: 0.5 },
      facts: { fa: 0.9, fb: 0.1 },
      relations: { fa: ['e', 'a'], fb: ['e', 'b'] },
    };
    expect(ranksIn(fork, { edges: 'directed' })).toEqual(near({ e: 0.25, a: 0.1125, b: 0.2625 }));
    const uniform = ranksIn(fork, { edges: 'directed', edgeWeights: 'uniform' });
    expect(uniform).toEqual({ e: 0.25, a: 0.0625, b: 0.3125 });
  });

  it('use a turn’s own cosine if it mentions nobody, and 0.001 for a cosine not above it', () => {
    // Directed: t → s and nothing else leaves t, so that s gets all of it for any weight.
    // Symmetric: s hands back to t by .6 and to u, which mentions e of −.5 and so weighs .001.
    const graph: GraphOfCosines = {
      entities: { e: -0.5 },
      turns: { t: 0.6, u: 0 },
      segments: { s: 0 },
      mentions: { u: ['e'] },
      inSegment: { t: 's', u: 's' },
    };
    expect(ranksIn(graph, { edges: 'directed' })).toEqual({ e: 0, t: 0.5, u: 0, s: 0.25 });
    // t = .5 + .5·(.6/.601)·s, u = .5·(.001/.601)·s + .5·e, e = .5·u/2, s = .5·t + .5·u/2; from e: u = .0009508·s;
    // s = .5·t + .0002·s = .50012·t, t = .5 + .49917·.50012·t = .5/.75036 = .6663, s = .3333, u = .0003, e = .0001.
    expect(ranksIn(graph)).toEqual({ e: 0.0001, t: 0.6663, u: 0.0003, s: 0.3333 });
  });

  it('use the mean over all entities of a turn, also those outside the subgraph', () => {
    // Symmetric, one seed of each kind: s, near. t and u are included through s, far is not; t weighs (.8 + .2)/2, u
    // .3.
    const graph: GraphOfCosines = {
      entities: { near: 0.8, far: 0.2, other: 0.3 },
      turns: { t: 0, u: 0 },
      segments: { s: 0.5 },
      mentions: { t: ['near', 'far'], u: ['other'] },
      inSegment: { t: 's', u: 's' },
    };
    // Directed: near → t of .5·.8/1.3 = …: seeds near .8/1.3 = .6154, s .5/1.3 = .3846; near = .3077, t = .1538, s = .1923 + .0769.
    expect(ranksIn(graph, { seeds: 1, edges: 'directed' })).toEqual(
      near({
        near: 0.3077,
        t: 0.1538,
        u: 0,
        s: 0.2692,
      }),
    );
    // s hands to t 5/8 and to u 3/8 of what it has: u = .5·⅜·s and, as it goes nowhere else, s = .1923 + .5·(t_s + u).
    const { u, s } = ranksIn(graph, { seeds: 1 });
    expect(u! / s!).toBeCloseTo(0.5 * 0.375, 3);
  });

  it('use the nearest of several descriptions, and the profile of an entity without one', () => {
    const graph: GraphOfCosines = {
      entities: { e: 0.1 },
      again: { e: [0.2, -0.3] },
      undescribed: { p: 0.6 },
    };
    // Seeds ¼ and ¾, and no edges.
    expect(ranksIn(graph)).toEqual(near({ e: 0.125, p: 0.375 }));
  });

  it('are uniform if nothing is near', () => {
    expect(
      ranksIn(
        { entities: { a: 0, b: -1 }, turns: { t: null }, mentions: { t: ['a'] } },
        { edges: 'directed' },
      ),
    ).toEqual({ a: 0.1667, b: 0.1667, t: 0.25 });
  });

  it('flow along a relation once for each fact, and along a proposition both ways between each pair', () => {
    // Directed, all seed at a (1); a → b, a → c, b ↔ c of .5 each by the proposition a, b, c.
    const graph: GraphOfCosines = {
      entities: { a: 0.5, b: 0, c: 0 },
      facts: { p: 0.5 },
      propositions: { p: ['a', 'b', 'c'] },
    };
    // a = .5 + .5·(b + c)/2, b = .5·(a + c)/2 = c: b = a/3 (b = .25·a + .25·b), a = .5 + .5·a/3 = .6, b = c = .2.
    expect(ranksIn(graph, { edges: 'directed' })).toEqual({ a: 0.6, b: 0.2, c: 0.2 });
    expect(ranksIn(graph, { propositions: false })).toEqual({ a: 0.5, b: 0, c: 0 });
    // Two facts to b, one to c, all of one weight: twice as much.
    const twice: GraphOfCosines = {
      entities: { a: 0.5, b: 0, c: 0 },
      facts: { f: 0.5, g: 0.5, h: 0.5 },
      relations: { f: ['a', 'b'], g: ['a', 'b'], h: ['a', 'c'] },
    };
    expect(ranksIn(twice, { edges: 'directed' })).toEqual({ a: 0.5, b: 0.1667, c: 0.0833 });
  });

  it('exclude ended facts, dropped, later and deleted turns', () => {
    expect(found({ ...WORKED, ended: ['r'] }).report?.figures?.subgraphEdges).toBe(5);
    expect(found(WORKED).report?.figures?.subgraphEdges).toBe(6);
    expect(nodesIn({ ...WORKED, dropped: ['t1'] })).toEqual(['e1', 'e2', 's', 't2']);
    expect(nodesIn({ ...WORKED, dropped: ['t1'] }, { turns: 'all' })).toContain('t1');
    // At time 5 nobody had mentioned e2, nor anything in the segment of t2.
    const told: GraphOfCosines = {
      ...WORKED,
      segments: { s: 0.4, later: 0.9 },
      inSegment: { t1: 's', t2: 'later' },
      relations: {},
      saidAt: { t2: 10 },
    };
    expect(nodesIn(told, {}, { asOf: 5 })).toEqual(['e1', 's', 't1']);
    expect(nodesIn(told)).toEqual(['e1', 'e2', 'later', 's', 't1', 't2']);
    const index = indexOf(WORKED);
    index.apply({
      removals: [
        { kind: 'episode', id: 't2' },
        { kind: 'segment', id: 's' },
        { kind: 'fact', id: 'r' },
        { kind: 'profile', id: 'p-e2' },
      ],
    });
    const { nodes, figures } = rankQuestion(inputOf(index), PAGERANK);
    expect(nodes.size).toBe(2);
    expect(figures.subgraphEdges).toBe(1);
  });
});

describe('the subgraph of a question', () => {
  /** The neighbourhoods of two seeds, and a part that no seed reaches. */
  const PARTS: GraphOfCosines = {
    entities: { near: 0.9, partner: 0, second: 0, far: 0, farther: 0, subject: 0, object: 0 },
    turns: { said: 0, told: 0, cited: 0, apart: 0.95 },
    segments: { topic: 0.9, other: 0 },
    facts: { joins: 0, beyond: 0, seed: 0.9, elsewhere: 0 },
    mentions: { said: ['near'], cited: ['far'], apart: ['far'] },
    inSegment: { told: 'topic', apart: 'other', said: 'other' },
    relations: {
      joins: ['partner', 'near'],
      beyond: ['partner', 'second'],
      seed: ['subject', 'object'],
      elsewhere: ['far', 'farther'],
    },
    cites: { seed: ['cited'], elsewhere: ['apart'] },
  };

  it('contains the seeds, nodes that seed facts join and cite, and the neighbours of seed nodes', () => {
    const expected = ['cited', 'near', 'object', 'partner', 'said', 'subject', 'told', 'topic'];
    expect(nodesIn(PARTS, { seeds: 1 })).toEqual(expected);
    expect(nodesIn(PARTS, { graph: 'full', seeds: 1 })).toHaveLength(13);
    // All its turns are returned: no node gives `cited` a rank, so it is last.
    const { turns, lists } = found(PARTS, { seeds: 1 });
    expect([turns.toSorted(), turns.at(-1)]).toEqual([['cited', 'said', 'told'], 'cited']);
    expect(lists.episode[0]!.scores.at(-1)).toBe(0);
    // A turn itself is never a seed, however near.
    expect(found(PARTS, { seeds: 1 }).turns).not.toContain('apart');
    expect(found(PARTS, { graph: 'full' }).turns[0]).toBe('apart');
  });

  it('has exactly the edges between its nodes', () => {
    // near–said, told–topic, partner–near, subject–object.
    expect(found(PARTS, { seeds: 1 }).report?.figures).toMatchObject({ subgraphNodes: 8, subgraphEdges: 4 });
  });

  it('has propositions as seeds only if they are edges', () => {
    const graph: GraphOfCosines = {
      ...{ entities: { a: 0.9, x: 0, y: 0 }, turns: { t: 0, u: 0 }, facts: { p: 0.9, r: 0.1 } },
      ...{ propositions: { p: ['x'] }, relations: { r: ['y', 'a'] }, cites: { p: ['t'], r: ['u'] } },
    };
    expect(nodesIn(graph, { seeds: 1 })).toEqual(['a', 't', 'x', 'y']);
    expect(nodesIn(graph, { seeds: 1, propositions: false })).toEqual(['a', 'u', 'y']);
  });
});

describe('the lists of the route', () => {
  const TALK: GraphOfCosines = {
    entities: { ann: 0.9, bob: 0.1 },
    turns: { t1: 0.1, t2: 0.9, t3: 0.4 },
    segments: { s: 0.2 },
    facts: { low: 0.1, high: 0.7, older: 0.95, both: 0.3, ended: 0.99 },
    mentions: { t1: ['bob'], t2: ['ann'], t3: ['ann', 'bob'] },
    inSegment: { t1: 's', t2: 's', t3: 's' },
    propositions: { low: ['ann'], high: ['ann'], older: ['bob'], both: ['ann', 'bob'], ended: ['ann'] },
    cites: { low: ['t2'], high: ['t2'], older: ['t1'], both: ['t1', 't2'], ended: ['t2'] },
    ended: ['ended'],
  };

  it('are turns and entities by rank, and each fact once with the best turn that it cites', () => {
    const { turns, facts, entities, lists } = found(TALK);
    expect(turns).toEqual(['t2', 't3', 't1']);
    expect(entities).toEqual(['ann', 'bob']);
    // Those of t2 by their cosines, then the others of t1; although nearest, they come after those of t2.
    expect(facts).toEqual(['high', 'both', 'low', 'older']);
    const { route, list, weight, scores } = lists.episode[0]!;
    expect({ route, list, weight }).toEqual({ route: 'pagerank', list: 'pagerank', weight: 1 });
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(lists.fact[0]!.scores.slice(0, 3)).toEqual([scores[0], scores[0], scores[0]]);
  });

  it('have the length, kinds and weight of the settings', () => {
    const { turns, facts, entities } = found(TALK, {}, { depth: 2 });
    expect([turns.length, facts.length, entities.length]).toEqual([2, 2, 2]);
    const only = found(TALK, { kinds: ['fact'], weight: 0.2 });
    expect([only.turns, only.entities]).toEqual([[], []]);
    expect(only.lists.fact[0]!.weight).toBe(0.2);
  });

  it('are empty for an empty memory, and with a note for a question without words to compare', () => {
    expect(found({}).lists).toEqual({ episode: [], fact: [], entity: [] });
    const { turns, report } = found(TALK, {}, { queryVector: new Float32Array(2) });
    expect(turns).toEqual([]);
    expect(report?.notes).toEqual([expect.stringMatching(/no words/)]);
  });

  it('come with timings', () => {
    const { figures } = found(TALK).report!;
    expect(figures).toMatchObject({ subgraphNodes: 6, rounds: expect.any(Number) });
    for (const part of ['seedsMs', 'projectionMs', 'pagerankMs'])
      expect(figures![part]).toBeGreaterThanOrEqual(0);
  });

  it('end at the time limit', () => {
    const limit = new Limit(-1);
    expect(() => found(TALK, {}, { limit })).toThrow(expect.objectContaining({ code: 'route-late' }));
  });
});

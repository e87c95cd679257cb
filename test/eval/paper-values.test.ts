import { describe, expect, it } from 'vitest';
import { paperRecipeNamed } from '../../eval/papers/recipes.ts';
import { HIERARCHY_SETTINGS } from '../../src/hierarchy/defaults.ts';
import { RANK_CONSTANT } from '../../src/retrieve/fuse.ts';
import { PAGERANK } from '../../src/retrieve/pagerank/defaults.ts';
import { ALONE } from '../../src/retrieve/similarity/defaults.ts';
import { TOPICS } from '../../src/retrieve/topics/defaults.ts';
import { TRAVERSAL } from '../../src/retrieve/traversal/defaults.ts';

/** What the papers, or their authors' code, give as a number: a change of a default is a change of the method. */
describe('values of the papers', () => {
  it('n = 3 children of a category (Mnemis §2.2), rank constant 60', () => {
    expect([HIERARCHY_SETTINGS.minimumChildren, RANK_CONSTANT]).toEqual([3, 60]);
  });

  it('A* of 10 hops and 150 nodes, WaterCircles of 25 and 6 triplets and 15 texts of each kind (PersonalAI)', () => {
    expect(TRAVERSAL.aStar).toMatchObject({ maximumHops: 10, maximumPops: 150 });
    expect(TRAVERSAL.waterCircles).toMatchObject({
      hyper: 15,
      episodic: 15,
      chainTriplets: 25,
      otherTriplets: 6,
    });
  });

  it('factors of time, role and confidence 1.4, 1.4 and 1.2 (GAM §3.4)', () => {
    expect(TOPICS.factors).toEqual({ time: 1.4, role: 1.4, confidence: 1.2 });
  });

  it('ten topics and ten turns, each turn by itself (GAM §4.1)', () => {
    const { routes, question } = paperRecipeNamed('gam-paper');
    expect([routes, question]).toEqual([[{ ...TOPICS, topics: 10, results: 10, reading: ALONE }], 'whole']);
  });

  it('ten seeds of each kind, and relations alone as edges (MemORAI §3.3)', () => {
    const [route] = paperRecipeNamed('memorai-paper').routes;
    expect(route).toEqual({ ...PAGERANK, seeds: 10, propositions: false });
    expect(PAGERANK.propositions).toBe(true);
  });
});

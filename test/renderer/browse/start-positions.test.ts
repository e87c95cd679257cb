import { describe, expect, it } from 'vitest';
import { type Link, startPositions } from '../../../renderer/browse/graph/start-positions.ts';

const LINKS: readonly Link[] = [
  [0, 1, 1],
  [0, 2, 1],
  [2, 3, 4],
];

describe('startPositions', () => {
  it('gives the same places for the same nodes and links', () => {
    expect(startPositions(5, LINKS)).toEqual(startPositions(5, LINKS));
  });

  it('puts no two nodes on one place', () => {
    const places = startPositions(200, LINKS);
    const points = Array.from({ length: 200 }, (_, node) => `${places[2 * node]} ${places[2 * node + 1]}`);
    expect(new Set(points).size).toBe(200);
  });

  it('begins a node near its neighbour', () => {
    const places = startPositions(40, [[30, 39, 1]]);
    const between = (a: number, b: number) =>
      Math.hypot(places[2 * a]! - places[2 * b]!, places[2 * a + 1]! - places[2 * b + 1]!);
    expect(between(30, 39)).toBeLessThan(between(30, 38));
  });
});

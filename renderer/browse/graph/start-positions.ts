/** Positions of the ends of a link among the nodes, and its weight. */
export type Link = readonly [from: number, to: number, weight: number];

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Of the first node with no neighbour before it, to the next; and of a node to its neighbour. */
const [APART, NEAR] = [40, 9];

/**
 * Where nodes begin before they are arranged: beside their first neighbour that comes before them, else on a spiral.
 * The same nodes and links begin, and end, at the same places.
 */
export function startPositions(nodes: number, links: readonly Link[]): Float32Array {
  const before = new Int32Array(nodes).fill(-1);
  for (const [from, to] of links) {
    const [first, later] = from < to ? [from, to] : [to, from];
    if (before[later] === -1) before[later] = first;
  }
  const places = new Float32Array(nodes * 2);
  const placed = new Uint32Array(nodes);
  let free = 0;
  for (let node = 0; node < nodes; node++) {
    const neighbour = before[node]!;
    const turn = neighbour < 0 ? free++ : ++placed[neighbour]!;
    const distance = (neighbour < 0 ? APART : NEAR) * Math.sqrt(turn);
    const angle = turn * GOLDEN_ANGLE + (neighbour < 0 ? 0 : neighbour);
    places[2 * node] = (neighbour < 0 ? 0 : places[2 * neighbour]!) + distance * Math.cos(angle);
    places[2 * node + 1] = (neighbour < 0 ? 0 : places[2 * neighbour + 1]!) + distance * Math.sin(angle);
  }
  return places;
}

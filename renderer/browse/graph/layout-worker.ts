import iterate from 'graphology-layout-forceatlas2/iterate.js';
import type { Arranged, Arrangement } from './arrangement.ts';

/** Numbers a node and a link take in the arrays of the layout. */
const [PER_NODE, PER_LINK] = [10, 3];
/** Places of a node's numbers: mass, whether it still moves much, and radius. */
const [MASS, CONVERGENCE, RADIUS] = [6, 7, 8];
/** Milliseconds between two messages. */
const STEP_MS = 120;
/** From here on, far nodes are taken together. */
const MANY = 800;

/** Arranges the nodes of a picture by their links (ForceAtlas2), away from the thread of the page. */
self.onmessage = ({ data }: MessageEvent<Arrangement>) => {
  const { nodes, links } = matricesOf(data);
  const count = data.sizes.length;
  const settings = {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: 10,
    strongGravityMode: false,
    gravity: 2,
    slowDown: 1 + Math.log(count + 1),
    barnesHutOptimize: count > MANY,
    barnesHutTheta: 0.8,
  };
  let told = performance.now();
  for (let round = 0; round < data.rounds; round++) {
    iterate(settings, nodes, links);
    if (performance.now() - told < STEP_MS) continue;
    tell({ places: placesIn(nodes), isDone: false });
    told = performance.now();
  }
  tell({ places: placesIn(nodes), isDone: true });
};

function matricesOf({ places, sizes, links: pairs }: Arrangement) {
  const nodes = new Float32Array(sizes.length * PER_NODE);
  const links = new Float32Array(pairs.length);
  for (let node = 0; node < sizes.length; node++) {
    const at = node * PER_NODE;
    nodes.set([places[2 * node]!, places[2 * node + 1]!], at);
    [nodes[at + MASS], nodes[at + CONVERGENCE], nodes[at + RADIUS]] = [1, 1, sizes[node]!];
  }
  for (let at = 0; at < pairs.length; at += PER_LINK) {
    // Weights are far apart; their logarithms pull alike.
    const weight = 1 + Math.log2(Math.max(1, pairs[at + 2]!));
    const ends = [pairs[at]! * PER_NODE, pairs[at + 1]! * PER_NODE] as const;
    links.set([...ends, weight], at);
    for (const end of ends) nodes[end + MASS]! += weight;
  }
  return { nodes, links };
}

function placesIn(nodes: Float32Array): Float32Array {
  const places = new Float32Array((nodes.length / PER_NODE) * 2);
  for (let node = 0; 2 * node < places.length; node++) {
    places[2 * node] = nodes[node * PER_NODE]!;
    places[2 * node + 1] = nodes[node * PER_NODE + 1]!;
  }
  return places;
}

function tell(message: Arranged): void {
  self.postMessage(message);
}

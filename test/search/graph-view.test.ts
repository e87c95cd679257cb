import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/errors/index.ts';
import { type Direction, GraphView } from '../../src/search/graph-view.ts';
import { seededRandom } from './random.ts';

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
  readonly type: number;
}

function listed(graph: GraphView, ordinal: number, direction: Direction): number[][] {
  const { ordinals, weights, types } = graph.neighbours(ordinal, direction);
  return Array.from(ordinals, (other, at) => [other, weights[at]!, types[at]!]);
}

function expectSame(graph: GraphView, edges: readonly Edge[], nodes: number): void {
  expect([graph.nodeCount, graph.edgeCount]).toEqual([nodes, edges.length]);
  for (let node = 0; node < nodes; node++) {
    const out = edges.filter(({ from }) => from === node);
    const into = edges.filter(({ to }) => to === node);
    expect(listed(graph, node, 'out')).toEqual(out.map(({ to, weight, type }) => [to, weight, type]));
    expect(listed(graph, node, 'in')).toEqual(into.map(({ from, weight, type }) => [from, weight, type]));
    expect([graph.degree(node), graph.degree(node, 'in')]).toEqual([out.length, into.length]);
    expect([...graph.newestNeighbours(node)]).toEqual(out.map(({ to }) => to).reverse());
    expect([...graph.newestNeighbours(node, 'in')]).toEqual(into.map(({ from }) => from).reverse());
  }
}

describe('GraphView', () => {
  it('equals a list of edges through random changes', () => {
    const random = seededRandom(1);
    const graph = new GraphView(30);
    let edges: Edge[] = [];
    for (let step = 0; step < 3_000; step++) {
      const from = Math.floor(random() * 30);
      const to = Math.floor(random() * 30);
      const type = Math.floor(random() * 3);
      const chance = random();
      if (chance < 0.8) {
        const edge = { from, to, weight: Math.floor(random() * 100) / 4, type };
        edges.push(edge);
        graph.addEdge(edge);
      } else if (chance < 0.97) {
        edges = edges.filter((edge) => edge.from !== from || edge.to !== to || edge.type !== type);
        graph.removeEdge(from, to, type);
      } else {
        const direction = chance < 0.985 ? 'out' : 'in';
        edges = edges.filter((edge) => edge[direction === 'out' ? 'from' : 'to'] !== from);
        graph.removeEdgesOf(from, direction);
      }
      if (step % 100 === 99) expectSame(graph, edges, 30);
    }
    const loaded = GraphView.fromSections(graph.toSections())!;
    expectSame(loaded, edges, 30);
    loaded.addEdge({ from: 40, to: 1, weight: 2, type: 1 });
    expectSame(loaded, [...edges, { from: 40, to: 1, weight: 2, type: 1 }], 41);
    expectSame(graph, edges, 30);
  });

  it('has defaults, loops and nodes without edges', () => {
    const graph = GraphView.fromEdges(2, [{ from: 1, to: 1 }]);
    expect(listed(graph, 1, 'in')).toEqual([[1, 1, 0]]);
    expect([graph.degree(0), graph.degree(99)]).toEqual([0, 0]);
    expect(listed(graph, 99, 'out')).toEqual([]);
    graph.reserve(5);
    expect([graph.nodeCount, graph.degree(4)]).toEqual([5, 0]);
  });

  it('rejects impossible edges and foreign sections', () => {
    const graph = GraphView.fromEdges(3, [{ from: 0, to: 2 }]);
    expect(() => graph.addEdge({ from: -1, to: 0 })).toThrow(InvalidInputError);
    expect(() => graph.addEdge({ from: 0, to: 0, type: 256 })).toThrow(InvalidInputError);
    const good = graph.toSections();
    const broken: [string, unknown][] = [
      ['tos', Uint32Array.of(3)],
      ['froms', Uint32Array.of(7)],
      ['weights', new Float32Array(2)],
      ['types', new Uint32Array(1)],
      ['graph', { json: { format: 1, nodes: -1 } }],
    ];
    for (const [name, section] of broken) {
      expect(GraphView.fromSections(new Map(good).set(name, section as never)), name).toBeNull();
    }
  });
});

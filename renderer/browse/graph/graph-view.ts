import { UndirectedGraph } from 'graphology';
import Sigma from 'sigma';
import { NodePointProgram } from 'sigma/rendering';
import type { MouseCoords, NodeDisplayData, PartialButFor } from 'sigma/types';
import type { GraphKind, GraphNode, MemoryGraph } from '../../../main/contract.ts';
import { type Arranged, arrange } from './arrangement.ts';
import { colourOf, coloursOf, type GraphColours } from './graph-colours.ts';
import { type Link, startPositions } from './start-positions.ts';

/** A node as the picture keeps it. */
interface NodeLook {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly label: string;
  readonly kind: GraphKind;
  readonly layer: number;
  readonly amount: number;
}

interface LinkLook {
  readonly size: number;
  readonly weight: number;
}

interface ViewOptions {
  readonly isStill: boolean;
  readonly onSelect: (node: GraphNode | null) => void;
  readonly onExpand: (node: GraphNode) => void;
  readonly onState: (state: 'arranging' | 'still') => void;
}

/** Above this, a picture is drawn with less while it moves, and the pointer marks only what is near. */
const MANY = 2_000;
/** Rounds of arranging: many small pictures settle well, large ones cost seconds. */
const roundsFor = (nodes: number): number => (nodes > 5_000 ? 120 : nodes > 1_000 ? 220 : 400);

/** Whether the browser can draw with WebGL 2. */
export function canDraw(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

/** The picture on its canvas: nodes and links, the camera, what is selected and what the pointer is on. */
export class GraphView {
  readonly #graph = new UndirectedGraph<NodeLook, LinkLook>({ allowSelfLoops: false });
  readonly #sigma: Sigma<NodeLook, LinkLook>;
  readonly #options: ViewOptions;
  #colours: GraphColours;
  #selected: string | null = null;
  #hovered: string | null = null;
  /** The node that the camera went to: it is followed until the picture is arranged. */
  #followed: string | null = null;
  #stop: () => void = () => undefined;

  constructor(container: HTMLElement, options: ViewOptions) {
    this.#options = options;
    this.#colours = coloursOf(document.documentElement.dataset.theme);
    this.#sigma = new Sigma<NodeLook, LinkLook>(this.#graph, container, {
      allowInvalidContainer: true,
      labelFont: getComputedStyle(document.body).fontFamily,
      labelSize: 12,
      labelWeight: '500',
      labelRenderedSizeThreshold: 7,
      labelDensity: 0.6,
      labelColor: { color: this.#colours.text },
      minCameraRatio: 0.01,
      maxCameraRatio: 4,
      zIndex: true,
      // One point a node instead of a triangle: a third of the corners.
      nodeProgramClasses: { circle: NodePointProgram },
      stagePadding: 40,
      nodeReducer: (id, look) => this.#reduced(id, look),
      edgeReducer: (id, look) => this.#reducedLink(id, look),
      defaultDrawNodeHover: (context, node) => this.#drawHover(context, node),
    });
    this.#sigma.on('clickNode', ({ node }) => this.#options.onSelect(this.#nodeAt(node)));
    this.#sigma.on('clickStage', () => this.#options.onSelect(null));
    this.#sigma.on('doubleClickNode', ({ node, preventSigmaDefault }) => {
      preventSigmaDefault();
      this.#options.onExpand(this.#nodeAt(node));
    });
    this.#rest(this.#sigma.getMouseCaptor());
    this.#sigma.on('enterNode', ({ node }) => this.#hover(node));
    this.#sigma.on('leaveNode', () => this.#hover(null));
  }

  get nodes(): number {
    return this.#graph.order;
  }

  get links(): number {
    return this.#graph.size;
  }

  has(id: string): boolean {
    return this.#graph.hasNode(id);
  }

  /** Shows another picture; nodes that were in the one before keep their places. */
  show({ nodes, links }: Pick<MemoryGraph, 'nodes' | 'links'>): void {
    const before = new Map<string, readonly [number, number]>();
    this.#graph.forEachNode((id, { x, y }) => before.set(id, [x, y]));
    this.#stop();
    this.#graph.clear();
    const places = startPositions(nodes.length, links);
    let known = 0;
    for (const [at, { id }] of nodes.entries()) {
      const place = before.get(id);
      if (place === undefined) continue;
      known++;
      [places[2 * at], places[2 * at + 1]] = place;
    }
    this.#put(nodes, links, places);
    const many = nodes.length > MANY;
    this.#sigma.setSetting('hideEdgesOnMove', many);
    this.#sigma.setSetting('hideLabelsOnMove', many);
    const isSame = known > 0.8 * nodes.length;
    if (!isSame) void this.fit();
    this.#arrange(isSame ? 20 : roundsFor(nodes.length));
  }

  /** Adds the neighbours of a node, which come first, around it. */
  add({ nodes, links }: Pick<MemoryGraph, 'nodes' | 'links'>): void {
    const [centre] = nodes;
    if (centre === undefined) return;
    const around = startPositions(nodes.length, links);
    const own = this.has(centre.id) ? this.#graph.getNodeAttributes(centre.id) : { x: 0, y: 0 };
    for (let at = 0; at < nodes.length; at++) {
      around[2 * at]! += own.x;
      around[2 * at + 1]! += own.y;
    }
    this.#put(nodes, links, around);
    this.#arrange(40);
  }

  select(id: string | null): void {
    this.#selected = id;
    if (id !== this.#followed) this.#followed = null;
    this.#redraw();
  }

  /** Moves the camera to a node. */
  async centre(id: string): Promise<void> {
    if (!this.has(id)) return;
    this.#followed = id;
    const camera = this.#sigma.getCamera();
    // Between a change and the next frame, display data are in the graph's own coordinates, not in the camera's.
    this.#sigma.refresh();
    const { x, y } = this.#sigma.getNodeDisplayData(id)!;
    const target = { x, y, ratio: Math.min(camera.ratio, 0.35) };
    if (this.#options.isStill) camera.setState(target);
    else await camera.animate(target, { duration: 300 });
  }

  zoom(direction: 'in' | 'out'): void {
    const camera = this.#sigma.getCamera();
    const options = { duration: this.#options.isStill ? 1 : 180, factor: 1.6 };
    void (direction === 'in' ? camera.animatedZoom(options) : camera.animatedUnzoom(options));
  }

  async fit(): Promise<void> {
    const camera = this.#sigma.getCamera();
    const whole = { x: 0.5, y: 0.5, ratio: 1, angle: 0 };
    if (this.#options.isStill) camera.setState(whole);
    else await camera.animate(whole, { duration: 250 });
  }

  /** Takes the colours of the theme. */
  paint(): void {
    this.#colours = coloursOf(document.documentElement.dataset.theme);
    this.#sigma.setSetting('labelColor', { color: this.#colours.text });
    this.#sigma.refresh({ skipIndexation: true });
  }

  end(): void {
    this.#stop();
    this.#sigma.kill();
  }

  #put(nodes: MemoryGraph['nodes'], links: readonly Link[], places: Float32Array): void {
    for (const [at, { id, kind, name, layer, size }] of nodes.entries()) {
      if (this.has(id)) continue;
      this.#graph.addNode(id, {
        x: places[2 * at]!,
        y: places[2 * at + 1]!,
        label: name,
        kind,
        layer,
        amount: size,
        size: radiusOf({ kind, size }),
      });
    }
    for (const [from, to, weight] of links) {
      const [one, other] = [nodes[from]!.id, nodes[to]!.id];
      if (one === other || this.#graph.hasEdge(one, other)) continue;
      const size = Math.min(4, 0.6 + Math.log2(weight) * 0.5);
      this.#graph.addEdge(one, other, { weight, size });
    }
  }

  /** Arranges all nodes from where they are. */
  #arrange(rounds: number): void {
    this.#stop();
    const ids = this.#graph.nodes();
    if (ids.length === 0) {
      this.#options.onState('still');
      return;
    }
    const numbers = new Map(ids.map((id, at) => [id, at]));
    const places = new Float32Array(2 * ids.length);
    const sizes = new Float32Array(ids.length);
    this.#graph.forEachNode((id, { x, y, size }) => {
      const at = numbers.get(id)!;
      [places[2 * at], places[2 * at + 1], sizes[at]] = [x, y, size];
    });
    const links = this.#graph.mapEdges(
      (_, { weight }, one, other): Link => [numbers.get(one)!, numbers.get(other)!, weight],
    );
    this.#options.onState('arranging');
    const onStep = ({ places: next, isDone }: Arranged) => {
      // Who asked for less motion sees the end at once.
      if (isDone || !this.#options.isStill)
        this.#graph.updateEachNodeAttributes(
          (id, look) => {
            const at = numbers.get(id);
            return at === undefined ? look : { ...look, x: next[2 * at]!, y: next[2 * at + 1]! };
          },
          { attributes: ['x', 'y'] },
        );
      if (!isDone) return;
      if (this.#followed !== null) void this.centre(this.#followed);
      this.#options.onState('still');
    };
    this.#stop = arrange({ places, sizes, links, rounds, onStep });
  }

  #nodeAt(id: string): GraphNode {
    const { kind, label, layer, amount } = this.#graph.getNodeAttributes(id);
    return { id, kind, name: label, layer, size: amount };
  }

  /**
   * While the picture is dragged, nothing is looked for below the pointer: reading what was drawn there waits for the
   * graphics, which costs most of a frame.
   */
  #rest(captor: ReturnType<Sigma['getMouseCaptor']>): void {
    const watching = captor.listeners('mousemove') as ((event: MouseCoords) => void)[];
    captor.on('mousedown', () => captor.removeAllListeners('mousemove'));
    captor.on('mouseup', () => {
      captor.removeAllListeners('mousemove');
      for (const listener of watching) captor.on('mousemove', listener);
    });
  }

  #hover(id: string | null): void {
    this.#hovered = id;
    this.#redraw();
  }

  #redraw(): void {
    if (this.nodes <= MANY) {
      this.#sigma.refresh({ skipIndexation: true, schedule: true });
      return;
    }
    // Of a large picture only what is near the pointer or selected is drawn again.
    const near = [this.#hovered, this.#selected].flatMap((id) =>
      id !== null && this.has(id) ? [id, ...this.#graph.neighbors(id)] : [],
    );
    const nodes = [...new Set([...near, ...this.#marked])];
    this.#marked = near;
    this.#sigma.refresh({ partialGraph: { nodes }, skipIndexation: true, schedule: true });
  }

  #marked: readonly string[] = [];

  /** The colour of its kind. Fades what is not near the pointer, where the picture is small enough for that. */
  #reduced(id: string, look: NodeLook) {
    const color = colourOf(look, this.#colours);
    if (id === this.#hovered || id === this.#selected)
      return { ...look, color, highlighted: true, zIndex: 2 };
    if (this.#hovered === null || !this.has(this.#hovered)) return { ...look, color };
    if (this.#graph.areNeighbors(id, this.#hovered)) return { ...look, color, forceLabel: true, zIndex: 1 };
    return this.nodes > MANY
      ? { ...look, color }
      : { ...look, color: this.#colours.faded, label: '', zIndex: 0 };
  }

  #reducedLink(id: string, look: LinkLook) {
    const marked = this.#hovered ?? this.#selected;
    const plain = { ...look, color: this.#colours.link };
    if (this.nodes > MANY || marked === null || !this.has(marked)) return plain;
    if (this.#graph.hasExtremity(id, marked)) return { ...look, color: this.#colours.nearLink, zIndex: 1 };
    return this.#hovered === null ? plain : { ...plain, hidden: true };
  }

  /** The name on a plate in the colours of the theme, with a ring around the node. */
  #drawHover(
    context: CanvasRenderingContext2D,
    { x, y, size, label, color }: PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>,
  ): void {
    const { text, ground } = this.#colours;
    context.beginPath();
    context.arc(x, y, size + 3, 0, 2 * Math.PI);
    context.strokeStyle = text;
    context.lineWidth = 2;
    context.stroke();
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    if (!label) return;
    context.font = `600 13px ${getComputedStyle(document.body).fontFamily}`;
    const width = context.measureText(label).width;
    context.fillStyle = ground;
    context.strokeStyle = color;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x + size + 6, y - 12, width + 14, 24, 6);
    context.fill();
    context.stroke();
    context.fillStyle = text;
    context.fillText(label, x + size + 13, y + 4.5);
  }
}

function radiusOf({ kind, size }: Pick<GraphNode, 'kind' | 'size'>): number {
  if (kind === 'turn') return 2.5;
  const most = kind === 'category' ? 16 : 14;
  return Math.min(most, 3 + Math.log2(size + 1) * (kind === 'category' ? 1.4 : 1.3));
}

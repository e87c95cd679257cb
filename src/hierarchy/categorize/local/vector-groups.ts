import { groupBy } from '../../../util/collections.ts';
import { dotProduct } from '../../../util/dot-product.ts';
import { capitalized } from '../../../util/tidy.ts';
import type { LayerNode } from '../../categorizer.ts';
import type { Draft } from './drafts.ts';
import { type EntityWork, isLabel } from './label-groups.ts';
import type { NameReading } from './read-name.ts';
import { fewestAlike } from './themes.ts';
import type { Label } from './vocabulary.ts';

/** Minimum cosine for a name that the taxonomy does not know to join a category. */
const NEAR = 0.5;
/** Minimum cosine for two such names to form a group. */
const CLOSE = 0.6;
/** Comparing all pairs is quadratic: of more names, the others stay with their kinds. */
const MOST_COMPARED = 1_000;
const LARGEST_CLUSTER = 50;
/** Minimum cosine for a less usual meaning. */
const PLAUSIBLE = 0.3;
const PLAUSIBLE_OF_WORD = 0.15;

/** Categories whose members have no common direction as vectors. */
const TOO_MIXED = new Set(['Named people', 'Names', 'Dates', 'People', 'Places', 'Things', 'Activities']);

/** Places names that the taxonomy does not know, and chooses among plausible meanings. */
export async function addByVector(work: EntityWork): Promise<void> {
  const { readings, breather, minimum, drafts, left } = work;
  const centres = new Map<Label, Place>();
  for (const draft of drafts.all()) {
    await breather.breathe();
    if (isLabel(draft) && draft.nodes.size >= minimum && !TOO_MIXED.has(draft.name))
      centres.set(draft.labels[0]!, { draft, centre: new Centre(draft.nodes) });
  }
  const placed = drafts.placed();
  const joins: [Place, LayerNode][] = [];
  const unknown: LayerNode[] = [];
  for (const [node, reading] of readings) {
    await breather.breathe();
    const { vector } = node;
    if (vector === null || left.has(node) || isAbstract(reading)) continue;
    const point = { node, vector };
    const near = placed.has(node) ? plausible(point, reading, centres) : nearest(point, centres);
    for (const place of near) joins.push([place, node]);
    if (near.length === 0 && !placed.has(node)) unknown.push(node);
  }
  for (const [{ draft }, node] of joins) draft.nodes.add(node);
  await addClusters(unknown, work);
}

/** Whether it has a meaning, but none that is worth a category. */
function isAbstract({ meaning: { labels } }: NameReading): boolean {
  return labels.length > 0 && labels.every(({ isShown }) => !isShown);
}

/** A category with the centre of its members before any joined by vector. */
interface Place {
  readonly draft: Draft;
  readonly centre: Centre;
}

type Places = ReadonlyMap<Label, Place>;

function nearest(point: Point, places: Places): readonly Place[] {
  let best: readonly Place[] = [];
  let most = NEAR;
  for (const place of places.values()) {
    const similarity = place.centre.similarity(point);
    if (similarity > most) [best, most] = [[place], similarity];
  }
  return best;
}

/** Places of less usual meanings that are near enough and, except for single words, nearer than the usual one. */
function plausible(point: Point, { meaning, others }: NameReading, places: Places): readonly Place[] {
  const { node } = point;
  const candidates = others.flatMap(({ labels }) =>
    labels.flatMap((label) => (label.parent === null ? [] : (places.get(label) ?? []))),
  );
  if (candidates.length === 0) return [];
  // A single word may mean either: "squash" is a sport and a vegetable.
  const isWord = !/\s/.test(node.name.trim());
  const usual = meaning.labels.map((label) => places.get(label)?.centre.similarity(point) ?? 0);
  const least = isWord ? PLAUSIBLE_OF_WORD : Math.max(PLAUSIBLE, ...usual);
  return candidates.filter(({ draft, centre }) => !draft.nodes.has(node) && centre.similarity(point) > least);
}

async function addClusters(
  unknown: readonly LayerNode[],
  { nodes, breather, tools, minimum, drafts }: EntityWork,
): Promise<void> {
  const compared = unknown.slice(0, MOST_COMPARED);
  const vectors = new Map(compared.map((node) => [node, node.vector!]));
  const likeness = (one: LayerNode, other: LayerNode) => dotProduct(vectors.get(one)!, vectors.get(other)!);
  const leader = new Map<LayerNode, LayerNode>(compared.map((node) => [node, node]));
  const find = (node: LayerNode): LayerNode => {
    const up = leader.get(node)!;
    return up === node ? node : find(up);
  };
  for (const [index, node] of compared.entries()) {
    await breather.breathe();
    for (let other = 0; other < index; other++)
      if (likeness(node, compared[other]!) >= CLOSE) leader.set(find(node), find(compared[other]!));
  }
  const topics = tools.vocabulary.named('Topics');
  const least = fewestAlike(nodes.length, minimum);
  for (const members of groupBy(compared, find).values()) {
    if (members.length < least || members.length > LARGEST_CLUSTER) continue;
    const centre = mostCentral(members, likeness);
    drafts.add(capitalized(centre.name), topics === undefined ? [] : [topics], members);
  }
}

function mostCentral(
  members: readonly LayerNode[],
  likeness: (one: LayerNode, other: LayerNode) => number,
): LayerNode {
  const near = (node: LayerNode) => members.reduce((sum, other) => sum + likeness(node, other), 0);
  return [...members].sort((a, b) => near(b) - near(a) || (a.name < b.name ? -1 : 1))[0]!;
}

export interface Point {
  readonly node: LayerNode;
  /** Cached: each read copies the vector out of the index. */
  readonly vector: Float32Array;
}

/** Mean of the name vectors of some nodes, as of its construction. */
export class Centre {
  readonly #nodes: ReadonlySet<LayerNode>;
  readonly #sum: Float64Array | null;
  readonly #square: number;

  constructor(nodes: ReadonlySet<LayerNode>) {
    this.#nodes = new Set(nodes);
    this.#sum = null;
    for (const { vector } of nodes) {
      if (vector === null) continue;
      this.#sum ??= new Float64Array(vector.length);
      for (let at = 0; at < vector.length; at++) this.#sum[at]! += vector[at]!;
    }
    this.#square = this.#sum?.reduce((total, value) => total + value * value, 0) ?? 0;
  }

  /** Cosine to the other members; 0 if there are none. */
  similarity({ node, vector }: Point): number {
    if (this.#sum === null) return 0;
    const dot = dotProduct(this.#sum, vector);
    const own = this.#nodes.has(node) ? 1 : 0;
    // (s − v)·v and |s − v|² of a unit v.
    const square = this.#square - own * (2 * dot - 1);
    return square < 1e-9 ? 0 : (dot - own) / Math.sqrt(square);
  }
}

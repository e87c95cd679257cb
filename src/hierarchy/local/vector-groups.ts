import { capitalized } from '../../util/capitalized.ts';
import { dotProduct } from '../../util/dot-product.ts';
import { groupBy } from '../../util/group-by.ts';
import type { LayerNode } from '../categorizer.ts';
import type { Draft } from './drafts.ts';
import { isLabel } from './label-groups.ts';
import type { EntityWork } from './layer-work.ts';
import type { NameReading } from './read-name.ts';
import type { Label } from './vocabulary.ts';

/** Cosine from which a name that the taxonomy does not know belongs to a category. */
const NEAR = 0.5;
/** Cosine from which two such names belong together. */
const CLOSE = 0.6;
/** Comparing all with all: more are left to their kinds. */
const MOST_COMPARED = 1_000;
const LARGEST_CLUSTER = 50;
/** A less usual meaning needs names that are at least so near, and nearer than those of the usual one. */
const PLAUSIBLE = 0.3;
const PLAUSIBLE_OF_WORD = 0.15;

/** Their members have nothing in common that a vector could show. */
const TOO_MIXED = new Set([
  'Named people',
  'Names',
  'Dates',
  'People',
  'Places',
  'Things',
  'Ideas',
  'Activities',
  'Amounts',
]);

/** What the taxonomy is silent about, and which of several meanings are plausible. */
export async function addByVector(work: EntityWork): Promise<void> {
  const { readings, breather, minimum, drafts, left } = work;
  const centres = new Map<Label, Centre>();
  for (const draft of drafts.all()) {
    await breather.breathe();
    if (isLabel(draft) && draft.nodes.size >= minimum && !TOO_MIXED.has(draft.name))
      centres.set(draft.labels[0]!, new Centre(draft));
  }
  const placed = drafts.placed();
  const joins: [Centre, LayerNode][] = [];
  const unknown: LayerNode[] = [];
  for (const [node, reading] of readings) {
    await breather.breathe();
    // Read once: a node's vector is copied out of the index each time that it is asked for.
    const { vector } = node;
    if (vector === null || left.has(node)) continue;
    const point = { node, vector };
    const near = placed.has(node) ? plausible(point, reading, centres) : nearest(point, centres);
    for (const centre of near) joins.push([centre, node]);
    if (near.length === 0 && !placed.has(node)) unknown.push(node);
  }
  for (const [{ draft }, node] of joins) draft.nodes.add(node);
  await addClusters(unknown, work);
}

interface Point {
  readonly node: LayerNode;
  readonly vector: Float32Array;
}

class Centre {
  readonly draft: Draft;
  readonly #sum: Float64Array | null;
  readonly #square: number;

  constructor(draft: Draft) {
    this.draft = draft;
    this.#sum = null;
    for (const { vector } of draft.nodes) {
      if (vector === null) continue;
      this.#sum ??= new Float64Array(vector.length);
      for (let at = 0; at < vector.length; at++) this.#sum[at]! += vector[at]!;
    }
    this.#square = this.#sum?.reduce((total, value) => total + value * value, 0) ?? 0;
  }

  /** Cosine to the other members. */
  similarity({ node, vector }: Point): number {
    if (this.#sum === null) return 0;
    const dot = dotProduct(this.#sum, vector);
    const own = this.draft.nodes.has(node) ? 1 : 0;
    // (s − v)·v and |s − v|² of a unit v.
    const square = this.#square - own * (2 * dot - 1);
    return square < 1e-9 ? 0 : (dot - own) / Math.sqrt(square);
  }
}

function nearest(point: Point, centres: ReadonlyMap<Label, Centre>): readonly Centre[] {
  let best: readonly Centre[] = [];
  let most = NEAR;
  for (const centre of centres.values()) {
    const similarity = centre.similarity(point);
    if (similarity > most) [best, most] = [[centre], similarity];
  }
  return best;
}

/** Centres of the less usual meanings that are near enough: nearer than that of the usual one, but for single words. */
function plausible(
  point: Point,
  { meaning, others }: NameReading,
  centres: ReadonlyMap<Label, Centre>,
): readonly Centre[] {
  const { node } = point;
  const candidates = others.flatMap(({ labels }) => labels.flatMap((label) => centres.get(label) ?? []));
  if (candidates.length === 0) return [];
  // A word by itself may well mean either: "squash" is a sport and a vegetable.
  if (!/\s/.test(node.name.trim()))
    return candidates.filter(
      (centre) => !centre.draft.nodes.has(node) && centre.similarity(point) > PLAUSIBLE_OF_WORD,
    );
  const usual = meaning.labels.map((label) => centres.get(label)?.similarity(point) ?? 0);
  const least = Math.max(PLAUSIBLE, ...usual);
  return candidates.filter((centre) => !centre.draft.nodes.has(node) && centre.similarity(point) > least);
}

async function addClusters(
  unknown: readonly LayerNode[],
  { breather, tools, minimum, drafts }: EntityWork,
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
  for (const members of groupBy(compared, find).values()) {
    if (members.length < minimum || members.length > LARGEST_CLUSTER) continue;
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

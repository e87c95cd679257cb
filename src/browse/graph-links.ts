import type { ScopeIndex } from '../search/scope-index.ts';
import type { Steps } from '../util/breathe.ts';
import type { Selection } from './graph-selection.ts';
import { categoriesAbove } from './shown-categories.ts';

/** Positions of the ends among the nodes of the picture, and how strong the link is. */
export type GraphLink = readonly [from: number, to: number, weight: number];

/** The nodes of a picture by kind, each with its position: categories by id, the others by ordinal. */
export interface PickedNodes {
  readonly category: ReadonlyMap<string, number>;
  readonly entity: ReadonlyMap<number, number>;
  readonly topic: ReadonlyMap<number, number>;
  readonly turn: ReadonlyMap<number, number>;
}

const ROWS_PER_STEP = 512;
/** A fact about more entities than this, such as a list, would link each of them with all others. */
const MOST_ENDS = 8;

/**
 * Links among the nodes of a picture. Of belonging: a category and what it holds, at the nearest category in the
 * picture; a turn and its topic; related topics. Of content: two entities and the number of selected facts about both;
 * a turn, else a topic, and the entities that it mentions.
 */
export function* linksAmong(
  index: ScopeIndex,
  picked: PickedNodes,
  selection: Selection,
): Steps<{ readonly belonging: readonly GraphLink[]; readonly content: readonly GraphLink[] }> {
  const belonging: GraphLink[] = [];
  yield* linkCategories(index, picked, belonging);
  yield* linkTopics(index, picked, belonging);
  const pairs = new Pairs();
  yield* linkFacts(index, picked, { selection, pairs });
  yield* linkMentions(index, picked, { selection, pairs });
  return { belonging, content: pairs.links() };
}

function* linkCategories(index: ScopeIndex, picked: PickedNodes, links: GraphLink[]): Steps<void> {
  if (picked.category.size === 0) return;
  const link = (node: string, at: number) => {
    for (const above of categoriesAbove(index, node, (category) => picked.category.has(category)))
      links.push([picked.category.get(above)!, at, 1]);
  };
  let done = 0;
  for (const [category, at] of picked.category) {
    link(category, at);
    if (++done % ROWS_PER_STEP === 0) yield;
  }
  for (const [entity, at] of picked.entity) {
    link(index.entities.ids.idOf(entity), at);
    if (++done % ROWS_PER_STEP === 0) yield;
  }
}

function* linkTopics(
  index: ScopeIndex,
  { topic: topics, turn: turns }: PickedNodes,
  links: GraphLink[],
): Steps<void> {
  const { inSegment, related } = index.graphs;
  let done = 0;
  if (topics.size > 0)
    for (const [turn, at] of turns) {
      for (const topic of inSegment.neighbours(turn, 'out').ordinals)
        if (topics.has(topic)) links.push([topics.get(topic)!, at, 1]);
      if (++done % ROWS_PER_STEP === 0) yield;
    }
  for (const [topic, at] of topics) {
    for (const other of new Set(related.neighbours(topic, 'out').ordinals))
      if (topics.has(other)) links.push([at, topics.get(other)!, 1]);
    if (++done % ROWS_PER_STEP === 0) yield;
  }
}

interface PairLinks {
  readonly selection: Selection;
  readonly pairs: Pairs;
}

function* linkFacts(
  index: ScopeIndex,
  { entity: entities }: PickedNodes,
  { selection, pairs }: PairLinks,
): Steps<void> {
  if (entities.size < 2) return;
  const { offsets, others } = index.graphs.about.adjacency('out');
  let done = 0;
  for (const fact of factsToLink(index, entities.keys())) {
    if (++done % ROWS_PER_STEP === 0) yield;
    const [start, end] = [offsets[fact] ?? 0, offsets[fact + 1] ?? 0];
    if (end - start < 2 || end - start > MOST_ENDS || !selection.hasFact(fact)) continue;
    for (let one = start; one < end; one++) {
      const at = entities.get(others[one]!);
      if (at === undefined) continue;
      for (let other = one + 1; other < end; other++) {
        const to = entities.get(others[other]!);
        if (to !== undefined && to !== at) pairs.add(at, to);
      }
    }
  }
}

/** All facts, or where that is fewer, those about one of the entities. Each fact once. */
function* factsToLink(index: ScopeIndex, entities: Iterable<number>): Iterable<number> {
  const { offsets, others } = index.graphs.about.adjacency('in');
  const facts = index.facts.length;
  const ranges = Array.from(entities, (entity) => [offsets[entity] ?? 0, offsets[entity + 1] ?? 0] as const);
  if (ranges.reduce((sum, [start, end]) => sum + end - start, 0) >= facts) {
    for (let fact = 0; fact < facts; fact++) yield fact;
    return;
  }
  const seen = new Set<number>();
  for (const [start, end] of ranges)
    for (let edge = start; edge < end; edge++) {
      const fact = others[edge]!;
      if (seen.has(fact)) continue;
      seen.add(fact);
      yield fact;
    }
}

/** Turns and their entities; topics and theirs only where no turns stand between them. */
function* linkMentions(
  index: ScopeIndex,
  { entity: entities, turn: turns, topic: topics }: PickedNodes,
  { selection, pairs }: PairLinks,
): Steps<void> {
  if (entities.size === 0 || turns.size + topics.size === 0) return;
  const { mentions, inSegment } = index.graphs;
  const { offsets, others } = mentions.adjacency('out');
  const link = (turn: number, at: number) => {
    for (let edge = offsets[turn] ?? 0; edge < (offsets[turn + 1] ?? 0); edge++) {
      const to = entities.get(others[edge]!);
      if (to !== undefined) pairs.add(at, to);
    }
  };
  let done = 0;
  for (const [turn, at] of turns) {
    link(turn, at);
    if (++done % ROWS_PER_STEP === 0) yield;
  }
  if (turns.size > 0) return;
  for (const [topic, at] of topics) {
    for (const turn of inSegment.neighbours(topic, 'in').ordinals)
      if (selection.hasTurn(turn)) link(turn, at);
    if (++done % ROWS_PER_STEP === 0) yield;
  }
}

/** More nodes than any picture has. */
const RADIX = 2 ** 20;

class Pairs {
  readonly #weights = new Map<number, number>();

  add(one: number, other: number): void {
    const key = Math.min(one, other) * RADIX + Math.max(one, other);
    this.#weights.set(key, (this.#weights.get(key) ?? 0) + 1);
  }

  /** The strongest first. */
  links(): GraphLink[] {
    return Array.from(
      this.#weights,
      ([key, weight]): GraphLink => [Math.floor(key / RADIX), key % RADIX, weight],
    ).sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
  }
}

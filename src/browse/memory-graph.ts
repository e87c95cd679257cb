import { InvalidInputError } from '../errors/index.ts';
import { entitiesBelow } from '../hierarchy/traverse/hierarchy-view.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { TopHits } from '../search/top-k.ts';
import { Breather, gradually, type Steps } from '../util/breathe.ts';
import { inBatches } from '../util/collections.ts';
import { shorten } from '../util/tidy.ts';
import { type GraphLink, linksAmong, type PickedNodes } from './graph-links.ts';
import {
  countSelected,
  type GraphFilter,
  type SelectedCounts,
  type Selection,
  selectionOf,
} from './graph-selection.ts';
import { categoriesAbove, isShown, membersOf } from './shown-categories.ts';

/** What a picture of memory can show. A topic is a passage of a conversation about one thing. */
export const GRAPH_KINDS = ['category', 'entity', 'topic', 'turn'] as const;
/** Of a node of a picture. */
export type GraphKind = (typeof GRAPH_KINDS)[number];

/** Which picture of memory. */
export interface GraphRequest extends GraphFilter {
  /** Default: categories and entities. */
  readonly kinds?: readonly GraphKind[] | undefined;
  /** Layers of the categories; default: all. */
  readonly layers?: readonly number[] | undefined;
  /** Id of a node: shows it and its neighbours only, the strongest links first. */
  readonly around?: string | undefined;
  /** Links from the node to what is shown around it: 1 (default), or 2, which also shows neighbours of neighbours. */
  readonly steps?: 1 | 2 | undefined;
  /** The most nodes, from 1 to 10,000. Default 1,500, and 40 around a node. */
  readonly limit?: number | undefined;
}

/** A thing in the picture. */
export interface GraphNode {
  readonly id: string;
  readonly kind: GraphKind;
  readonly name: string;
  /** Of a category, from 1; 0 for other kinds. */
  readonly layer: number;
  /** Facts about an entity, entities below a category, turns of a topic; 1 for a turn. */
  readonly size: number;
}

/** A part of memory as nodes and links. */
export interface MemoryGraph {
  /** Around a node, that node first. */
  readonly nodes: readonly GraphNode[];
  readonly links: readonly GraphLink[];
  /** Number of nodes that pass the filters: of each kind, or around a node of those within the steps. */
  readonly total: number;
  /** Number of weaker links that are left out. */
  readonly moreLinks: number;
  /** What there is to filter by: sources of turns, and the highest layer of categories. */
  readonly sources: readonly string[];
  readonly layers: number;
  /** When the first and the last turn was said; null without turns. */
  readonly said: readonly [first: Milliseconds, last: Milliseconds] | null;
}

const DEFAULT_KINDS: readonly GraphKind[] = ['category', 'entity'];
const [DEFAULT_LIMIT, DEFAULT_AROUND] = [1_500, 40];
/** The part of the picture that each kind may have, relative to the others; what it leaves goes to the next. */
const SHARES: Readonly<Record<GraphKind, number>> = { entity: 6, category: 4, turn: 3, topic: 2 };
const BY_NEED = ['entity', 'category', 'turn', 'topic'] as const;
/** A picture with more links shows none of them clearly. */
const LINKS_PER_NODE = 3;
/** Turns and topics take a row each. */
const MOST_ROWS = 2_000;
const ROWS_PER_READ = 500;
const LONGEST_NAME = 80;
const ITEMS_PER_STEP = 512;

/**
 * A picture of memory: its most connected part, or the neighbours of a node. It depends on the index alone but for the
 * words of turns and topics; long work yields.
 *
 * @throws InvalidInputError for an unknown node to be around, or an invalid time.
 */
export async function graphOf(context: IndexedScope, request: GraphRequest = {}): Promise<MemoryGraph> {
  const { index } = context;
  const breather = new Breather();
  const { nodes, total, links } = await gradually(drawn(index, request), breather);
  const room = Math.max(0, nodes.length * LINKS_PER_NODE - links.belonging.length);
  const names = await namesOf(context, nodes);
  return {
    nodes: await gradually(described(index, nodes, names), breather),
    links: [...links.belonging, ...links.content.slice(0, room)],
    total,
    moreLinks: Math.max(0, links.content.length - room),
    ...(await gradually(choices(index), breather)),
  };
}

/** A node before it is described. */
type Draft =
  | { readonly kind: 'category'; readonly key: string }
  | { readonly kind: Exclude<GraphKind, 'category'>; readonly key: number };

function* drawn(index: ScopeIndex, request: GraphRequest) {
  const { kinds = DEFAULT_KINDS, layers, around, steps = 1, limit, ...filter } = request;
  const selection = selectionOf(index, filter);
  const wanted = { kinds: new Set(kinds), layers: layers === undefined ? null : new Set(layers), selection };
  const { nodes, total } =
    around === undefined
      ? yield* mostConnected(index, wanted, limit ?? DEFAULT_LIMIT)
      : yield* surroundings(index, wanted, { around, steps, limit: limit ?? DEFAULT_AROUND });
  const links = yield* linksAmong(index, placesOf(nodes), selection);
  if (around !== undefined || selection.isFiltered) return { nodes, total, links };
  // What nothing joins would stand far away from all others.
  const joined = new Set<number>();
  for (const [from, to] of [...links.belonging, ...links.content]) joined.add(from).add(to);
  const kept = joined.size === 0 ? nodes : nodes.filter((_, at) => joined.has(at));
  return { nodes: kept, total, links: yield* linksAmong(index, placesOf(kept), selection) };
}

function placesOf(nodes: readonly Draft[]): PickedNodes {
  const places = {
    category: new Map<string, number>(),
    entity: new Map<number, number>(),
    topic: new Map<number, number>(),
    turn: new Map<number, number>(),
  };
  for (const [at, node] of nodes.entries())
    if (node.kind === 'category') places.category.set(node.key, at);
    else places[node.kind].set(node.key, at);
  return places;
}

interface Wanted {
  readonly kinds: ReadonlySet<GraphKind>;
  readonly layers: ReadonlySet<number> | null;
  readonly selection: Selection;
}

interface Drawn {
  readonly nodes: readonly Draft[];
  readonly total: number;
}

function* mostConnected(index: ScopeIndex, wanted: Wanted, limit: number): Steps<Drawn> {
  const { selection, kinds } = wanted;
  const counts = yield* countSelected(index, selection);
  const entities = yield* entitiesWanted(index, selection, counts);
  const categories = yield* categoriesWanted(index, wanted, entities);
  const topics = kinds.has('topic') ? yield* topicsWanted(index, selection) : new Map<number, number>();
  const totals = {
    entity: kinds.has('entity') ? entities.length : 0,
    category: kinds.has('category') ? categories.length : 0,
    topic: topics.size,
    turn: kinds.has('turn') ? yield* countTurns(index, selection) : 0,
  };
  const room = sharedOut(totals, limit);
  const nodes: Draft[] = [];
  const bestEntities = new TopHits(room.entity);
  for (const entity of entities)
    bestEntities.offer(entity, (counts.factsOf[entity] ?? 0) + (counts.turnsOf[entity] ?? 0));
  const shown = new Set(bestEntities.hits().map(({ ordinal }) => ordinal));
  for (const key of yield* bestCategories(index, categories, { shown, room: room.category }))
    nodes.push({ kind: 'category', key });
  for (const key of shown) nodes.push({ kind: 'entity', key });
  const bestTopics = new TopHits(room.topic, newer);
  for (const [topic, size] of topics) bestTopics.offer(topic, size);
  for (const { ordinal: key } of bestTopics.hits()) nodes.push({ kind: 'topic', key });
  if (room.turn > 0)
    for (const key of yield* bestTurns(index, selection, { shown, room: room.turn }))
      nodes.push({ kind: 'turn', key });
  return { nodes, total: Object.values(totals).reduce((sum, each) => sum + each, 0) };
}

const newer = (a: number, b: number) => b - a;

function* countTurns(index: ScopeIndex, selection: Selection): Steps<number> {
  let count = 0;
  for (let turn = 0; turn < index.episodes.length; turn++) {
    if (turn % ITEMS_PER_STEP === 0) yield;
    if (selection.hasTurn(turn)) count++;
  }
  return count;
}

function sharedOut(totals: Readonly<Record<GraphKind, number>>, limit: number): Record<GraphKind, number> {
  const most = (kind: GraphKind) =>
    kind === 'topic' || kind === 'turn' ? Math.min(totals[kind], MOST_ROWS) : totals[kind];
  const asked = BY_NEED.filter((kind) => totals[kind] > 0);
  const shares = asked.reduce((sum, kind) => sum + SHARES[kind], 0);
  const room = { entity: 0, category: 0, topic: 0, turn: 0 };
  let left = limit;
  for (const kind of asked) {
    room[kind] = Math.min(most(kind), Math.floor((limit * SHARES[kind]) / shares));
    left -= room[kind];
  }
  for (const kind of asked) {
    const more = Math.min(left, most(kind) - room[kind]);
    room[kind] += more;
    left -= more;
  }
  return room;
}

/** Ordinals of entities with a profile; with a filter, of those that something selected is about. Dates tell when, not what. */
function* entitiesWanted(
  index: ScopeIndex,
  { isFiltered }: Selection,
  { factsOf, turnsOf }: SelectedCounts,
): Steps<number[]> {
  const found: number[] = [];
  for (let entity = 0; entity < factsOf.length; entity++) {
    if (entity % ITEMS_PER_STEP === 0) yield;
    if (isFiltered && factsOf[entity]! + (turnsOf[entity] ?? 0) === 0) continue;
    const profile = index.entities.profileOf(index.entities.ids.idOf(entity));
    if (profile !== undefined && !profile.tags.includes('date')) found.push(entity);
  }
  return found;
}

function* categoriesWanted(
  index: ScopeIndex,
  { kinds, layers, selection }: Wanted,
  entities: readonly number[],
): Steps<string[]> {
  if (!kinds.has('category')) return [];
  const isWanted = (id: string) =>
    (layers === null || layers.has(index.hierarchy.category(id)!.layer)) && isShown(index, id);
  const candidates = selection.isFiltered
    ? (yield* countAbove(index, entities)).keys()
    : index.hierarchy.all();
  return [...candidates].filter(isWanted);
}

/** The categories of all layers above some entities, with the number of these entities. */
function* countAbove(index: ScopeIndex, entities: Iterable<number>): Steps<Map<string, number>> {
  const counts = new Map<string, number>();
  let done = 0;
  for (const entity of entities) {
    if (++done % ITEMS_PER_STEP === 0) yield;
    const above = new Set<string>(index.hierarchy.parentsOf(index.entities.ids.idOf(entity)));
    for (const category of above) {
      counts.set(category, (counts.get(category) ?? 0) + 1);
      for (const parent of index.hierarchy.parentsOf(category)) above.add(parent);
    }
  }
  return counts;
}

/** The highest layers first, and in a layer those above most of the shown entities, so that the picture holds together. */
function* bestCategories(
  index: ScopeIndex,
  categories: readonly string[],
  { shown, room }: { readonly shown: ReadonlySet<number>; readonly room: number },
): Steps<readonly string[]> {
  const above = yield* countAbove(index, shown);
  const best = new TopHits(room);
  const sizeOf = (category: string) =>
    Math.min(RADIX - 1, (above.get(category) ?? 0) * 16 + Math.min(15, index.hierarchy.childCount(category)));
  for (const [at, category] of categories.entries()) {
    if (at % ITEMS_PER_STEP === 0) yield;
    // Beside entities, a category that holds none of them would have no link.
    if (shown.size > 0 && !above.has(category)) continue;
    // A commit between two steps may have removed it.
    const layer = index.hierarchy.category(category)?.layer;
    if (layer !== undefined) best.offer(at, layer * RADIX + sizeOf(category));
  }
  return best.hits().map(({ ordinal }) => categories[ordinal]!);
}

const RADIX = 2 ** 32;

function* topicsWanted(index: ScopeIndex, selection: Selection): Steps<Map<number, number>> {
  const { offsets, others } = index.graphs.inSegment.adjacency('out');
  const sizes = new Map<number, number>();
  for (let turn = 0; turn + 1 < offsets.length; turn++) {
    if (turn % ITEMS_PER_STEP === 0) yield;
    if (!selection.hasTurn(turn)) continue;
    for (let edge = offsets[turn]!; edge < offsets[turn + 1]!; edge++)
      if (index.segments.lexical.has(others[edge]!))
        sizes.set(others[edge]!, (sizes.get(others[edge]!) ?? 0) + 1);
  }
  return sizes;
}

/** The turns that mention most of the shown entities; of equal ones the newest. */
function* bestTurns(
  index: ScopeIndex,
  selection: Selection,
  { shown, room }: { readonly shown: ReadonlySet<number>; readonly room: number },
): Steps<readonly number[]> {
  const { offsets, others } = index.graphs.mentions.adjacency('out');
  const best = new TopHits(room, newer);
  for (let turn = 0; turn < index.episodes.length; turn++) {
    if (turn % ITEMS_PER_STEP === 0) yield;
    if (!selection.hasTurn(turn)) continue;
    let mentioned = 0;
    for (let edge = offsets[turn] ?? 0; edge < (offsets[turn + 1] ?? 0); edge++)
      if (shown.has(others[edge]!)) mentioned++;
    best.offer(turn, mentioned);
  }
  return best.hits().map(({ ordinal }) => ordinal);
}

interface Around {
  readonly around: string;
  readonly steps: 1 | 2;
  readonly limit: number;
}

/** A node, its neighbours of the wanted kinds, the strongest first, and after them the neighbours of these. */
function* surroundings(index: ScopeIndex, wanted: Wanted, { around, steps, limit }: Around): Steps<Drawn> {
  const centre = draftOf(index, around);
  const near = (yield* neighboursOf(index, wanted, centre)).strongest([centre]);
  if (steps === 1)
    return { nodes: [centre, ...near.slice(0, limit).map(({ draft }) => draft)], total: near.length };
  const beyond = new Neighbours();
  for (const { draft } of near.slice(0, limit)) {
    // The category of a node holds whatever is of its kind, near or not.
    if (draft.kind === 'category' && centre.kind !== 'category') continue;
    const found = (yield* neighboursOf(index, wanted, draft)).strongest([centre]);
    // One that has many neighbours says little of each.
    const sum = found.reduce((total, { weight }) => total + weight, 0);
    for (const { draft: each, weight } of found) beyond.add(each, weight / Math.max(1, sum));
  }
  const far = beyond.strongest([centre, ...near.map(({ draft }) => draft)]);
  const room = Math.max(Math.ceil(limit / 2), limit - far.length);
  const nodes = [...near.slice(0, room), ...far].slice(0, limit).map(({ draft }) => draft);
  return { nodes: [centre, ...nodes], total: near.length + far.length };
}

/** The neighbours of a node of the wanted kinds. */
function* neighboursOf(index: ScopeIndex, wanted: Wanted, centre: Draft): Steps<Neighbours> {
  const { kinds, layers } = wanted;
  const found = new Neighbours();
  const around = idOf(index, centre);
  const isLayerWanted = (id: string) => layers === null || layers.has(index.hierarchy.category(id)!.layer);
  const isCategoryWanted = (id: string) => isLayerWanted(id) && isShown(index, id);
  yield;
  if (kinds.has('category') && (centre.kind === 'category' || centre.kind === 'entity'))
    for (const key of categoriesAbove(index, around, isCategoryWanted))
      found.add({ kind: 'category', key }, 1);
  if (centre.kind === 'category') yield* addMembers(index, { ...wanted, around }, { found, isLayerWanted });
  else if (centre.kind === 'entity') yield* addOfEntity(index, wanted, { found, entity: centre.key });
  else if (centre.kind === 'topic') yield* addOfTopic(index, wanted, { found, topic: centre.key });
  else yield* addOfTurn(index, wanted, { found, turn: centre.key });
  return found;
}

/** @throws InvalidInputError if the scope has no such node. */
function draftOf(index: ScopeIndex, id: string): Draft {
  const { hierarchy, entities, segments, episodes } = index;
  if (hierarchy.profileOf(id) !== undefined && hierarchy.has(id)) return { kind: 'category', key: id };
  if (entities.profileOf(id) !== undefined) return { kind: 'entity', key: entities.ids.ordinalOf(id)! };
  const topic = segments.ids.ordinalOf(id);
  if (topic !== undefined && segments.lexical.has(topic)) return { kind: 'topic', key: topic };
  if (episodes.isLive(id)) return { kind: 'turn', key: episodes.ids.ordinalOf(id)! };
  throw new InvalidInputError('Memory has nothing with that id: it may have been merged or forgotten');
}

interface Neighbour {
  readonly draft: Draft;
  weight: number;
}

class Neighbours {
  readonly #found = new Map<string, Neighbour>();

  add(draft: Draft, weight: number): void {
    const known = this.#found.get(placeOf(draft));
    if (known === undefined) this.#found.set(placeOf(draft), { draft, weight });
    else known.weight += weight;
  }

  /** @param except What is shown already. */
  strongest(except: readonly Draft[]): readonly Neighbour[] {
    const left = new Map(this.#found);
    for (const each of except) left.delete(placeOf(each));
    const order = ({ draft }: Neighbour) => GRAPH_KINDS.indexOf(draft.kind);
    return [...left.values()].sort((a, b) => b.weight - a.weight || order(a) - order(b));
  }
}

const placeOf = ({ kind, key }: Draft): string => `${kind} ${key}`;

function* addMembers(
  index: ScopeIndex,
  { around, kinds }: Wanted & { readonly around: string },
  { found, isLayerWanted }: { readonly found: Neighbours; readonly isLayerWanted: (id: string) => boolean },
): Steps<void> {
  const facts = yield* index.factCounts();
  for (const [at, id] of membersOf(index, around).entries()) {
    if (at % ITEMS_PER_STEP === 0) yield;
    if (!index.hierarchy.has(id)) {
      const ordinal = index.entities.ids.ordinalOf(id);
      if (ordinal !== undefined && kinds.has('entity'))
        found.add({ kind: 'entity', key: ordinal }, facts[ordinal] ?? 0);
    } else if (kinds.has('category') && isLayerWanted(id))
      // Categories come before the entities that a category may hold beside them.
      found.add({ kind: 'category', key: id }, RADIX + index.hierarchy.childCount(id));
  }
}

function* addOfEntity(
  index: ScopeIndex,
  { kinds, selection }: Wanted,
  { found, entity }: { readonly found: Neighbours; readonly entity: number },
): Steps<void> {
  const { about, mentions, inSegment } = index.graphs;
  const { offsets, others } = about.adjacency('out');
  let done = 0;
  if (kinds.has('entity'))
    for (const fact of new Set(about.neighbours(entity, 'in').ordinals)) {
      if (++done % ITEMS_PER_STEP === 0) yield;
      if (!selection.hasFact(fact)) continue;
      for (const other of new Set(others.subarray(offsets[fact], offsets[fact + 1])))
        if (hasProfile(index, other)) found.add({ kind: 'entity', key: other }, 1);
    }
  if (!kinds.has('turn') && !kinds.has('topic')) return;
  for (const turn of new Set(mentions.neighbours(entity, 'in').ordinals)) {
    if (++done % ITEMS_PER_STEP === 0) yield;
    if (!selection.hasTurn(turn)) continue;
    if (kinds.has('turn')) found.add({ kind: 'turn', key: turn }, 1);
    if (kinds.has('topic'))
      for (const topic of inSegment.neighbours(turn, 'out').ordinals)
        if (index.segments.lexical.has(topic)) found.add({ kind: 'topic', key: topic }, 1);
  }
}

function hasProfile(index: ScopeIndex, entity: number): boolean {
  return index.entities.profileOf(index.entities.ids.idOf(entity)) !== undefined;
}

function* addOfTopic(
  index: ScopeIndex,
  { kinds, selection }: Wanted,
  { found, topic }: { readonly found: Neighbours; readonly topic: number },
): Steps<void> {
  const { inSegment, mentions, related } = index.graphs;
  for (const turn of inSegment.neighbours(topic, 'in').ordinals) {
    yield;
    if (!selection.hasTurn(turn)) continue;
    if (kinds.has('turn')) found.add({ kind: 'turn', key: turn }, 1);
    if (kinds.has('entity'))
      for (const entity of new Set(mentions.neighbours(turn, 'out').ordinals))
        if (hasProfile(index, entity)) found.add({ kind: 'entity', key: entity }, 1);
  }
  if (kinds.has('topic'))
    for (const direction of ['out', 'in'] as const)
      for (const other of related.neighbours(topic, direction).ordinals)
        if (index.segments.lexical.has(other)) found.add({ kind: 'topic', key: other }, 1);
}

function* addOfTurn(
  index: ScopeIndex,
  { kinds }: Wanted,
  { found, turn }: { readonly found: Neighbours; readonly turn: number },
): Steps<void> {
  const { inSegment, mentions } = index.graphs;
  yield;
  if (kinds.has('topic'))
    for (const topic of inSegment.neighbours(turn, 'out').ordinals)
      if (index.segments.lexical.has(topic)) found.add({ kind: 'topic', key: topic }, 2);
  if (kinds.has('entity'))
    for (const entity of new Set(mentions.neighbours(turn, 'out').ordinals))
      if (hasProfile(index, entity)) found.add({ kind: 'entity', key: entity }, 1);
}

/** What people read at a node. Turns and topics have their words in rows. */
async function namesOf(
  { store, scope, index }: IndexedScope,
  nodes: readonly Draft[],
): Promise<readonly string[]> {
  const words = new Map<string, string>();
  const ofKind = (kind: 'topic' | 'turn', idOf: (ordinal: number) => string) =>
    inBatches(
      nodes.flatMap((node) => (node.kind === kind ? [idOf(node.key)] : [])),
      ROWS_PER_READ,
    );
  for (const ids of ofKind('topic', (topic) => index.segments.ids.idOf(topic)))
    for (const { id, keywords, summary } of await store.get(scope, 'segment', ids))
      words.set(id, keywords.length > 0 ? keywords.slice(0, 3).join(', ') : summary);
  for (const ids of ofKind('turn', (turn) => index.episodes.ids.idOf(turn)))
    for (const { id, content, attachments } of await store.get(scope, 'episode', ids))
      words.set(id, content === '' ? (attachments[0]?.description ?? '') : content);
  return nodes.map((node) => {
    const id = idOf(index, node);
    return shorten(words.get(id) ?? index.profileOf(id)?.name ?? '', LONGEST_NAME);
  });
}

function idOf(index: ScopeIndex, { kind, key }: Draft): string {
  if (kind === 'category') return key;
  if (kind === 'entity') return index.entities.ids.idOf(key);
  return kind === 'topic' ? index.segments.ids.idOf(key) : index.episodes.ids.idOf(key);
}

function* described(
  index: ScopeIndex,
  nodes: readonly Draft[],
  names: readonly string[],
): Steps<readonly GraphNode[]> {
  const facts = yield* index.factCounts();
  const found: GraphNode[] = [];
  for (const [at, node] of nodes.entries()) {
    yield;
    const { kind, key } = node;
    const layer = kind === 'category' ? (index.hierarchy.category(key)?.layer ?? 1) : 0;
    found.push({ id: idOf(index, node), kind, name: names[at]!, layer, size: sizeOf(index, node, facts) });
  }
  return found;
}

function sizeOf(index: ScopeIndex, { kind, key }: Draft, facts: Uint32Array): number {
  if (kind === 'category') return entitiesBelow(key, index.hierarchy).length;
  if (kind === 'entity') return facts[key] ?? 0;
  return kind === 'topic' ? index.graphs.inSegment.degree(key, 'in') : 1;
}

function* choices(index: ScopeIndex): Steps<Pick<MemoryGraph, 'sources' | 'layers' | 'said'>> {
  const { timeline, conversation, length } = index.episodes;
  const sources = new Set<number>();
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let turn = 0; turn < length; turn++) {
    if (turn % ITEMS_PER_STEP === 0) yield;
    if (!conversation.isLive(turn)) continue;
    sources.add(timeline.source.at(turn));
    first = Math.min(first, timeline.validAt.at(turn));
    last = Math.max(last, timeline.validAt.at(turn));
  }
  return {
    sources: [...sources].map((source) => timeline.sources[source]!).sort(),
    layers: index.hierarchy.depth,
    said: last < first ? null : [first, last],
  };
}

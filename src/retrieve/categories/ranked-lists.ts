import type { SelectedNode } from '../../hierarchy/traverse/walk.ts';
import { analyze } from '../../search/analyzer.ts';
import type { DocumentIndex } from '../../search/document-index.ts';
import type { GraphView } from '../../search/graph-view.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type OrdinalLists, type Ranking, rankedList } from '../fuse.ts';
import type { SearchedKind } from '../route-settings.ts';
import type { System1Input } from '../similarity/similarity.ts';
import { mixScores } from '../similarity/turn-scores.ts';
import type { Eligible } from '../time-view.ts';
import type { System2Route } from './defaults.ts';
import type { NodeScores } from './local-selector.ts';

/** The nodes that one walk selected, with what ranking needs. */
export interface RankedSelection {
  readonly route: System2Route;
  readonly selected: readonly SelectedNode[];
  readonly scores: NodeScores;
}

interface Weighted extends SelectedNode {
  readonly weight: number;
}

interface Candidate {
  readonly ordinal: number;
  readonly score: number;
  /** Positions in the selection of the entities that led to it. */
  readonly by: readonly number[];
}

interface Named {
  readonly list: string;
  readonly weight: number;
}

/** Minimum share of its entity's weight that a turn or fact gets without a match of its own. */
const FLOOR = 0.15;
/** Factor for entities that are only linked by facts of selected ones. */
const ACROSS = 0.4;
/** Factor for the kind itself: "cities" is not one of the cities asked for. */
const BARE_KIND = 0.3;
/**
 * Maximum of terms beside the kind, such as "cooked" of "Which dishes has Ann cooked?": with more, similarity can
 * rank.
 */
const MOST_BEYOND_KIND = 1;
/**
 * Maximum of turns of members; more members indicate a subject ("activities") rather than an answer, and would
 * displace better matches.
 */
const MOST_MEMBERS = 30;
/** Rows of further entities would not reach any list. */
const MOST_ENTITIES = 1_000;

/**
 * Ranks the rows linked to a selection: turns that mention selected entities, facts about them, the entities of those
 * facts, and the categories and entities themselves. The paper leaves the order to a reranker; here a row's score is
 * the weight of its entity times the row's similarity to the question. A question for all of something gets each
 * entity's best turn before any entity's second. If it contains little beside the kind, similarity cannot rank, so
 * the best turns of the members of a whole category form a list of their own.
 */
export function rankedLists(found: RankedSelection, input: System1Input): OrdinalLists {
  const { route, selected, scores } = found;
  const { index, eligible, question, depth } = input;
  const { weights } = route;
  const nodes = weigh(selected, scores, input);
  const entities = nodes.filter(({ layer }) => layer === 0).slice(0, MOST_ENTITIES);
  const linked = linkedRows(index, entities, eligible);
  const turnScores = input.turnScores.mixed(route.reading);
  const turns = candidates(linked.turns, entities, (turn) => turnScores[turn]!);
  const factScores = documentScores(index.facts, input);
  const facts = candidates(linked.facts, entities, (fact) => factScores[fact]!);
  const covers = route.coverage && question.enumerates;
  const hasOnlyKind = question.beyondKind.length <= MOST_BEYOND_KIND;
  const named = covers && hasOnlyKind ? membersBest(turns, entities) : [];
  const members = named.length <= MOST_MEMBERS ? named : [];
  const rankedTurns = covers ? inTurns(turns, depth) : sorted(turns);
  const rankedNodes = byScore([...nodesRanked(nodes), ...across(linked.across, facts, { entities, input })]);
  const toRanking = ({ ordinal, score, by }: Candidate): Ranking => ({
    key: ordinal,
    score,
    path: entities[by[0]!]!.path,
  });
  const selection = { list: 'selection', weight: question.enumerates ? weights.enumerating : weights.other };
  const lists = <Key>(kind: SearchedKind, ranking: readonly Ranking<Key>[], named: Named = selection) =>
    route.kinds.includes(kind) && ranking.length > 0
      ? [rankedList(ranking.slice(0, depth), { route: 'system2', ...named })]
      : [];
  return {
    episode: [
      ...lists('episode', rankedTurns.map(toRanking)),
      ...lists('episode', members.map(toRanking), { list: 'members', weight: weights.members }),
    ],
    fact: lists('fact', sorted(facts).map(toRanking)),
    entity: lists('entity', rankedNodes),
  };
}

/** The best turn of each entity selected as part of a whole category. */
function membersBest(all: readonly Candidate[], entities: readonly Weighted[]): Candidate[] {
  const best = new Map<number, Candidate>();
  for (const candidate of sorted(all))
    for (const place of candidate.by)
      if (entities[place]!.member && !best.has(place)) best.set(place, candidate);
  return sorted([...new Set(best.values())]);
}

/** Weighs each node by its score, divided down for entities that are mentioned everywhere. */
function weigh(
  selected: readonly SelectedNode[],
  scores: NodeScores,
  { index, question }: System1Input,
): Weighted[] {
  const turns = Math.max(1, index.episodes.conversation.size);
  const { offsets } = index.graphs.mentions.adjacency('in');
  const mentions = (ordinal = -1) => (offsets[ordinal + 1] ?? 0) - (offsets[ordinal] ?? 0);
  const full = Math.log(1 + turns);
  const rarity = (id: string) =>
    Math.max(0, Math.log(1 + turns / (1 + mentions(index.entities.ids.ordinalOf(id)))) / full);
  const asked = new Set(question.enumerates ? question.kind : []);
  const weighted = selected.flatMap((node): Weighted[] => {
    const profile = index.profileOf(node.id);
    // Deleted while a model ran.
    if (profile === undefined) return [];
    const isBare = node.layer === 0 && analyze(profile.name).every((term) => asked.has(term));
    const rare = node.layer > 0 ? 1 : rarity(node.id);
    const weight = node.score * (0.5 + 0.5 * scores.of(node.id).own) * rare;
    return [{ ...node, member: node.member && !isBare, weight: isBare ? BARE_KIND * weight : weight }];
  });
  return weighted.sort((a, b) => b.weight - a.weight);
}

function candidates(
  linked: readonly Linked[],
  entities: readonly Weighted[],
  nearness: (ordinal: number) => number,
): Candidate[] {
  return linked.map(({ ordinal, by }) => {
    // `by` is in the order of weights: the first is the strongest.
    const [best, ...others] = by;
    const further = others.reduce((sum, place) => sum + entities[place]!.weight, 0);
    const weight = entities[best!]!.weight + 0.1 * Math.min(further, 1);
    return { ordinal, by, score: weight * (FLOOR + nearness(ordinal)) };
  });
}

/** Round-robin: each entity contributes its best row that is not in the list yet. */
function inTurns(all: readonly Candidate[], most: number): Candidate[] {
  const ofEntity = new Map<number, Candidate[]>();
  for (const candidate of sorted(all))
    for (const place of candidate.by) {
      const list = ofEntity.get(place);
      if (list === undefined) ofEntity.set(place, [candidate]);
      else list.push(candidate);
    }
  const taken = new Set<number>();
  const next = new Map([...ofEntity.keys()].map((place) => [place, 0]));
  const result: Candidate[] = [];
  while (next.size > 0 && result.length < most) {
    const round: Candidate[] = [];
    for (const [place, from] of next) {
      const list = ofEntity.get(place)!;
      let at = from;
      while (at < list.length && taken.has(list[at]!.ordinal)) at++;
      const best = list[at];
      if (best === undefined) next.delete(place);
      else {
        next.set(place, at + 1);
        taken.add(best.ordinal);
        round.push(best);
      }
    }
    result.push(...sorted(round));
  }
  return result;
}

function sorted(all: readonly Candidate[]): Candidate[] {
  return all.toSorted((a, b) => b.score - a.score || a.ordinal - b.ordinal);
}

function nodesRanked(nodes: readonly Weighted[]): Ranking<string>[] {
  return nodes.map(({ id, weight, path }) => ({ key: id, score: weight, path }));
}

function across(
  linked: readonly Linked[],
  facts: readonly Candidate[],
  { entities, input: { index, eligible } }: { entities: readonly Weighted[]; input: System1Input },
): Ranking<string>[] {
  const most = entities[0]?.weight ?? 0;
  return linked.flatMap(({ ordinal, by }) => {
    const id = index.entities.ids.idOf(ordinal);
    const profileId = index.entities.profileOf(id)?.id ?? '';
    const profile = index.entities.profiles.ids.ordinalOf(profileId);
    if (profile === undefined || eligible.entity?.[profile] === 0) return [];
    const [strongest] = by.map((place) => facts[place]!).sort((a, b) => b.score - a.score);
    // Uses the path of the entity whose fact leads here: this one is in none of those categories.
    const { path } = entities[strongest!.by[0]!]!;
    return [{ key: id, score: ACROSS * most * Math.min(1, strongest!.score), path }];
  });
}

function byScore(items: readonly Ranking<string>[]): Ranking<string>[] {
  return items.toSorted((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
}

/** Word and vector scores, each divided by the highest. */
function documentScores(documents: DocumentIndex, { question, queryVector }: System1Input): Float32Array {
  const near = documents.vectors.cosines(queryVector, documents.length);
  return mixScores(documents.lexicalScores(question.allTerms), near);
}

/** A row linked to selected entities (Mnemis §2.3), and the positions of those entities in the selection. */
interface Linked {
  readonly ordinal: number;
  readonly by: readonly number[];
}

interface LinkedRows {
  /** Live turns that mention a selected entity, or that support a fact about one. */
  readonly turns: readonly Linked[];
  /** Valid facts about them. */
  readonly facts: readonly Linked[];
  /** Ordinals of other entities that those facts are about, with the positions of the facts in `facts`. */
  readonly across: readonly Linked[];
}

const NODES_WORTH_MERGING = 100;

/** @param selected Entities, strongest first. */
export function linkedRows(
  index: ScopeIndex,
  selected: readonly Pick<SelectedNode, 'id'>[],
  eligible: Eligible,
): LinkedRows {
  const { mentions, about, evidence } = index.graphs;
  const { episodes, entities, facts } = index;
  const places = selected.map(({ id }) => entities.ids.ordinalOf(id));
  const isTurn = (turn: number) => episodes.conversation.isLive(turn) && eligible.episode?.[turn] !== 0;
  const isFact = (fact: number) => facts.lexical.has(fact) && eligible.fact?.[fact] !== 0;
  const ofFacts = gather(places, about, 'in').filter(({ ordinal }) => isFact(ordinal));
  const turns = new Map(gather(places, mentions, 'in').map(({ ordinal, by }) => [ordinal, new Set(by)]));
  for (const { ordinal, by } of ofFacts)
    for (const turn of evidence.neighbours(ordinal, 'out').ordinals) {
      const known = turns.get(turn) ?? new Set();
      for (const place of by) known.add(place);
      turns.set(turn, known);
    }
  const chosen = new Set(places);
  const factOrdinals = ofFacts.map(({ ordinal }) => ordinal);
  return {
    turns: [...turns]
      .filter(([turn]) => isTurn(turn))
      .map(([ordinal, by]) => ({ ordinal, by: ascending(by) })),
    facts: ofFacts,
    across: gather(factOrdinals, about, 'out').filter(({ ordinal }) => !chosen.has(ordinal)),
  };
}

/** Neighbours of nodes, each with the positions of those nodes in the list. */
function gather(nodes: readonly (number | undefined)[], graph: GraphView, direction: 'in' | 'out'): Linked[] {
  const found = new Map<number, number[]>();
  // Merging costs time linear in all edges; without it each node costs a little more.
  if (nodes.length > NODES_WORTH_MERGING) graph.adjacency(direction);
  for (const [place, node] of nodes.entries()) {
    if (node === undefined) continue;
    for (const other of graph.neighbours(node, direction).ordinals) {
      const by = found.get(other);
      if (by === undefined) found.set(other, [place]);
      else if (by.at(-1) !== place) by.push(place);
    }
  }
  return Array.from(found, ([ordinal, by]) => ({ ordinal, by }));
}

function ascending(places: ReadonlySet<number>): number[] {
  return [...places].sort((a, b) => a - b);
}

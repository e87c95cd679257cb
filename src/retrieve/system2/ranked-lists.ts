import type { SelectedNode } from '../../hierarchy/traverse/walk.ts';
import { analyze } from '../../search/analyzer.ts';
import type { DocumentIndex } from '../../search/document-index.ts';
import type { RankedList } from '../fuse.ts';
import { mixScores } from '../mix-scores.ts';
import type { OrdinalLists, Ranking } from '../rankings.ts';
import type { SearchedKind } from '../route-settings.ts';
import type { System1Input } from '../system1/system1.ts';
import type { Found } from './global-selection.ts';
import { type Linked, linkedRows } from './linked-rows.ts';
import type { NodeScores } from './node-scores.ts';

interface Weighted extends SelectedNode {
  readonly weight: number;
}

interface Candidate {
  readonly ordinal: number;
  readonly score: number;
  /** Places of the entities that it was found by, in the selection. */
  readonly by: readonly number[];
}

interface Named {
  readonly list: string;
  readonly weight: number;
}

/** A turn or fact that nothing but its entity speaks for still has some share. */
const FLOOR = 0.15;
/** Entities that only the facts of selected ones lead to. */
const ACROSS = 0.4;
/** The kind itself, "cities", is none of the cities that are asked for. */
const BARE_KIND = 0.3;
/** Words beside the kind, such as "cooked" of "Which dishes has Ann cooked?": with more there is something to search by. */
const MOST_BEYOND_KIND = 1;
/** Turns; more is a subject ("activities") rather than an answer, and would push out what sounds like the question. */
const MOST_MEMBERS = 30;
/** Rows of more would not come to a place in any list. */
const MOST_ENTITIES = 1_000;

/**
 * Ranks what a selection leads to: turns that mention selected entities, facts about them, the entities of those
 * facts, and the categories and entities themselves. The paper leaves the order to a reranker; without one it is how
 * far a row's entity was selected, times how near the row is to the question. A question for all of something is
 * answered with each entity's best turn before any entity's second; one that says little but the kind gives similarity
 * nothing to go by, so that the members of a category taken whole put their best turns forward in a list of their own.
 */
export function rankedLists(found: Found, input: System1Input): OrdinalLists {
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
  const saysKindAlone = question.beyondKind.length <= MOST_BEYOND_KIND;
  const named = covers && saysKindAlone ? membersBest(turns, entities) : [];
  const members = named.length <= MOST_MEMBERS ? named : [];
  const rankedTurns = covers ? inTurns(turns, depth) : sorted(turns);
  const rankedNodes = byScore([...nodesRanked(nodes), ...across(linked.across, facts, { entities, input })]);
  const come = ({ ordinal, score, by }: Candidate): Ranking => ({
    ...{ key: ordinal, score },
    path: entities[by[0]!]!.path,
  });
  const selection = { list: 'selection', weight: question.enumerates ? weights.enumerating : weights.other };
  const lists = <Key>(kind: SearchedKind, ranking: readonly Ranking<Key>[], named: Named = selection) =>
    route.kinds.includes(kind) && ranking.length > 0 ? [listOf(ranking.slice(0, depth), named)] : [];
  return {
    episode: [
      ...lists('episode', rankedTurns.map(come)),
      ...lists('episode', members.map(come), { list: 'members', weight: weights.members }),
    ],
    fact: lists('fact', sorted(facts).map(come)),
    entity: lists('entity', rankedNodes),
  };
}

/** The best turn of each entity that came with a category taken whole. */
function membersBest(all: readonly Candidate[], entities: readonly Weighted[]): Candidate[] {
  const best = new Map<number, Candidate>();
  for (const candidate of sorted(all))
    for (const place of candidate.by)
      if (entities[place]!.member && !best.has(place)) best.set(place, candidate);
  return sorted([...new Set(best.values())]);
}

function listOf<Key>(ranking: readonly Ranking<Key>[], { list, weight }: Named): RankedList<Key> {
  return {
    ...{ route: 'system2', list, weight },
    keys: ranking.map(({ key }) => key),
    scores: ranking.map(({ score }) => score),
    paths: ranking.map(({ path }) => path),
  };
}

/** How far each is what was asked for; ones that are spoken of everywhere tell little of any turn. */
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
    const profile = index.hierarchy.profileOf(node.id) ?? index.entities.profileOf(node.id);
    // What went while a model was asked is gone.
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
    // In the order of their weights: the first is the strongest.
    const [best, ...others] = by;
    const further = others.reduce((sum, place) => sum + entities[place]!.weight, 0);
    const weight = entities[best!]!.weight + 0.1 * Math.min(further, 1);
    return { ordinal, by, score: weight * (FLOOR + nearness(ordinal)) };
  });
}

/** Round by round, each entity in its turn puts forward its best row that was not put forward yet. */
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
    // To the entity whose fact leads on to this one, which is in none of those categories itself.
    const { path } = entities[strongest!.by[0]!]!;
    return [{ key: id, score: ACROSS * most * Math.min(1, strongest!.score), path }];
  });
}

function byScore(items: readonly Ranking<string>[]): Ranking<string>[] {
  return items.toSorted((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
}

/** Words and vectors as shares of the best. */
function documentScores(documents: DocumentIndex, { question, queryVector }: System1Input): Float32Array {
  const near = new Float32Array(Math.max(documents.length, documents.vectors.ordinals));
  documents.vectors.score(queryVector, near);
  return mixScores(documents.lexicalScores(question.allTerms), near);
}

import type { DocumentIndex } from '../../search/document-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type Hit, topK } from '../../search/top-k.ts';
import { BY_SPEAKER, listsById, type OrdinalLists, type RankedList, rankedList, rankingOf } from '../fuse.ts';
import type { Question } from '../question.ts';
import type { RouteInput, RouteResult } from '../route.ts';
import type { SearchedKind } from '../route-settings.ts';
import type { Eligible } from '../time-view.ts';
import type { System1Route } from './defaults.ts';
import { type TurnScores, within } from './turn-scores.ts';

/** The input of the ranked lists. */
export interface System1Input {
  readonly index: ScopeIndex;
  readonly question: Question;
  /** All zero when the question has no features: the vector lists are then empty. */
  readonly queryVector: Float32Array;
  readonly eligible: Eligible;
  readonly turnScores: TurnScores;
  /** Length of each list. */
  readonly depth: number;
}

/** Weight of the turns of a speaker, compared with turns that share words with the question. */
const BEHIND_WORDS = 0.5;

/** System-1 similarity search (Mnemis §2.3): a BM25 list and a cosine list for each kind, to be fused by kind. */
export function runSystem1(input: RouteInput, route: System1Route): RouteResult {
  const { index } = input.context;
  return { lists: listsById(system1({ ...input, ...input.rows(), index }, route), index) };
}

function system1(input: System1Input, route: System1Route): OrdinalLists {
  const kinds = new Set(route.kinds);
  const documents = (kind: 'entity' | 'fact') => (kinds.has(kind) ? listsOf(kind, input, route) : []);
  const { entities } = input.index;
  return {
    episode: kinds.has('episode') ? listsOf('episode', input, route) : [],
    fact: documents('fact'),
    entity: documents('entity').map((list) => ({
      ...list,
      keys: list.keys.map((profile) => entities.ownerOf(profile)),
    })),
  };
}

function listsOf(kind: SearchedKind, input: System1Input, route: System1Route): RankedList[] {
  const lists: RankedList[] = [];
  const { lexical, vector } = route.lists;
  const add = (list: string, weight: number, hits: readonly Hit[]) =>
    lists.push(rankedList(rankingOf(hits), { route: 'system1', list, weight }));
  if (lexical > 0) add('lexical', lexical, words(kind, input, route));
  if (vector > 0) add('vector', vector, similarities(kind, input, route));
  // "Where does Nora live?" may share no word with any turn; what she said is then the nearest that there is.
  const isUnmatched = input.question.terms.length === 0 || lists.every(({ keys }) => keys.length === 0);
  if (kind === 'episode' && isUnmatched) add(BY_SPEAKER, BEHIND_WORDS * (lexical || vector), spoken(input));
  return lists;
}

/** The turns of the speakers that the question names, the newest first. */
function spoken({ index: { episodes }, question, depth, eligible }: System1Input): Hit[] {
  const { timeline, conversation, length } = episodes;
  const turns: number[] = [];
  for (let turn = length - 1; turn >= 0; turn--)
    if (
      question.speakers.has(timeline.speaker.at(turn)) &&
      conversation.isLive(turn) &&
      eligible.episode?.[turn] !== 0
    )
      turns.push(turn);
  turns.sort((a, b) => timeline.validAt.at(b) - timeline.validAt.at(a) || b - a);
  return turns.slice(0, depth).map((ordinal, place) => ({ ordinal, score: 1 / (place + 1) }));
}

function words(
  kind: SearchedKind,
  { index, question, depth, eligible, turnScores }: System1Input,
  route: System1Route,
): Hit[] {
  if (kind === 'episode') return topK(turnScores.lexical(route.reading), depth, { above: 0 });
  // Facts and entities contain names, so speakers' names are searched like any other word.
  const scores = documents(kind, index).lexicalScores(question.allTerms);
  return topK(within(scores, eligible[kind]), depth, { above: 0 });
}

function similarities(
  kind: SearchedKind,
  { index, queryVector, depth, eligible, turnScores }: System1Input,
  route: System1Route,
): Hit[] {
  if (kind === 'episode') return topK(turnScores.vector(route.reading), depth, { above: 0 });
  return documents(kind, index)
    .vectors.top(queryVector, depth, eligible[kind])
    .filter(({ score }) => score > 0);
}

function documents(kind: 'entity' | 'fact', index: ScopeIndex): DocumentIndex {
  return kind === 'fact' ? index.facts : index.entities.profiles;
}

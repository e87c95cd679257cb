import { type Embedder, meaningOf } from '../../inference/embedder.ts';
import type { DocumentIndex } from '../../search/document-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type Hit, topK } from '../../search/top-k.ts';
import { BY_SPEAKER, listsById, type OrdinalLists, type RankedList, rankedList, rankingOf } from '../fuse.ts';
import type { Question } from '../question.ts';
import type { RouteInput, RouteResult } from '../route.ts';
import type { SearchedKind } from '../route-settings.ts';
import type { Eligible } from '../time-view.ts';
import { addScores } from './add-scores.ts';
import { calibrate, VECTORS_READ } from './calibrate.ts';
import type { System1Route } from './defaults.ts';
import { highestScore, type TurnScores, within } from './turn-scores.ts';

/** The input of the ranked lists. */
export interface System1Input {
  readonly index: ScopeIndex;
  readonly question: Question;
  /** All zero when the question has no features: the vector lists are then empty. */
  readonly queryVector: Float32Array;
  readonly embedder: Pick<Embedder, 'meaning'>;
  readonly eligible: Eligible;
  readonly turnScores: TurnScores;
  /** Length of each list. */
  readonly depth: number;
  /** Number of episodes that the caller requested. */
  readonly k: number;
}

/** The list of rows by words and vectors together. */
export const SUM = 'lexical+vector';

/** Weight of the turns of a speaker, compared with turns that share words with the question. */
const BEHIND_WORDS = 0.5;

/**
 * System-1 similarity search (Mnemis §2.3): for each kind one list by the sum of BM25 and what cosines say, or, as in
 * the paper, a list of each, to be fused by kind.
 */
export function runSystem1(input: RouteInput, route: System1Route): RouteResult {
  const { index, embedder } = input.context;
  return {
    lists: listsById(system1({ ...input, ...input.rows(), index, embedder }, route), index),
  };
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
  const ranked: RankedList[] = [];
  const { lexical, vector } = route.lists;
  const most = route.most === undefined ? undefined : kind === 'episode' ? input.k : 2 * input.k;
  const add = (list: string, weight: number, hits: readonly Hit[]) =>
    ranked.push({ ...rankedList(rankingOf(hits), { route: 'system1', list, weight }), most });
  if (route.fusion === 'sum') {
    // What a turn means says nothing of its time.
    const asksForPeriod = kind === 'episode' && input.question.asksForPeriod && lexical > 0;
    const comparesVectors = vector > 0 && !asksForPeriod && input.queryVector.some((value) => value !== 0);
    const list = !comparesVectors ? 'lexical' : lexical === 0 ? 'vector' : SUM;
    const share = kind === 'episode' && list === SUM ? shareOfWords(input, route) : 1;
    // Beside other routes a list without words counts as what its embedder is worth.
    const certainty = Math.max(share, VECTORS_READ[meaningOf(input.embedder)].weight / 2);
    const lists = comparesVectors ? route.lists : { lexical, vector: 0 };
    add(list, certainty * (lexical || vector), added(kind, input, { ...route, lists, share }));
  } else {
    if (lexical > 0) add('lexical', lexical, words(kind, input, route));
    if (vector > 0) add('vector', vector, similarities(kind, input, route));
  }
  // "Where does Nora live?" may share no word with any turn; what she said is then the nearest that there is.
  const { terms, asksForPeriod } = input.question;
  const isUnmatched = (terms.length === 0 && !asksForPeriod) || ranked.every(({ keys }) => keys.length === 0);
  if (kind === 'episode' && isUnmatched) add(BY_SPEAKER, BEHIND_WORDS * (lexical || vector), spoken(input));
  return ranked;
}

/** The best by one sum of words and vectors. */
function added(
  kind: SearchedKind,
  input: System1Input,
  { lists, reading, share }: System1Route & { readonly share: number },
): Hit[] {
  const { index, question, embedder, eligible, turnScores, depth } = input;
  const ofWords = () =>
    kind === 'episode' ? turnScores.lexical(reading) : wordsOfDocuments(documents(kind, index), question);
  const ofVectors = () => {
    if (kind === 'episode') return turnScores.vector(reading);
    return calibrate(turnScores.cosines.of(kind).slice(), documents(kind, index).vectors);
  };
  const scores = addScores([
    ...(lists.lexical > 0 ? [{ scores: ofWords(), weight: share * lists.lexical }] : []),
    ...(lists.vector > 0
      ? [{ scores: ofVectors(), weight: lists.vector * VECTORS_READ[meaningOf(embedder)].weight }]
      : []),
  ]);
  return topK(within(scores, kind === 'episode' ? null : eligible[kind]), depth, { above: 0 });
}

/** Of so many of the rarest words of a question, the best turn should have nearly all. */
const RAREST = 4;
const WELL_COVERED = 0.85;
const POWER = 1.5;

/**
 * What words count in the sum: less where even the best turn has few of the question's rare words, since what was said
 * then was said in other words.
 */
function shareOfWords({ index, question, turnScores }: System1Input, { reading }: System1Route): number {
  if (question.hasOthers) return 1;
  const { conversation } = index.episodes;
  const { untimed, allTerms } = question;
  const terms = untimed.length > 0 ? untimed : allTerms;
  const rarest = terms
    .map((term) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term)))
    .sort((a, b) => b - a)
    .slice(0, RAREST);
  const whole = rarest.reduce((sum, weight) => sum + weight, 0);
  const best = highestScore(turnScores.lexical(reading));
  return whole === 0 ? 1 : Math.min(1, best / (WELL_COVERED * whole)) ** POWER;
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
  const scores = wordsOfDocuments(documents(kind, index), question);
  return topK(within(scores, eligible[kind]), depth, { above: 0 });
}

/** Facts and entities contain names, so speakers' names are searched like any other word. */
function wordsOfDocuments(index: DocumentIndex, { allTerms }: Question): Float32Array {
  return index.lexicalScores(allTerms);
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

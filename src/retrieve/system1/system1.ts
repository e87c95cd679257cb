import type { DocumentIndex } from '../../search/document-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type Hit, topK } from '../../search/top-k.ts';
import type { RankedList } from '../fuse.ts';
import type { Question } from '../question.ts';
import type { SearchedKind, System1Route } from '../recipes.ts';
import type { Eligible } from '../time-view.ts';
import { lexicalScores, vectorScores } from './episode-scores.ts';

export interface System1Input {
  readonly index: ScopeIndex;
  readonly question: Question;
  /** All zero when the question has no features: the vector lists are then empty. */
  readonly queryVector: Float32Array;
  readonly eligible: Eligible;
  /** Length of each list. */
  readonly depth: number;
}

/** System-1 similarity search (Mnemis §2.3): a BM25 list and a cosine list for each kind, to be fused by kind. */
export function system1(
  input: System1Input,
  route: System1Route,
): ReadonlyMap<SearchedKind, readonly RankedList[]> {
  return new Map(route.kinds.map((kind) => [kind, listsOf(kind, input, route)]));
}

function listsOf(kind: SearchedKind, input: System1Input, route: System1Route): RankedList[] {
  const lists: RankedList[] = [];
  const { lexical, vector } = route.lists;
  if (lexical > 0) lists.push(ranked('lexical', lexical, words(kind, input, route)));
  if (vector > 0) lists.push(ranked('vector', vector, similarities(kind, input, route)));
  return lists;
}

function words(
  kind: SearchedKind,
  { index, question, depth, eligible }: System1Input,
  route: System1Route,
): Hit[] {
  const scores =
    kind === 'episode'
      ? lexicalScores(index.episodes, question, route.reading)
      : // A fact or an entity names its people itself, so here the speakers' names are words like any other.
        documents(kind, index).lexicalScores(question.allTerms);
  return topK(within(scores, eligible[kind]), depth, { above: 0 });
}

function similarities(
  kind: SearchedKind,
  { index, question, queryVector, depth, eligible }: System1Input,
  route: System1Route,
): Hit[] {
  if (kind !== 'episode')
    return documents(kind, index)
      .vectors.top(queryVector, depth, eligible[kind])
      .filter(({ score }) => score > 0);
  const scores = vectorScores(index.episodes, queryVector, question, route.reading);
  return topK(within(scores, eligible.episode), depth, { above: 0 });
}

/** Before the cut, so that a list is as long as there are rows that may be offered. */
function within(scores: Float32Array, eligible: Uint8Array | null): Float32Array {
  if (eligible !== null)
    for (let ordinal = 0; ordinal < scores.length; ordinal++) scores[ordinal]! *= eligible[ordinal]!;
  return scores;
}

function documents(kind: 'entity' | 'fact', index: ScopeIndex): DocumentIndex {
  return kind === 'fact' ? index.facts : index.entities.profiles;
}

function ranked(list: string, weight: number, hits: readonly Hit[]): RankedList {
  return {
    route: 'system1',
    list,
    weight,
    ordinals: hits.map((hit) => hit.ordinal),
    scores: hits.map((hit) => hit.score),
  };
}

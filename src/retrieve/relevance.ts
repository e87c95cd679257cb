import { meaningOf } from '../inference/embedder.ts';
import type { RetrievedItem } from '../model/retrieved-item.ts';
import type { DocumentIndex } from '../search/document-index.ts';
import { inverseDocumentFrequency } from '../search/lexical-index.ts';
import type { Recipe } from './recipes/recipe.ts';
import type { RouteInput } from './route.ts';
import type { SearchedKind } from './route-settings.ts';
import { nearnessOfTurns } from './similarity/asked-days.ts';
import { READINGS } from './similarity/defaults.ts';

/** How far items answer a question, from 0 to 1, comparable over questions and memories. */
export type Relevance = (item: Pick<RetrievedItem, 'kind' | 'id'>) => number;

/** Of so many of the rarest words of a question, an item should have most. */
const RAREST = 4;

/** The chance that memory has what is asked, by the best turn: fitted over three data sets of questions. */
const [BASE, SHARE, COSINE] = [-3.4, 4.7, 2.6];

type Asked = Pick<RouteInput, 'context' | 'question' | 'rows'>;

/**
 * The relevance of found items: the share of the question's rare words that an item and what is around it has, and the
 * cosine, put together by a logistic regression (docs/decisions/2026-11-29-relevance.md).
 */
export function relevanceFor(asked: Asked, { routes }: Pick<Recipe, 'routes'>): Relevance {
  const { context, question, rows } = asked;
  const { index } = context;
  const words = question.untimed.length > 0 ? question.untimed : question.allTerms;
  const ofTurns = once(() => turnWords(asked, words, routes));
  const [ofFacts, ofEntities] = [index.facts, index.entities.profiles].map((documents) =>
    once(() => documentWords(documents, words)),
  );
  const usual = once(() => usualCosine(asked));
  const above = (cosine: number) => Math.max(0, (cosine - usual()) / (1 - usual()));
  const judge = (ordinal: number, share: number, kind: SearchedKind) =>
    relevance(share, above(rows().turnScores.cosines.of(kind)[ordinal] ?? 0));
  // A fact or an entity without any of the words has little, whatever its cosine: most are left at that.
  const ofText = (ordinal: number | undefined, share: Share, kind: SearchedKind) => {
    const said = ordinal === undefined ? 0 : share(ordinal);
    return said === 0 ? relevance(0, 0) : judge(ordinal!, said, kind);
  };
  return ({ kind, id }) => {
    if (kind === 'episode') {
      const turn = index.episodes.ids.ordinalOf(id);
      return turn === undefined ? 0 : judge(turn, ofTurns()(turn), kind);
    }
    if (kind === 'fact') return ofText(index.facts.ids.ordinalOf(id), ofFacts!(), kind);
    const { ids } = index.entities.profiles;
    return ofText(ids.ordinalOf(index.profileOf(id)?.id ?? ''), ofEntities!(), kind);
  };
}

/** By ordinal, the share of a question's rare words, from 0 to 1. */
type Share = (ordinal: number) => number;

function turnWords(
  { context: { index }, question, rows }: Asked,
  words: readonly string[],
  routes: Recipe['routes'],
): Share {
  if (question.asksForPeriod) {
    const near = nearnessOfTurns(index, question.time);
    return (turn) => near?.[turn] ?? 0;
  }
  const { conversation } = index.episodes;
  const reading = routes.find((each) => each.route === 'system1')?.reading ?? READINGS;
  const scores = rows().turnScores.lexical(reading);
  const idf = (term: string) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term));
  return shareOf(scores, words.map(idf));
}

function documentWords(documents: DocumentIndex, words: readonly string[]): Share {
  const { lexical } = documents;
  const idf = (term: string) => inverseDocumentFrequency(lexical.documentFrequency(term), lexical.size);
  return shareOf(documents.lexicalScores(words), words.map(idf));
}

function shareOf(scores: Float32Array, weights: readonly number[]): Share {
  const rarest = weights.toSorted((a, b) => b - a).slice(0, RAREST);
  const whole = rarest.reduce((sum, weight) => sum + weight, 0);
  return (ordinal) => (whole === 0 ? 0 : Math.min(1, Math.max(0, scores[ordinal] ?? 0) / whole));
}

/** What a trained encoder gives every text: the mean over the turns. Sums of word vectors have none. */
function usualCosine({ context: { index, embedder }, rows }: Asked): number {
  if (meaningOf(embedder) === 'words') return 0;
  const { vectors } = index.episodes;
  const cosines = rows().turnScores.cosines.of('episode');
  let [count, sum] = [0, 0];
  for (let turn = 0; turn < cosines.length; turn++)
    if (vectors.isScored(turn)) {
      count += 1;
      sum += cosines[turn]!;
    }
  return Math.min(0.9, Math.max(0, sum / Math.max(1, count)));
}

function relevance(share: number, cosine: number): number {
  return 1 / (1 + Math.exp(-(BASE + SHARE * share + COSINE * cosine)));
}

function once<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}

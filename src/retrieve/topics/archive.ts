import type { ScopeIndex } from '../../search/scope-index.ts';
import type { RouteInput, SearchContext } from '../route.ts';
import { highestScore, mixScores, within } from '../similarity/turn-scores.ts';
import type { TopicsRoute } from './defaults.ts';

/**
 * Eligible archived turns by topic. Turns outside every live segment are still in the buffer, which this route never
 * reads (docs/papers.md §3.5). Ordinals are those of the index.
 */
export class Archive {
  readonly #index: ScopeIndex;
  readonly #eligible: Uint8Array | null;

  /** @param eligible By turn ordinal, 1 for eligible turns; null for all. */
  constructor(index: ScopeIndex, eligible: Uint8Array | null) {
    this.#index = index;
    this.#eligible = eligible;
  }

  /** By segment ordinal, 1 for those with an eligible turn. */
  topics(): Uint8Array {
    const { segments } = this.#index;
    const topics = new Uint8Array(Math.max(segments.length, segments.vectors.ordinals));
    for (let topic = 0; topic < segments.length; topic++) if (this.#some(topic)) topics[topic] = 1;
    return topics;
  }

  /** By turn ordinal, 1 for eligible archived turns. */
  turns(): Uint8Array {
    const { episodes, graphs, segments } = this.#index;
    const turns = new Uint8Array(Math.max(episodes.length, episodes.vectors.ordinals));
    const { offsets, others } = graphs.inSegment.adjacency('in');
    for (let topic = 0; topic < segments.length; topic++) {
      if (!segments.lexical.has(topic)) continue;
      // A topic without edges may be beyond the last offset.
      const end = offsets[topic + 1] ?? 0;
      for (let at = offsets[topic] ?? 0; at < end; at++)
        if (this.#isOffered(others[at]!)) turns[others[at]!] = 1;
    }
    return turns;
  }

  /** Turns of a live topic, in the order of the conversation. */
  turnsOf(topic: number): readonly number[] {
    const turns = new Set(this.#index.graphs.inSegment.neighbours(topic, 'in').ordinals);
    return [...turns]
      .filter((turn) => this.#isOffered(turn))
      .sort((a, b) => this.#index.episodes.timeline.compare(a, b));
  }

  #some(topic: number): boolean {
    if (!this.#index.segments.lexical.has(topic)) return false;
    const { offsets, others } = this.#index.graphs.inSegment.adjacency('in');
    const end = offsets[topic + 1] ?? 0;
    for (let at = offsets[topic] ?? 0; at < end; at++) if (this.#isOffered(others[at]!)) return true;
    return false;
  }

  #isOffered(turn: number): boolean {
    return this.#index.episodes.conversation.isLive(turn) && this.#eligible?.[turn] !== 0;
  }
}

/** Similarity of the rows of one kind to the question, by ordinal; 0 for rows that are not archived. */
export interface Likeness {
  /** Cosine; BM25 if no row has a cosine above 0. */
  readonly near: () => Float32Array;
  /** Words and vectors, from 0 to 1. */
  readonly mixed: () => Float32Array;
}

type Asked = Pick<RouteInput, 'context' | 'queryVector' | 'question' | 'rows'>;

/** Scores of turns: `mixed` uses the conversation around a turn, `near` the turn alone. */
export function likenessOfTurns(asked: Asked, archive: Archive, { reading }: TopicsRoute): Likeness {
  const { episodes } = asked.context.index;
  const { turnScores } = asked.rows();
  const archived = archive.turns();
  const words = () => within(turnScores.lexical(reading).slice(), archived);
  const cosines = () => positive(episodes.vectors.cosines(asked.queryVector, archived.length), archived);
  return {
    near: () => firstThatSpeaks(cosines(), words),
    mixed: () => mixScores(words(), within(turnScores.vector(reading).slice(), archived)),
  };
}

/** Scores of topics, by keywords and summaries. */
export function likenessOfTopics(asked: Asked, archive: Archive): Likeness {
  const { segments } = asked.context.index;
  const topics = archive.topics();
  const words = () => within(segments.lexicalScores(asked.question.allTerms), topics);
  const cosines = () => positive(segments.vectors.cosines(asked.queryVector, topics.length), topics);
  return {
    near: () => firstThatSpeaks(cosines(), words),
    mixed: () => mixScores(words(), cosines()),
  };
}

/** Sets scores of rows without a vector, −Infinity, to 0: no factor could. */
function positive(scores: Float32Array, offered: Uint8Array): Float32Array {
  for (let at = 0; at < scores.length; at++)
    scores[at] = offered[at] === 1 && scores[at]! > 0 ? scores[at]! : 0;
  return scores;
}

function firstThatSpeaks(scores: Float32Array, others: () => Float32Array): Float32Array {
  return highestScore(scores) > 0 ? scores : others();
}

type Rows = Pick<SearchContext, 'scope' | 'store' | 'index'>;

/** The text of each turn for a reranker, with captions. Empty for a removed turn. */
export async function textsOfTurns(
  { scope, store, index }: Rows,
  turns: readonly number[],
): Promise<string[]> {
  const ids = turns.map((turn) => index.episodes.ids.idOf(turn));
  const rows = await store.get(scope, 'episode', ids);
  const texts = new Map<string, string>(
    rows.map(({ id, speaker, content, attachments }) => [
      id,
      [`${speaker}: ${content}`, ...attachments.map(({ description }) => description)].join('\n'),
    ]),
  );
  return ids.map((id) => texts.get(id) ?? '');
}

/** The text of each topic for a reranker. Empty for a removed topic. */
export async function textsOfTopics(
  { scope, store, index }: Rows,
  topics: readonly number[],
): Promise<string[]> {
  const ids = topics.map((topic) => index.segments.ids.idOf(topic));
  const rows = await store.get(scope, 'segment', ids);
  const texts = new Map<string, string>(
    rows.map(({ id, keywords, summary }) => [id, `${keywords.join(', ')}\n${summary}`]),
  );
  return ids.map((id) => texts.get(id) ?? '');
}

const WORDS_OF_NAME = 3;

/** A label for each topic: its first keywords. Skips topics without keywords. */
export async function namesOfTopics(
  { scope, store, index }: Rows,
  topics: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { ids } = index.segments;
  const rows = await store.get(
    scope,
    'segment',
    topics.map((topic) => ids.idOf(topic)),
  );
  return new Map(
    rows
      .filter(({ keywords }) => keywords.length > 0)
      .map(({ id, keywords }) => [ids.ordinalOf(id)!, keywords.slice(0, WORDS_OF_NAME).join(', ')]),
  );
}

import { CancelledError, MnemisError } from '../errors/index.ts';
import type { Reranker } from '../inference/reranker.ts';
import type { RerankTrace, RetrievedItem } from '../model/retrieved-item.ts';
import { described } from '../util/described.ts';
import { addScores } from './similarity/add-scores.ts';
import { SUM } from './similarity/similarity.ts';
import { type TimeSettings, withinTime } from './within-time.ts';

export interface Reranking<Item> {
  readonly items: readonly Item[];
  readonly trace: RerankTrace;
}

interface RerankSettings extends TimeSettings {
  readonly reranker: Reranker;
}

/**
 * Orders the candidates of one kind by the probability that they answer the query (Mnemis §2.3: each kind separately,
 * categories with entities). If the reranker fails or takes too long, the order does not change and the trace gives
 * the reason.
 *
 * @throws CancelledError
 */
export async function rerank<Item extends RetrievedItem>(
  query: string,
  items: readonly Item[],
  { reranker, ...time }: RerankSettings,
): Promise<Reranking<Item>> {
  const started = performance.now();
  const trace = (failure: string | null): RerankTrace => ({
    model: reranker.model,
    candidates: items.length,
    milliseconds: performance.now() - started,
    failure,
  });
  if (items.length === 0) return { items, trace: trace(null) };
  try {
    const texts = items.map(rerankedText);
    const scores = await withinTime((signal) => reranker.rerank(query, texts, { signal }), time);
    return { items: inOrder(items, scores, reranker.model), trace: trace(null) };
  } catch (error) {
    if (CancelledError.isInstance(error)) throw error;
    return { items, trace: trace(MnemisError.isInstance(error) ? error.code : 'unexpected') };
  }
}

/** The text of an item for a reranker: speaker and content, or name, tags and summary. */
export function rerankedText(item: RetrievedItem): string {
  if (item.kind === 'fact') return item.statement;
  if (item.kind === 'entity')
    return [item.name, item.tags.join(', '), item.summary].filter(Boolean).join('. ');
  const seen = described(item.attachments).map(({ kind, description }) => `[${kind}: ${description}]`);
  return [`${item.speaker}: ${item.content}`, ...seen].join(' ');
}

/** Of a reranker's scores in the sum with what system1 added up; not measured with a cross-encoder yet. */
const RERANKER = 1;

/**
 * The reranker's scores join the sum of system1 (`SUM`), each divided by the mean of its best; an item that only other
 * routes found has none of that sum. Ties keep the fused order.
 */
function inOrder<Item extends RetrievedItem>(
  items: readonly Item[],
  scores: readonly number[],
  model: string,
): Item[] {
  const summed = items.map(({ why }) => why.find(({ list }) => list === SUM)?.score ?? 0);
  const sums = addScores([
    { scores: Float32Array.from(summed), weight: 1 },
    { scores: Float32Array.from(scores), weight: RERANKER },
  ]);
  const rankOf = new Map(
    scores
      .map((score, place) => [place, score] as const)
      .sort(([one, a], [other, b]) => b - a || one - other)
      .map(([place], position) => [place, position + 1]),
  );
  return items
    .map((item, place) => ({ item, place, score: sums[place]! }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .map(({ item, place, score }, position) => {
      const vote = { route: 'rerank', list: model, rank: rankOf.get(place)!, score: scores[place]! };
      return { ...item, rank: position + 1, score, why: [vote, ...item.why] };
    });
}

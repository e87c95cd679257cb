import { CancelledError, MnemisError } from '../errors/index.ts';
import type { Reranker } from '../inference/reranker.ts';
import type { RerankTrace, RetrievedItem } from '../model/retrieved-item.ts';
import { described } from '../util/described.ts';
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

function inOrder<Item extends RetrievedItem>(
  items: readonly Item[],
  scores: readonly number[],
  model: string,
): Item[] {
  return items
    .map((item, place) => ({ item, place, score: scores[place]! }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .map(({ item, score }, position) => {
      const vote = { route: 'rerank', list: model, rank: position + 1, score };
      return { ...item, rank: position + 1, score, why: [vote, ...item.why] };
    });
}

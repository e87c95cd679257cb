import { AbsentEmbedder } from '../inference/embedder/embedding-switch.ts';
import type { Embedder } from '../inference/embedder.ts';
import { analyze, analyzeQuery } from '../search/analyzer.ts';
import { BM25_OF_DOCUMENTS, inverseDocumentFrequency } from '../search/lexical-index.ts';
import type { ItemFields } from '../store/item-json.ts';
import { Breather } from '../util/breathe.ts';
import { inBatches } from '../util/collections.ts';
import { dotProduct } from '../util/dot-product.ts';
import { textsAt } from './draft-items.ts';
import { byAge, type ItemEntry } from './item-tree.ts';

const EMBEDDED_AT_ONCE = 64;
/** Items between two looks at the clock. */
const SCORED_AT_ONCE = 256;

export interface RankRequest {
  readonly query: string;
  readonly embedder: Embedder;
  /** Used for items whose writer did not set fields. */
  readonly fields: ItemFields;
  readonly signal?: AbortSignal | undefined;
}

export interface RankedItem {
  readonly entry: ItemEntry;
  /** As in `FoundItem`. */
  readonly score: number | null;
}

/** The searchable form of an entry, cached per entry. */
interface Searched {
  /** The fields that it was built from. */
  readonly by: string;
  readonly texts: readonly string[];
  /** How often it has each term. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of its terms. */
  readonly length: number;
  /** One vector per text, computed when an embedder first needs them. */
  vectors: { readonly of: Embedder; readonly all: readonly Float32Array[] } | null;
}

/**
 * Ranks items by content: the mean of the cosine of an item's best text and of the share of the query's words that it
 * has, by BM25 over only these items, so that other items do not influence the order. Terms and vectors are computed on
 * an item's first search and cached in memory.
 */
export class ItemRanker {
  readonly #known = new WeakMap<ItemEntry, Searched>();

  /** Returns all items: those that are searched, the best first, then the others. */
  async rank(entries: readonly ItemEntry[], request: RankRequest): Promise<RankedItem[]> {
    const ranked: { readonly entry: ItemEntry; readonly as: Searched; score: number }[] = [];
    const others: RankedItem[] = [];
    const breather = new Breather();
    for (const batch of inBatches(entries, SCORED_AT_ONCE)) {
      await breather.breathe();
      for (const entry of batch) {
        const as = this.#searched(entry, request.fields);
        if (as.texts.length > 0) ranked.push({ entry, as, score: 0 });
        else others.push({ entry, score: null });
      }
    }
    const searched = ranked.map(({ as }) => as);
    const shares = await wordShares(searched, request.query);
    const cosines = await cosinesOf(searched, request);
    for (const [at, each] of ranked.entries()) {
      const share = shares[at]!;
      each.score = cosines === null ? share : (Math.min(1, cosines[at]!) + share) / 2;
    }
    ranked.sort((a, b) => b.score - a.score || byAge(a.entry, b.entry));
    others.sort((a, b) => byAge(a.entry, b.entry));
    return [...ranked.map(({ entry, score }) => ({ entry, score })), ...others];
  }

  #searched(entry: ItemEntry, given: ItemFields): Searched {
    const { value, fields = given } = entry;
    const by = fields === false ? '' : fields.join('\n');
    const known = this.#known.get(entry);
    if (known?.by === by) return known;
    const texts = fields === false ? [] : fields.flatMap((path) => textsAt(value, path));
    const terms = analyze(texts.join('\n'));
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    const made: Searched = { by, texts, counts, length: terms.length, vectors: null };
    this.#known.set(entry, made);
    return made;
  }
}

/** The cosine of each item's best text, at least 0; null without an embedder. */
async function cosinesOf(
  searched: readonly Searched[],
  { query, embedder, signal }: RankRequest,
): Promise<number[] | null> {
  if (embedder instanceof AbsentEmbedder || searched.length === 0) return null;
  const [question] = await embedder.embed([query], { as: 'query', signal });
  const breather = new Breather();
  const cosines: number[] = [];
  for (const batch of inBatches(searched, EMBEDDED_AT_ONCE)) {
    await breather.breathe();
    for (const vectors of await vectorsOf(batch, embedder, signal))
      cosines.push(vectors.reduce((best, vector) => Math.max(best, dotProduct(vector, question!)), 0));
  }
  return cosines;
}

async function vectorsOf(
  searched: readonly Searched[],
  embedder: Embedder,
  signal: AbortSignal | undefined,
): Promise<(readonly Float32Array[])[]> {
  const found = searched.map(({ vectors }) => (vectors?.of === embedder ? vectors.all : null));
  const missing = searched.flatMap(({ texts }, at) => (found[at] === null ? texts : []));
  const made = missing.length === 0 ? [] : await embedder.embed(missing, { as: 'passage', signal });
  return searched.map((each, at) => {
    const all = found[at] ?? made.splice(0, each.texts.length);
    each.vectors = { of: embedder, all };
    return all;
  });
}

/**
 * The share of the query's words that each item has, from 0 to 1, where rare words count more: its BM25 score relative
 * to that of an item of average length that has every word once.
 */
async function wordShares(searched: readonly Searched[], query: string): Promise<Float64Array> {
  const terms = analyzeQuery(query).map((term) => ({
    ...term,
    found: [] as { at: number; count: number }[],
  }));
  const breather = new Breather();
  for (const [at, { counts }] of searched.entries()) {
    if (at % SCORED_AT_ONCE === 0) await breather.breathe();
    for (const { term, found } of terms) {
      const count = counts.get(term);
      if (count !== undefined) found.push({ at, count });
    }
  }
  const { k1, b } = BM25_OF_DOCUMENTS;
  const average = searched.reduce((sum, { length }) => sum + length, 0) / searched.length || 1;
  const scores = new Float64Array(searched.length);
  let whole = 0;
  for (const { weight, found } of terms) {
    await breather.breathe();
    const worth = weight * inverseDocumentFrequency(found.length, searched.length);
    whole += worth;
    for (const { at, count } of found) {
      const saturation = count + k1 * (1 - b + (b * searched[at]!.length) / average);
      scores[at]! += (worth * count * (k1 + 1)) / saturation;
    }
  }
  return scores.map((score) => (score === 0 ? 0 : Math.min(1, score / whole)));
}

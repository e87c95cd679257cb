import type { Embedder } from '../../inference/embedder.ts';
import { reciprocalRankFusion } from '../../retrieve/fuse.ts';
import { analyze, analyzeQuery } from '../../search/analyzer.ts';
import { LexicalIndex } from '../../search/lexical-index.ts';
import type { ItemFields } from '../../store/item-json.ts';
import { Breather } from '../../util/breathe.ts';
import { inBatches } from '../../util/collections.ts';
import { dotProduct } from '../../util/dot-product.ts';
import { AbsentEmbedder } from '../embedding/embedding-switch.ts';
import { textsAt } from './draft-items.ts';
import type { ItemEntry } from './item-tree.ts';

/** Same value as for turns (docs/papers.md §1.2). */
const FUSION_CONSTANT = 60;
const EMBEDDED_AT_ONCE = 64;

export interface RankRequest {
  readonly query: string;
  readonly embedder: Embedder;
  /** Used for items whose writer did not set fields. */
  readonly fields: ItemFields;
  readonly signal?: AbortSignal | undefined;
}

export interface RankedItem {
  readonly entry: ItemEntry;
  /** Null for an item without indexed texts. */
  readonly score: number | null;
}

/** The searchable form of an entry, cached per entry. */
interface Searched {
  /** The fields that it was built from. */
  readonly by: string;
  readonly texts: readonly string[];
  readonly terms: readonly string[];
  /** One vector per text, computed when an embedder first needs them. */
  vectors: { readonly of: Embedder; readonly all: readonly Float32Array[] } | null;
}

interface RankedPlaces {
  readonly list: string;
  readonly keys: readonly number[];
  readonly scores: readonly number[];
}

/**
 * Ranks items by content: exact cosines of each item's best text, and BM25 over only these items, so that other items
 * do not influence the order. Vectors are computed on an item's first search and cached in memory.
 */
export class ItemRanker {
  readonly #known = new WeakMap<ItemEntry, Searched>();

  /** Returns all items: ranked ones, then those without a match, then those that are not searched. */
  async rank(entries: readonly ItemEntry[], request: RankRequest): Promise<RankedItem[]> {
    const breather = new Breather();
    const searched: { readonly entry: ItemEntry; readonly as: Searched }[] = [];
    for (const entry of entries) {
      await breather.breathe();
      const as = this.#searched(entry, request.fields);
      if (as.texts.length > 0) searched.push({ entry, as });
    }
    const all = searched.map(({ as }) => as);
    const lists = [...(await byVectors(all, request)), await byWords(all, request.query)];
    const fused = reciprocalRankFusion(
      lists.map((list) => ({ ...list, route: 'items', weight: 1 })),
      { constant: FUSION_CONSTANT, depth: all.length, before: (a, b) => a - b },
    );
    const best = lists.length / (FUSION_CONSTANT + 1);
    const ranked = new Set(fused.map(({ key }) => key));
    const isSearched = new Set(searched.map(({ entry }) => entry));
    return [
      ...fused.map(({ key, score }) => ({ entry: searched[key]!.entry, score: score / best })),
      ...searched.filter((_, at) => !ranked.has(at)).map(({ entry }) => ({ entry, score: 0 })),
      ...entries.filter((entry) => !isSearched.has(entry)).map((entry) => ({ entry, score: null })),
    ];
  }

  #searched(entry: ItemEntry, given: ItemFields): Searched {
    const { value, fields = given } = entry;
    const by = JSON.stringify(fields);
    const known = this.#known.get(entry);
    if (known?.by === by) return known;
    const texts = fields === false ? [] : fields.flatMap((path) => textsAt(value, path));
    const made: Searched = { by, texts, terms: analyze(texts.join('\n')), vectors: null };
    this.#known.set(entry, made);
    return made;
  }
}

async function byVectors(
  searched: readonly Searched[],
  { query, embedder, signal }: RankRequest,
): Promise<RankedPlaces[]> {
  if (embedder instanceof AbsentEmbedder || searched.length === 0) return [];
  const [question] = await embedder.embed([query], { as: 'query', signal });
  const breather = new Breather();
  const cosines: number[] = [];
  for (const batch of inBatches(searched, EMBEDDED_AT_ONCE)) {
    await breather.breathe();
    for (const vectors of await vectorsOf(batch, embedder, signal))
      cosines.push(Math.max(...vectors.map((vector) => dotProduct(vector, question!))));
  }
  return [ranked('vectors', cosines)];
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

async function byWords(searched: readonly Searched[], query: string): Promise<RankedPlaces> {
  const breather = new Breather();
  // The terms are precomputed: a document's text is its index in `searched`.
  const index = new LexicalIndex({ analyze: (place) => searched[Number(place)]!.terms });
  for (const at of searched.keys()) {
    await breather.breathe();
    index.add(at, [{ text: String(at), weight: 1 }]);
  }
  const scores = new Float32Array(index.ordinals);
  index.score(analyzeQuery(query), scores);
  return ranked('words', scores);
}

/** Indices with a score above zero, best first; ties keep their order. */
function ranked(list: string, scores: ArrayLike<number>): RankedPlaces {
  const keys = Array.from(scores, (_, at) => at).filter((at) => scores[at]! > 0);
  keys.sort((a, b) => scores[b]! - scores[a]! || a - b);
  return { list, keys, scores: keys.map((at) => scores[at]!) };
}

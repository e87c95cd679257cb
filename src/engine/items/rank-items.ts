import { isDeepStrictEqual } from 'node:util';
import type { Embedder } from '../../inference/embedder.ts';
import { reciprocalRankFusion } from '../../retrieve/fuse.ts';
import { analyze, analyzeQuery } from '../../search/analyzer.ts';
import { LexicalIndex } from '../../search/lexical-index.ts';
import { Breather } from '../../util/breathe.ts';
import { dotProduct } from '../../util/dot-product.ts';
import { inBatches } from '../../util/in-batches.ts';
import { AbsentEmbedder } from '../absent-embedder.ts';
import { textsAt } from './field-texts.ts';
import type { ItemEntry } from './item-entry.ts';
import type { ItemFields } from './stored-item.ts';

/** As for turns (PAPERS.md). */
const FUSION_CONSTANT = 60;
const EMBEDDED_AT_ONCE = 64;

export interface RankRequest {
  readonly query: string;
  readonly embedder: Embedder;
  /** For items whose writer left it to the reader. */
  readonly fields: ItemFields;
  readonly signal?: AbortSignal | undefined;
}

export interface RankedItem {
  readonly entry: ItemEntry;
  /** Null for an item that is not searched by meaning. */
  readonly score: number | null;
}

/** Vectors of texts; they go with the entry. */
interface Embedded {
  readonly embedder: Embedder;
  readonly texts: readonly string[];
  readonly vectors: readonly Float32Array[];
}

/**
 * Ranks items by what they say: exact cosines of the best of their texts, and BM25 over just these items, so that what
 * others hold does not show in the order. Vectors are made when an item is first asked about and kept in memory.
 */
export class ItemRanker {
  readonly #embedded = new WeakMap<ItemEntry, Embedded>();

  /** All of them: the ranked ones, then those that have nothing in common with the query, then those not searched. */
  async rank(entries: readonly ItemEntry[], request: RankRequest): Promise<RankedItem[]> {
    const texts = entries.map(({ value, fields = request.fields }) =>
      fields === false ? [] : fields.flatMap((path) => textsAt(value, path)),
    );
    const searched = entries.flatMap((_, at) => (texts[at]!.length > 0 ? [at] : []));
    const lists = [
      ...(await this.#byVector(entries, { ...request, texts, searched })),
      byWords(texts, searched, request.query),
    ];
    const fused = reciprocalRankFusion(
      lists.map((list) => ({ ...list, route: 'items', weight: 1 })),
      { constant: FUSION_CONSTANT, depth: searched.length, before: (a, b) => a - b },
    );
    const best = lists.length / (FUSION_CONSTANT + 1);
    const ranked = new Set(fused.map(({ key }) => key));
    return [
      ...fused.map(({ key, score }) => ({ entry: entries[key]!, score: score / best })),
      ...searched.filter((at) => !ranked.has(at)).map((at) => ({ entry: entries[at]!, score: 0 })),
      ...entries.filter((_, at) => texts[at]!.length === 0).map((entry) => ({ entry, score: null })),
    ];
  }

  async #byVector(
    entries: readonly ItemEntry[],
    { texts, searched, query, embedder, signal }: RankRequest & Searched,
  ): Promise<RankedNumbers[]> {
    if (embedder instanceof AbsentEmbedder || searched.length === 0) return [];
    const [question] = await embedder.embed([query], { as: 'query', signal });
    const breather = new Breather();
    const cosines: { at: number; score: number }[] = [];
    for (const batch of inBatches(searched, EMBEDDED_AT_ONCE)) {
      await breather.breathe();
      const owners = batch.map((at) => ({ entry: entries[at]!, texts: texts[at]! }));
      const vectors = await this.#vectorsOf(owners, embedder, signal);
      for (const [place, at] of batch.entries())
        cosines.push({ at, score: Math.max(...vectors[place]!.map((each) => dotProduct(each, question!))) });
    }
    return [ranked('vector', cosines)];
  }

  /** Of each owner; made where there are none yet of this embedder and these texts. */
  async #vectorsOf(
    owners: readonly Owner[],
    embedder: Embedder,
    signal: AbortSignal | undefined,
  ): Promise<(readonly Float32Array[])[]> {
    const found = owners.map(({ entry, texts }) => {
      const known = this.#embedded.get(entry);
      return known?.embedder === embedder && isDeepStrictEqual(known.texts, texts) ? known.vectors : null;
    });
    const missing = owners.flatMap(({ texts }, at) => (found[at] === null ? texts : []));
    const made = missing.length === 0 ? [] : await embedder.embed(missing, { as: 'passage', signal });
    return owners.map(({ entry, texts }, at) => {
      const vectors = found[at] ?? made.splice(0, texts.length);
      this.#embedded.set(entry, { embedder, texts, vectors });
      return vectors;
    });
  }
}

interface Owner {
  readonly entry: ItemEntry;
  readonly texts: readonly string[];
}

interface Searched {
  /** Of each entry. */
  readonly texts: readonly (readonly string[])[];
  /** Places of the entries that have some. */
  readonly searched: readonly number[];
}

interface RankedNumbers {
  readonly list: string;
  readonly keys: readonly number[];
  readonly scores: readonly number[];
}

function byWords(texts: Searched['texts'], searched: readonly number[], query: string): RankedNumbers {
  const index = new LexicalIndex({ analyze });
  for (const at of searched) index.add(at, [{ text: texts[at]!.join('\n'), weight: 1 }]);
  const hits = index.top(analyzeQuery(query), searched.length);
  return ranked(
    'words',
    hits.map(({ ordinal, score }) => ({ at: ordinal, score })),
  );
}

function ranked(list: string, hits: readonly { at: number; score: number }[]): RankedNumbers {
  const sorted = hits.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.at - b.at);
  return { list, keys: sorted.map(({ at }) => at), scores: sorted.map(({ score }) => score) };
}

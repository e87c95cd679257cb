import type { HierarchyView, ViewNode } from '../../hierarchy/traverse/hierarchy-view.ts';
import { analyze } from '../../search/analyzer.ts';
import type { DocumentIndex } from '../../search/document-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { VectorIndex } from '../../search/vector-index.ts';
import { entityNameKey } from '../../util/entity-name-key.ts';
import { highestScore } from '../mix-scores.ts';
import type { Question } from '../question.ts';
import { KindScores } from './kind-scores.ts';

export interface AskedQuestion {
  readonly question: Question;
  /** All zero where the question has no features. */
  readonly queryVector: Float32Array;
  /** Of the words for the kind that is asked for; null where there are none. */
  readonly kindVector: Float32Array | null;
}

/** What speaks for a node, each from 0 to 1. */
export interface NodeScore {
  /** Its own name, tags and summary. */
  readonly own: number;
  /** Its being of the kind that the question asks for. */
  readonly kind: number;
  /** A category above it being so. */
  readonly above: number;
  /** The best of the entities below it. */
  readonly below: number;
  /** A category below it being of the kind. */
  readonly kindBelow: number;
}

const WORDS = 0.6;
/** A cosine of less says nothing. */
const LEAST_COSINE = 0.15;
/** So many of the best entities speak for a category. */
const BEST_BELOW = 3;
/** An entity's tags tell its kind: a place, a person. */
const TAG_KIND = 0.5;

const NOTHING: NodeScore = { own: 0, kind: 0, above: 0, below: 0, kindBelow: 0 };

/**
 * What speaks for each node of a hierarchy without a model: words and vectors of names, tags and summaries, the kind
 * that the question asks for, and the entities below. Computed once for a question.
 */
export class NodeScores {
  readonly #ofCategories: Float32Array;
  readonly #ofEntities: Float32Array;
  readonly #below = new Map<string, number>();
  readonly #kinds: KindScores;
  readonly #kindTag: string | undefined;
  /** The people whom the question names: they are not what it asks for. */
  readonly #named: ReadonlySet<string>;
  readonly #view: HierarchyView;

  constructor(index: ScopeIndex, view: HierarchyView, { question, queryVector, kindVector }: AskedQuestion) {
    const { hierarchy, entities } = index;
    const terms = question.terms.length > 0 ? question.terms : question.allTerms;
    const asked = { terms, vector: queryVector };
    this.#view = view;
    this.#ofEntities = similarities(entities.profiles, entities.nameVectors, asked);
    this.#ofCategories = similarities(hierarchy.documents, hierarchy.nameVectors, asked);
    this.#kinds = new KindScores(hierarchy, view, { terms: question.kind, vector: kindVector });
    this.#kindTag = question.kind.at(-1);
    const { speakers } = index.episodes.timeline;
    const names = Array.from(question.speakers, (speaker) => entityNameKey(speakers[speaker] ?? ''));
    this.#named = new Set(names.flatMap((name) => entities.idsOfName(name)));
    const best = new Map<string, readonly number[]>();
    for (const { id, children } of view.categories) {
      const scores = new BestScores();
      for (const child of children)
        for (const score of best.get(child) ?? [this.#entity(view.node(child)!)]) scores.offer(score);
      best.set(id, scores.list);
      this.#below.set(id, scores.list.reduce((sum, score) => sum + score, 0) / BEST_BELOW);
    }
  }

  /** @param id Of a node of the view. */
  of(id: string): NodeScore {
    const node = this.#view.node(id);
    if (node === undefined || this.#named.has(id)) return NOTHING;
    if (node.layer === 0) return this.#ofEntity(node);
    return {
      own: this.#ofCategories[node.document] ?? 0,
      kind: this.#kinds.own(id),
      above: this.#kinds.above(id),
      below: this.#below.get(id) ?? 0,
      kindBelow: this.#kinds.below(id),
    };
  }

  /** Nodes right below it. */
  childrenOf(id: string): readonly string[] {
    return this.#view.node(id)?.children ?? [];
  }

  #ofEntity(node: ViewNode): NodeScore {
    const isKind =
      this.#kindTag !== undefined && node.tags.some((tag) => analyze(tag).at(-1) === this.#kindTag);
    const kind = isKind ? TAG_KIND : 0;
    return { own: this.#entity(node), kind, above: this.#kinds.above(node.id), below: 0, kindBelow: 0 };
  }

  #entity({ id, document }: ViewNode): number {
    return this.#named.has(id) ? 0 : this.#ofEntities[document]!;
  }
}

/** The highest few of scores. */
class BestScores {
  readonly list: number[] = [];

  offer(score: number): void {
    if (this.list.length === BEST_BELOW && score <= this.list.at(-1)!) return;
    this.list.push(score);
    this.list.sort((a, b) => b - a);
    this.list.length = Math.min(this.list.length, BEST_BELOW);
  }
}

/** By document: shares of the best, words before vectors. */
function similarities(
  documents: DocumentIndex,
  nameVectors: VectorIndex,
  { terms, vector }: { readonly terms: readonly string[]; readonly vector: Float32Array },
): Float32Array {
  const words = documents.lexicalScores(terms);
  const scale = highestScore(words);
  const summaries = cosines(documents.vectors, vector, documents.length);
  const names = cosines(nameVectors, vector, documents.length);
  const best = Math.max(highestScore(summaries), highestScore(names), LEAST_COSINE);
  for (let at = 0; at < words.length; at++) {
    const near = Math.max(0, summaries[at]!, names[at]!);
    const meaning = near < LEAST_COSINE ? 0 : near / best;
    words[at] = (scale > 0 ? WORDS * (words[at]! / scale) : 0) + (1 - WORDS) * meaning;
  }
  return words;
}

function cosines(vectors: VectorIndex, query: Float32Array, length: number): Float32Array {
  const scores = new Float32Array(Math.max(length, vectors.ordinals));
  vectors.score(query, scores);
  return scores;
}

import { CancelledError } from '../../errors/index.ts';
import type { HierarchyView, ViewNode } from '../../hierarchy/traverse/hierarchy-view.ts';
import type {
  OfferedNode,
  Pick,
  Selection,
  Selector,
  SelectRequest,
} from '../../hierarchy/traverse/selector.ts';
import { NO_MODEL_USAGE } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { analyze } from '../../search/analyzer.ts';
import type { DocumentIndex } from '../../search/document-index.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { VectorIndex } from '../../search/vector-index.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { Question } from '../question.ts';
import { highestScore } from '../similarity/turn-scores.ts';
import { LOCAL_SELECTOR, type LocalSelectorOptions } from './defaults.ts';

/** Minimum score of a pick. */
const LEAST_SCORE = 0.05;
/** Minimum kind score for selecting a category with all its members. */
const WHOLE = 0.95;
/**
 * Share of a pick's score that its children inherit: a question about pets may match "Animals" but none of its
 * members.
 */
const INHERITED = 0.2;

/** Picks nodes by word and vector scores, without a model. One instance serves one question. */
export class LocalSelector implements Selector {
  readonly name = 'local';
  readonly #scores: NodeScores;
  readonly #enumerates: boolean;
  readonly #options: LocalSelectorOptions;
  /** Score that a node inherits from picked categories above it. */
  readonly #inherited = new Map<string, number>();

  constructor(scores: NodeScores, enumerates: boolean, options: LocalSelectorOptions = LOCAL_SELECTOR) {
    this.#scores = scores;
    this.#enumerates = enumerates;
    this.#options = options;
  }

  async select({ nodes }: SelectRequest, { signal }: ModelCallOptions = {}): Promise<Selection> {
    if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
    const all = nodes.flatMap((node) => [node, ...(node.children ?? [])]);
    const picks = [
      ...this.#best(
        all.filter(({ layer }) => layer > 0),
        this.#options.categories,
      ),
      ...this.#best(
        all.filter(({ layer }) => layer === 0),
        this.#options.entities,
      ),
    ];
    return { picks: picks.sort((a, b) => b.score - a.score), notes: [], usage: NO_MODEL_USAGE };
  }

  follow(picks: readonly Pick[]): void {
    for (const { id, score } of picks)
      for (const child of this.#scores.childrenOf(id))
        this.#inherited.set(child, Math.max(this.#inherited.get(child) ?? LEAST_SCORE, INHERITED * score));
  }

  /** From 0 to 1. */
  score({ id, layer }: { readonly id: string; readonly layer: number }): number {
    const { own, kind, above, below, kindBelow } = this.#scores.of(id);
    const inherited = this.#inherited.get(id) ?? 0;
    if (layer === 0) return Math.max(inherited, 0.6 * own + 0.4 * Math.max(kind, above));
    return Math.max(inherited, kind, kindBelow, 0.8 * above, 0.5 * own + 0.5 * below);
  }

  #best(nodes: readonly OfferedNode[], most: number): Pick[] {
    const scored = nodes
      .map((node) => ({ id: node.id, all: this.#isWhole(node), score: this.score(node) }))
      .sort((a, b) => b.score - a.score);
    const share = this.#enumerates ? this.#options.leastOfAll : this.#options.least;
    const least = Math.max(LEAST_SCORE, share * (scored[0]?.score ?? 0));
    return scored.slice(0, most).filter(({ score }) => score >= least);
  }

  #isWhole({ id, layer }: OfferedNode): boolean {
    return layer > 0 && this.#enumerates && this.#scores.of(id).kind >= WHOLE;
  }
}

export interface AskedQuestion {
  readonly question: Question;
  /** All zero if the question has no features. */
  readonly queryVector: Float32Array;
  /** Vector of the words for the asked kind; null if there are none. */
  readonly kindVector: Float32Array | null;
}

/** The scores of a node, each from 0 to 1. */
interface NodeScore {
  /** Score of its own name, tags and summary. */
  readonly own: number;
  /** Match with the kind that the question asks for. */
  readonly kind: number;
  /** The best kind match above it. */
  readonly above: number;
  /** Score of the best entities below it. */
  readonly below: number;
  /** The best kind match below it. */
  readonly kindBelow: number;
}

const WORDS = 0.6;
/** Lower cosines are noise. */
const LEAST_COSINE = 0.15;
/** A category's score from below is the mean of this many best entities. */
const BEST_BELOW = 3;
/** Kind score of an entity whose tag is the asked kind: a place, a person. */
const TAG_KIND = 0.5;

const NOTHING: NodeScore = { own: 0, kind: 0, above: 0, below: 0, kindBelow: 0 };

/**
 * Scores the nodes of a hierarchy without a model: by words and vectors of names, tags and summaries, by the asked
 * kind, and by the entities below. Computed once per question.
 */
export class NodeScores {
  readonly #ofCategories: Float32Array;
  readonly #ofEntities: Float32Array;
  readonly #below = new Map<string, number>();
  readonly #kinds: KindScores;
  readonly #kindTag: string | undefined;
  /** Speakers that the question names: they are not its answer. */
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

  /** Child nodes in the view. */
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

/** Keeps the few highest scores. */
class BestScores {
  readonly list: number[] = [];

  offer(score: number): void {
    if (this.list.length === BEST_BELOW && score <= this.list.at(-1)!) return;
    this.list.push(score);
    this.list.sort((a, b) => b - a);
    this.list.length = Math.min(this.list.length, BEST_BELOW);
  }
}

/** By document: word and vector scores, each divided by the highest. */
function similarities(
  documents: DocumentIndex,
  nameVectors: VectorIndex,
  { terms, vector }: { readonly terms: readonly string[]; readonly vector: Float32Array },
): Float32Array {
  const words = documents.lexicalScores(terms);
  const scale = highestScore(words);
  const summaries = documents.vectors.cosines(vector, documents.length);
  const names = nameVectors.cosines(vector, documents.length);
  const best = Math.max(highestScore(summaries), highestScore(names), LEAST_COSINE);
  for (let at = 0; at < words.length; at++) {
    const near = Math.max(0, summaries[at]!, names[at]!);
    const meaning = near < LEAST_COSINE ? 0 : near / best;
    words[at] = (scale > 0 ? WORDS * (words[at]! / scale) : 0) + (1 - WORDS) * meaning;
  }
  return words;
}

interface AskedKind {
  /** Index terms; the last one is the head. */
  readonly terms: readonly string[];
  /** Vector of the words; null if the question asks for no kind. */
  readonly vector: Float32Array | null;
}

/** Score if the name has the same head as the kind. */
const HEAD = 1;
const TAG = 0.6;
const PART = 0.5;
/** Minimum cosine at which the kind and a category's name mean nearly the same. */
const LEAST_KIND_COSINE = 0.4;
/** Maximum score from a cosine alone. */
const NEAR = 0.8;
/** Factor per layer, up or down. */
const PER_LAYER = 0.9;

/**
 * How well categories match the kind that a question asks for ("Cities", for "which cities"): by the head of their
 * names, their tags, or the vectors of names. From 0 to 1, also for the layers above and below.
 */
class KindScores {
  readonly #own = new Map<string, number>();
  readonly #below = new Map<string, number>();
  readonly #above = new Map<string, number>();

  constructor(hierarchy: HierarchyIndex, view: HierarchyView, asked: AskedKind) {
    if (asked.terms.length === 0) return;
    const near = nearness(hierarchy, asked.vector);
    for (const node of view.categories) {
      const own = Math.max(byWords(node, asked.terms), near[node.document] ?? 0);
      const children = node.children.map((child) => this.#most(child));
      this.#own.set(node.id, own);
      this.#below.set(node.id, PER_LAYER * children.reduce((most, score) => Math.max(most, score), 0));
    }
    for (const { id, children } of view.categories.toReversed()) {
      const inherited = Math.max(this.own(id), PER_LAYER * this.above(id));
      if (inherited > 0)
        for (const child of children) this.#above.set(child, Math.max(this.above(child), inherited));
    }
  }

  /** Score of the category itself. */
  own(id: string): number {
    return this.#own.get(id) ?? 0;
  }

  /** Best score of the categories below it. */
  below(id: string): number {
    return this.#below.get(id) ?? 0;
  }

  /** Best score of the categories that contain a category or an entity. */
  above(id: string): number {
    return this.#above.get(id) ?? 0;
  }

  #most(id: string): number {
    return Math.max(this.own(id), this.below(id));
  }
}

function byWords({ name, aliases, tags }: ViewNode, terms: readonly string[]): number {
  const head = terms.at(-1)!;
  if ([name, ...aliases].some((each) => headOf(each) === head)) return HEAD;
  if (tags.some((tag) => headOf(tag) === head)) return TAG;
  const inName = analyze(name);
  return terms.some((term) => inName.includes(term)) ? PART : 0;
}

/** "city" of "Cities of Norway" and of "Big cities". */
function headOf(name: string): string | undefined {
  return analyze(name.split(/\s(?:of|in|for|with|from|by)\s/)[0]!).at(-1);
}

function nearness(hierarchy: HierarchyIndex, vector: Float32Array | null): Float32Array {
  const { documents, nameVectors } = hierarchy;
  if (vector === null) return new Float32Array(documents.length);
  const scores = nameVectors.cosines(vector, documents.length);
  return scores.map((cosine) => (cosine < LEAST_KIND_COSINE ? 0 : NEAR * Math.min(1, cosine)));
}

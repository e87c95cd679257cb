import type { CategoryId, EntityId, EpisodeId, FactId, Milliseconds } from './ids.ts';
import type { Attachment, FactKind, Role, TimeInterval } from './nodes.ts';

/** A turn that supports an item, as shown to a person. */
export interface SourceTurn {
  readonly episode: EpisodeId;
  readonly session: string;
  readonly index: number;
  /** A retention rule removed its text; what was extracted from it stays. */
  readonly removed?: true;
}

/** One ranked list that contains the item: its route, its name, and the item's rank (from 1) and raw score there. */
export interface Vote {
  readonly route: string;
  readonly list: string;
  readonly rank: number;
  readonly score: number;
  /**
   * Names along the path from the top of the hierarchy to the node that found it: "Health", "Health Factors",
   * "weight".
   */
  readonly path?: readonly string[] | undefined;
}

/**
 * The route in the vote of a turn that no route found, but that stands beside a found one: the list is `reply` or
 * `before`, the rank that of the found turn.
 */
export const BESIDE_FOUND = 'conversation';

interface RetrievedBase {
  /** Rank among items of its kind, from 1. */
  readonly rank: number;
  /** Fused score; comparable only within one list of one search. */
  readonly score: number;
  /** Of an item that a search returns: how far it answers the question, from 0 to 1, comparable over questions and memories. */
  readonly relevance?: number | undefined;
  /** Why it was found: every vote, the strongest first. */
  readonly why: readonly Vote[];
  readonly sources: readonly SourceTurn[];
}

/** A part of a text, from `start` up to, but excluding, `end`. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

/** A turn as it was said. A turn found through several facts or entities appears once. */
export interface RetrievedEpisode extends RetrievedBase {
  readonly kind: 'episode';
  readonly id: EpisodeId;
  readonly content: string;
  /** Of a long turn: the place in `content` of the passage that says most of the question's words, if one has any. */
  readonly passage?: Passage | undefined;
  readonly speaker: string;
  readonly role: Role;
  readonly session: string;
  readonly index: number;
  /** When it was said. */
  readonly validAt: Milliseconds;
  /** Milliseconds by which the clock of the speaker was ahead of UTC, if the time was given with a zone. */
  readonly offset?: Milliseconds | undefined;
  readonly source: string;
  readonly sourceId: string | null;
  readonly attachments: readonly Attachment[];
}

/** An entity, or a category, which is ranked among entities (Mnemis §2.3). */
export interface RetrievedEntity extends RetrievedBase {
  readonly kind: 'entity';
  readonly id: EntityId | CategoryId;
  /** 0 for an entity; for a category its layer in the hierarchy, from 1. */
  readonly layer: number;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly tags: readonly string[];
}

/**
 * A stored statement; `sources` are the turns that support it. An ended fact is returned only if the recipe or the
 * question asks for it.
 */
export interface RetrievedFact extends RetrievedBase {
  readonly kind: 'fact';
  readonly id: FactId;
  readonly statement: string;
  readonly factKind: FactKind;
  readonly validAt: Milliseconds;
  /** When it ceased to hold; null while it holds. */
  readonly invalidAt: Milliseconds | null;
  /** The time that the statement itself mentions, if any. */
  readonly event: TimeInterval | null;
  /** When it was first said: the time of its oldest source turn, or `validAt` without one. */
  readonly saidAt: Milliseconds;
  /** Of the turn that first said it: milliseconds by which the clock of the speaker was ahead of UTC. */
  readonly offset?: Milliseconds | undefined;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** Any search result. Each kind has its own ranking: ranks and scores of two kinds are not comparable. */
export type RetrievedItem = RetrievedEpisode | RetrievedEntity | RetrievedFact;

/** An id in the full ranking (to the recipe's depth, before any budget). */
export interface RankedId {
  readonly id: string;
  readonly score: number;
}
/** A turn in the full ranking, with its session and index: benchmarks name gold evidence by them. */
export interface RankedEpisode extends RankedId {
  readonly session: string;
  readonly index: number;
}

/** Model calls and tokens of an operation; all zero in the local tier. */
export interface Usage {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}
/** Zero usage: the cost of the local tier and the start of sums. Frozen. */
export const NO_USAGE: Usage = Object.freeze({ calls: 0, promptTokens: 0, completionTokens: 0 });

/** How a walk down the hierarchy ended. */
export const WALK_ENDS = [
  /** The walk read every list below the picks. */
  'complete',
  /** The selector picked nothing from a list. */
  'no-picks',
  /** The scope has no categories. */
  'no-hierarchy',
  /** The selector needs a language model, and none is configured. */
  'no-model',
  /** The selector failed; the walk contributes nothing. */
  'failed',
] as const;
/** Of one walk. After `no-hierarchy`, `no-model` and `failed` nothing is selected. */
export type WalkEnd = (typeof WALK_ENDS)[number];

/** One list of nodes offered to a selector. */
export interface WalkStep {
  /** Layer of the highest node in the list; 0 for a list of entities. */
  readonly layer: number;
  readonly offered: number;
  /** Names of the first fifty nodes offered. */
  readonly names: readonly string[];
  /** The first fifty picks; `all` also selects everything below the node. */
  readonly picks: readonly { readonly name: string; readonly all: boolean }[];
  readonly picked: number;
  /** Unusable or omitted parts of the reply; these notes never quote it. */
  readonly notes: readonly string[];
}

/** How a search walked the category hierarchy (docs/papers.md §1.6). */
export interface WalkTrace {
  readonly selector: string;
  readonly steps: readonly WalkStep[];
  readonly end: WalkEnd;
  /** The layer of the last list read. */
  readonly endLayer: number | null;
  /** Code of the error, if the walk failed. */
  readonly failure: string | null;
  readonly categories: number;
  readonly entities: number;
}

/** How a route ended. Only `found` routes contribute to the ranking; a route that fails does not stop the search. */
export const ROUTE_ENDS = [
  /** It returned candidates. */
  'found',
  /** It ran and returned no candidates. */
  'nothing',
  /** The recipe runs it only for other questions or larger memories. */
  'skipped',
  /** It exceeded the time limit of a route. */
  'late',
  /** It failed with an error. */
  'failed',
] as const;
/** Of one route; for `late` and `failed` the trace has the code of the error. */
export type RouteEnd = (typeof ROUTE_ENDS)[number];

/** How one route of a search went. */
export interface RouteTrace {
  readonly route: string;
  readonly end: RouteEnd;
  readonly milliseconds: number;
  /** How many candidates of each kind it returned. */
  readonly found: { readonly episodes: number; readonly entities: number; readonly facts: number };
  /** Code of the error that ended it, or that it recovered from. */
  readonly failure: string | null;
  /** Why it ran or was skipped, and other remarks; they never quote user text. */
  readonly notes: readonly string[];
  /** Its own counts and durations, such as `subgraphNodes`. */
  readonly figures: Readonly<Record<string, number>>;
  readonly usage: Usage;
  /** Set if the route walks the hierarchy. */
  readonly walk?: WalkTrace | undefined;
}

/** How the candidates of one kind were reranked. */
export interface RerankTrace {
  readonly model: string;
  readonly candidates: number;
  readonly milliseconds: number;
  /** Code of the error that made reranking keep the fused order. */
  readonly failure: string | null;
}

/** How a language model rewrote the question of a search. */
export interface RewriteTrace {
  /** Other wordings of the question, which were searched with it; empty after a failure. */
  readonly wordings: readonly string[];
  readonly milliseconds: number;
  /** Code of the error that made the search keep to the plain question; `no-model` without a language model. */
  readonly failure: string | null;
  readonly usage: Usage;
}

/** What a search found, why, and how it ran. The texts in it are data, never instructions. */
export interface SearchResult {
  readonly query: string;
  readonly recipe: string;
  /** Within the budgets: k episodes, 2k entities, 2k facts (Mnemis §3.1). */
  readonly episodes: readonly RetrievedEpisode[];
  readonly entities: readonly RetrievedEntity[];
  readonly facts: readonly RetrievedFact[];
  /** The full ranking to the recipe's depth, for evaluation and paging. */
  readonly ranked: {
    readonly episodes: readonly RankedEpisode[];
    readonly entities: readonly RankedId[];
    readonly facts: readonly RankedId[];
  };
  readonly usage: Usage;
  /** One trace per route of the recipe, in recipe order. */
  readonly routes: readonly RouteTrace[];
  /** By kind, if the recipe reranks it and a reranker is configured; else null. */
  readonly reranked: Readonly<Record<RetrievedItem['kind'], RerankTrace | null>>;
  /** If the search asked for it (`rewrite`). */
  readonly rewritten?: RewriteTrace;
  readonly milliseconds: number;
}

/** What `search` returns: the three rankings, and one list of the best items of all kinds. */
export interface RankedSearch extends SearchResult {
  /** The number of the scope's last commit that the search saw, where several processes share the memory. */
  readonly sequence?: number;
  /** By rank: the best turn, the best fact, the best entity, then the second of each; as many as were asked for. */
  readonly items: readonly RetrievedItem[];
}

/** A numbered piece of evidence of an answer. */
export interface Citation {
  readonly number: number;
  readonly item: RetrievedItem;
  /** The words of the item that the answer uses. */
  readonly quote: string;
}

/** An answer based on memory, with the search behind it. */
export interface Answer {
  readonly question: string;
  /** False if memory does not contain enough; then `text` says so and `citations` is empty. */
  readonly answered: boolean;
  /** Cites its evidence as `[1]`, by the numbers in `citations`. */
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly search: SearchResult;
  /** Of the search and the answer together. */
  readonly usage: Usage;
}

import type { CategoryId, EntityId, EpisodeId, FactId, Milliseconds } from './ids.ts';
import type { Attachment, FactKind, Role, TimeInterval } from './nodes.ts';

/** The turn that an item rests on, as a person would point at it. */
export interface SourceTurn {
  readonly episode: EpisodeId;
  readonly session: string;
  readonly index: number;
  /** Its text was removed by a retention rule; what was read from it stays. */
  readonly removed?: true;
}

/** One list that put an item forward: which route, which of its lists, at what rank (from 1) and raw score. */
export interface Vote {
  readonly route: string;
  readonly list: string;
  readonly rank: number;
  readonly score: number;
  /** Names from the top of the hierarchy to the node that it was found by: "Health", "Health Factors", "weight". */
  readonly path?: readonly string[] | undefined;
}

interface RetrievedBase {
  /** Place in the list of its kind, from 1. */
  readonly rank: number;
  /** Fused score; comparable within one list of one search only. */
  readonly score: number;
  /** Why it is here: every vote, the strongest first. */
  readonly why: readonly Vote[];
  readonly sources: readonly SourceTurn[];
}

/** A turn as it was said. One that was found through facts or entities has its own single place. */
export interface RetrievedEpisode extends RetrievedBase {
  readonly kind: 'episode';
  readonly id: EpisodeId;
  readonly content: string;
  readonly speaker: string;
  readonly role: Role;
  readonly session: string;
  readonly index: number;
  /** When it was said. */
  readonly validAt: Milliseconds;
  readonly source: string;
  readonly sourceId: string | null;
  readonly attachments: readonly Attachment[];
}

/** An entity, or a category, which shares the places of entities (Mnemis §2.3). */
export interface RetrievedEntity extends RetrievedBase {
  readonly kind: 'entity';
  readonly id: EntityId | CategoryId;
  /** 0 for an entity; a category's place in the hierarchy, from 1. */
  readonly layer: number;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly tags: readonly string[];
}

/**
 * A statement that memory holds; `sources` are the turns that bear it out. One that has ended is only offered where
 * the recipe or the question asks for it.
 */
export interface RetrievedFact extends RetrievedBase {
  readonly kind: 'fact';
  readonly id: FactId;
  readonly statement: string;
  readonly factKind: FactKind;
  readonly validAt: Milliseconds;
  /** When it ceased to hold; null while it has not. */
  readonly invalidAt: Milliseconds | null;
  /** The time that the statement itself speaks of, if any. */
  readonly event: TimeInterval | null;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** Anything that a search gives. Each kind has a ranking of its own: ranks and scores of two kinds do not compare. */
export type RetrievedItem = RetrievedEpisode | RetrievedEntity | RetrievedFact;

/** A ranked id to the recipe's depth, before any budget; episodes also say which turn they are. */
export interface RankedId {
  readonly id: string;
  readonly score: number;
}
/** A turn in the whole ranking, with the place by which gold evidence of a benchmark names it. */
export interface RankedEpisode extends RankedId {
  readonly session: string;
  readonly index: number;
}

/** Model calls and tokens that an operation cost; all zero in the local tier. */
export interface Usage {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}
/** What the local tier costs, and where sums begin. Frozen. */
export const NO_USAGE: Usage = Object.freeze({ calls: 0, promptTokens: 0, completionTokens: 0 });

/** How a walk down the hierarchy ended. */
export const WALK_ENDS = [
  /** Every list that followed from the picks was read. */
  'complete',
  /** The selector picked nothing of a list. */
  'no-picks',
  /** There are no categories to walk. */
  'no-hierarchy',
  /** The selector needs a language model, and there is none. */
  'no-model',
  /** The selector failed; the walk counts for nothing. */
  'failed',
] as const;
/** Of one walk. `no-hierarchy`, `no-model` and `failed` leave nothing selected. */
export type WalkEnd = (typeof WALK_ENDS)[number];

/** One list of nodes that a selector was shown. */
export interface WalkStep {
  /** Of the highest node in it; 0 for a list of entities. */
  readonly layer: number;
  readonly offered: number;
  /** Names of those that were offered, the first fifty. */
  readonly names: readonly string[];
  /** The first fifty; `all` took everything below it too. */
  readonly picks: readonly { readonly name: string; readonly all: boolean }[];
  readonly picked: number;
  /** What was not usable of a reply, or left out, in words of our own. */
  readonly notes: readonly string[];
}

/** How a question went down the hierarchy (docs/papers.md §1.6). */
export interface WalkTrace {
  readonly selector: string;
  readonly steps: readonly WalkStep[];
  readonly end: WalkEnd;
  /** The layer of the last list that was read. */
  readonly endLayer: number | null;
  /** Why it failed: the error's code. */
  readonly failure: string | null;
  readonly categories: number;
  readonly entities: number;
}

/**
 * How a route ended. Only what was `found` counts in the ranking; the search goes on whatever becomes of one route.
 */
export const ROUTE_ENDS = [
  /** It put something forward. */
  'found',
  /** It ran and has nothing to say. */
  'nothing',
  /** The recipe has it for other questions, or for memories that hold more. */
  'skipped',
  /** It took longer than a route may. */
  'late',
  /** An error ended it. */
  'failed',
] as const;
/** Of one route; for `late` and `failed` the trace has the code of the error. */
export type RouteEnd = (typeof ROUTE_ENDS)[number];

/** What became of one route of a search. */
export interface RouteTrace {
  readonly route: string;
  readonly end: RouteEnd;
  readonly milliseconds: number;
  /** How many of each kind it put forward. */
  readonly found: { readonly episodes: number; readonly entities: number; readonly facts: number };
  /** Code of the error that ended it, or that it went on without. */
  readonly failure: string | null;
  /** Why it ran or was skipped, and what else it has to say, in words of our own. */
  readonly notes: readonly string[];
  /** Its own counts and times, such as `subgraphNodes`. */
  readonly figures: Readonly<Record<string, number>>;
  readonly usage: Usage;
  /** Where it is a walk down the hierarchy. */
  readonly walk?: WalkTrace | undefined;
}

/** How the candidates of one kind were read again, each together with the question. */
export interface RerankTrace {
  readonly model: string;
  readonly candidates: number;
  readonly milliseconds: number;
  /** Code of the error that left the order as it was. */
  readonly failure: string | null;
}

/** What a search found, why, and how it went. The texts in it are data: nothing in them is an instruction. */
export interface SearchResult {
  readonly query: string;
  readonly recipe: string;
  /** Within the budgets: k episodes, 2k entities, 2k facts (Mnemis §3.1). */
  readonly episodes: readonly RetrievedEpisode[];
  readonly entities: readonly RetrievedEntity[];
  readonly facts: readonly RetrievedFact[];
  /** The whole ranking to the recipe's depth, for evaluation and paging. */
  readonly ranked: {
    readonly episodes: readonly RankedEpisode[];
    readonly entities: readonly RankedId[];
    readonly facts: readonly RankedId[];
  };
  readonly usage: Usage;
  /** What became of each route of the recipe, in its order. */
  readonly routes: readonly RouteTrace[];
  /** By kind, where the recipe has candidates reranked and there is a reranker; else null. */
  readonly reranked: Readonly<Record<RetrievedItem['kind'], RerankTrace | null>>;
  readonly milliseconds: number;
}

/** A numbered piece of evidence of an answer. */
export interface Citation {
  readonly number: number;
  readonly item: RetrievedItem;
  /** The words that the answer took from it. */
  readonly quote: string;
}

/** An answer from what memory holds, with the search behind it. */
export interface Answer {
  readonly question: string;
  /** False when memory does not hold enough; `text` then says so and `citations` is empty. */
  readonly answered: boolean;
  /** Cites its evidence as `[1]`, by the numbers of `citations`. */
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly search: SearchResult;
  /** Of the search and the answer together. */
  readonly usage: Usage;
}

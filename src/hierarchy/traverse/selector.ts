import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';

/** A node of the hierarchy as offered to a selector. */
export interface OfferedNode {
  readonly id: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly name: string;
  readonly tags: readonly string[];
  /** Number of child nodes; 0 for an entity. */
  readonly childCount: number;
  /** Set if two short layers are shown at once; children may be picked too. */
  readonly children?: readonly OfferedNode[] | undefined;
}

export interface SelectRequest {
  readonly question: string;
  /** Layer of the highest node of the list. */
  readonly layer: number;
  readonly nodes: readonly OfferedNode[];
}

export interface Pick {
  readonly id: string;
  /** Select everything below it, too (getAllChildren). */
  readonly all: boolean;
  /** From 0 to 1; comparable within one walk. */
  readonly score: number;
}

export interface Selection {
  /** Best first; each offered node at most once. */
  readonly picks: readonly Pick[];
  /** What was wrong with a reply, in our own words. */
  readonly notes: readonly string[];
  readonly usage: ModelUsage;
}

/** Picks the nodes of a list that may help with a question (Mnemis §2.3). Implementations pass `test/contract/selector.ts`. */
export interface Selector {
  /** Shown in the trace of a search. */
  readonly name: string;
  /** Deterministic for equal requests and replies. @throws what `LanguageModel.structured` throws. */
  select(request: SelectRequest, calls?: ModelCallOptions): Promise<Selection>;
  /** Called with the picks that a walk took from a list, before the next list. */
  follow?(picks: readonly Pick[]): void;
}

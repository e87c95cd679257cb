import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';

/** A node of the hierarchy as a selector is shown it. */
export interface OfferedNode {
  readonly id: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly name: string;
  readonly tags: readonly string[];
  /** Nodes under it: none for an entity. */
  readonly childCount: number;
  /** Given where two thin layers are shown at once; they may be picked too. */
  readonly children?: readonly OfferedNode[] | undefined;
}

export interface SelectRequest {
  readonly question: string;
  /** Of the highest node of the list. */
  readonly layer: number;
  readonly nodes: readonly OfferedNode[];
}

export interface Pick {
  readonly id: string;
  /** Everything below it is wanted, too (getAllChildren). */
  readonly all: boolean;
  /** From 0 to 1; comparable within one walk. */
  readonly score: number;
}

export interface Selection {
  /** The best first; each of the offered nodes at most once. */
  readonly picks: readonly Pick[];
  /** What of a reply was not usable, in words of our own. */
  readonly notes: readonly string[];
  readonly usage: ModelUsage;
}

/** Picks the nodes of a list that may help with a question (Mnemis §2.3). Implementations pass `test/contract/selector.ts`. */
export interface Selector {
  /** Shown in the trace of a search. */
  readonly name: string;
  /** Deterministic for equal requests and replies. @throws what `LanguageModel.structured` throws. */
  select(request: SelectRequest, calls?: ModelCallOptions): Promise<Selection>;
}

import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { EntityId } from '../../model/ids.ts';
import type { NamedEntity, Verdict } from '../../prompts/resolve-entities.ts';

/** An entity that memory has under such a name: an exact, alias, full-text or vector match. */
export interface RememberedEntity extends NamedEntity {
  readonly id: EntityId;
  /** Name keys of the entities that stand beside it in turns, speakers left out; a bounded sample. */
  readonly company: ReadonlySet<string>;
  /** Whether the session of the new entity has mentioned it before. */
  readonly inSession: boolean;
}

export interface EntityToResolve extends NamedEntity {
  readonly company: ReadonlySet<string>;
  /** The best first; each once. */
  readonly candidates: readonly RememberedEntity[];
}

export interface CandidateJudgement {
  readonly id: EntityId;
  readonly verdict: Verdict;
  /** From 0 to 1; 0 where nothing was said. */
  readonly confidence: number;
  /** What both share, or where they conflict. */
  readonly reason: string;
}

export interface Resolution {
  /** The entity of memory that this is; null for a new one. */
  readonly match: EntityId | null;
  /** In the order of the candidates. An uncertain one is not merged, and is recorded as such. */
  readonly judgements: readonly CandidateJudgement[];
}

/** Decides which entities of new turns memory knows already (Mnemis §2.1). In doubt, nothing is merged. */
export interface ResolutionJudge {
  /**
   * @returns One per entity, in order.
   * @throws CancelledError when the signal fires, and what `LanguageModel.structured` throws; nothing is merged then.
   */
  judge(entities: readonly EntityToResolve[], options?: ModelCallOptions): Promise<readonly Resolution[]>;
}

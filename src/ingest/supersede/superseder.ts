import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { EntityId, FactId, Milliseconds } from '../../model/ids.ts';
import type { TimeInterval } from '../../model/nodes.ts';

/** A fact of memory or of the batch, as those see it who judge what is outdated. */
export interface JudgedFact {
  readonly id: FactId;
  readonly statement: string;
  readonly validAt: Milliseconds;
  readonly invalidAt: Milliseconds | null;
  readonly event: TimeInterval | null;
  readonly confidence: number;
  /** When it was first said: the greater, the later. */
  readonly order: number;
  /** Names and aliases of each entity that the fact is about. */
  readonly names: ReadonlyMap<EntityId, readonly string[]>;
  /** What stands in the turns that a new fact rests on; empty for one of memory. */
  readonly said: string;
}

export interface FactWithCandidates {
  readonly fact: JudgedFact;
  /** Facts that share an entity with it, the likeliest first; none of them has expired. */
  readonly candidates: readonly JudgedFact[];
}

export const SUPERSESSION_KINDS = ['replaces', 'corrects'] as const;
/** `replaces`: the old one held until the new one began; `corrects`: it never held. */
export type SupersessionKind = (typeof SUPERSESSION_KINDS)[number];

export interface Supersession {
  readonly old: FactId;
  readonly by: FactId;
  readonly kind: SupersessionKind;
  /** When the old one ceased to hold; of a corrected one, its own beginning. */
  readonly at: Milliseconds;
}

/**
 * Tells which facts new ones make outdated (PersonalAI, "Graph Construction"). In doubt none: an addition, a
 * repetition and what has nothing to do with the fact leave it as it is. Of two facts the one that began later is the
 * one that replaces, whichever memory heard of first.
 */
export interface Superseder {
  /** Whether candidates are to be looked for at all. */
  concerns(fact: JudgedFact): boolean;

  supersede(facts: readonly FactWithCandidates[], calls?: ModelCallOptions): Promise<readonly Supersession[]>;
}

/** Which of two facts began later; of two that began together, which was said later. Null when that is not known. */
export function laterOf(a: JudgedFact, b: JudgedFact): JudgedFact | null {
  const later = a.validAt - b.validAt || a.order - b.order;
  return later === 0 ? null : later > 0 ? a : b;
}

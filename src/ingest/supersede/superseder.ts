import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { EntityId, FactId, Milliseconds } from '../../model/ids.ts';
import type { TimeInterval } from '../../model/nodes.ts';

/** A stored or new fact, with the data that a superseder needs. */
export interface JudgedFact {
  readonly id: FactId;
  readonly statement: string;
  readonly validAt: Milliseconds;
  readonly invalidAt: Milliseconds | null;
  readonly event: TimeInterval | null;
  readonly confidence: number;
  /** When it was first stated; greater is later. */
  readonly order: number;
  /** Names and aliases of each of its entities. */
  readonly names: ReadonlyMap<EntityId, readonly string[]>;
  /** Text of the turns that support a new fact; empty for a stored one. */
  readonly said: string;
}

export interface FactWithCandidates {
  readonly fact: JudgedFact;
  /** Facts that share an entity with it, most likely first; none of them has expired. */
  readonly candidates: readonly JudgedFact[];
}

export const SUPERSESSION_KINDS = ['replaces', 'corrects'] as const;
/** `replaces`: the old fact held until the new one began; `corrects`: it never held. */
export type SupersessionKind = (typeof SUPERSESSION_KINDS)[number];

export interface Supersession {
  readonly old: FactId;
  readonly by: FactId;
  readonly kind: SupersessionKind;
  /** When the old fact ceased to hold; for a corrected one, its own beginning. */
  readonly at: Milliseconds;
}

/**
 * Decides which facts new ones make outdated (PersonalAI, "Graph Construction"). In doubt none: an addition, a
 * repetition and an unrelated fact change nothing. Of two facts, the one that began later replaces the other,
 * regardless of the order in which they were stored.
 */
export interface Superseder {
  /** Whether candidates have to be searched for this fact. */
  concerns(fact: JudgedFact): boolean;

  /** Whether another fact may end or correct it. Of two facts of which none is open, none ends the other. Default: yes. */
  isOpen?(fact: JudgedFact): boolean;

  supersede(facts: readonly FactWithCandidates[], calls?: ModelCallOptions): Promise<readonly Supersession[]>;
}

/** The fact that began later; if both began together, the one that was stated later. Null if unknown. */
export function laterOf(a: JudgedFact, b: JudgedFact): JudgedFact | null {
  const later = a.validAt - b.validAt || a.order - b.order;
  return later === 0 ? null : later > 0 ? a : b;
}

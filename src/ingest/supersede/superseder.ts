import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { EntityId, FactId, Milliseconds } from '../../model/ids.ts';
import type { TimeInterval } from '../../model/nodes.ts';

/** Where a turn stands among all turns. */
export interface TurnPlace {
  readonly session: string;
  /** Position in the session. */
  readonly index: number;
  readonly at: Milliseconds;
  /** How far the clock of the speaker was ahead of UTC: the days of an event are those of the speaker. */
  readonly offset: Milliseconds;
}

/**
 * Negative if `a` was said before `b`. Within a session its order decides, even if a clock was set back; between
 * sessions the time.
 */
export function compareTurns(a: TurnPlace, b: TurnPlace): number {
  const [time, index] = [a.at - b.at, a.index - b.index];
  return a.session === b.session ? index || time : time || index;
}

/** A stored or new fact, with the data that a superseder needs. */
export interface JudgedFact {
  readonly id: FactId;
  readonly statement: string;
  readonly validAt: Milliseconds;
  readonly invalidAt: Milliseconds | null;
  readonly event: TimeInterval | null;
  readonly confidence: number;
  /** The turn that first stated it. */
  readonly told: TurnPlace;
  /** The turns that stated it again, in their order. */
  readonly retold: readonly TurnPlace[];
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
 * repetition and an unrelated fact change nothing. Of two facts, the later one replaces the other (`laterOf`),
 * regardless of the order in which they were stored.
 */
export interface Superseder {
  /** Whether candidates have to be searched for this fact. */
  concerns(fact: JudgedFact): boolean;

  /** Whether another fact may end or correct it. If neither of two facts is open, neither ends the other. Default: yes. */
  isOpen?(fact: JudgedFact): boolean;

  supersede(facts: readonly FactWithCandidates[], calls?: ModelCallOptions): Promise<readonly Supersession[]>;
}

/**
 * The later of two facts: the one that was told later, unless its time was over before the other one began ("In 2019 I
 * lived in Rome", told after "I live in Lyon"). Of two facts told at once, the one that began later. Null if unknown.
 */
export function laterOf(a: JudgedFact, b: JudgedFact): JudgedFact | null {
  const told = compareTurns(a.told, b.told);
  if (told === 0) return a.validAt === b.validAt ? null : a.validAt > b.validAt ? a : b;
  const [newer, older] = told > 0 ? [a, b] : [b, a];
  return isPastEvent(newer) && latestBegin(newer) <= heldAt(asStated(older), newer) ? older : newer;
}

/** A fact that replaced another may begin after the start of its time; what was told does not depend on that. */
function asStated(fact: JudgedFact): JudgedFact {
  const { validAt, event } = fact;
  return event !== null && isPastEvent(fact) ? { ...fact, validAt: Math.min(validAt, event.start) } : fact;
}

const A_DAY: Milliseconds = 86_400_000;

/**
 * When a fact that replaces another began. Of a vague time ("in March") only the part counts that follows the other
 * fact, which held on the day on which it was told. It depends on the two alone, so that it is the same in whatever
 * order facts are read.
 */
export function beginAfter(before: JudgedFact, after: JudgedFact): Milliseconds {
  const [old, by] = [asStated(before), asStated(after)];
  const held = heldAt(old, by);
  if (by.validAt > held || !isPastEvent(by)) return by.validAt;
  return Math.max(by.validAt, Math.min(held + A_DAY, latestBegin(by), by.told.at - 1));
}

/**
 * When the older fact held for certain: at its beginning; what goes on also at the last time that it was told before
 * the newer one.
 */
function heldAt(old: JudgedFact, { told }: JudgedFact): Milliseconds {
  const again = old.retold.findLast((turn) => compareTurns(turn, told) < 0);
  if (old.event === null) return Math.max(old.validAt, again?.at ?? old.validAt);
  return GOES_ON.test(old.event.text) ? (again ?? old.told).at : old.validAt;
}

/** Whether it names an earlier time than that at which it was told. */
function isPastEvent({ validAt, told }: JudgedFact): boolean {
  return validAt < told.at;
}

/** What has gone on until it was told: "since 2016", "for three years". */
const GOES_ON = /^(?:ever )?(?:since|for)\b/i;

/** The latest time when it can have begun. */
function latestBegin({ validAt, told, event }: JudgedFact): Milliseconds {
  if (event === null || event.end <= validAt) return validAt + 1;
  return GOES_ON.test(event.text) ? told.at : Math.min(event.end - told.offset, told.at);
}

import type { Milliseconds } from '../../model/ids.ts';
import type { TimeInterval } from '../../model/nodes.ts';
import { mayLieIn } from './places.ts';
import { THE } from './predicate.ts';
import { isOneOfSeveral } from './read-attribute.ts';

export const FAMILIES = [
  'home',
  'job',
  'partner',
  'age',
  'attitude',
  'state',
  'habit',
  'possession',
  'attribute',
  'plan',
] as const;
export type Family = (typeof FAMILIES)[number];

/**
 * `holds`: it is true now ("lives in Oslo") or planned ("plans to visit Rome"). `begins`: it became true ("moved to
 * Oslo"). `denies`: it is not true now, but may become true again ("does not eat meat any more"). `ends`: an event
 * ended it and remains true ("sold the car", "visited Rome").
 */
export type Phase = 'holds' | 'begins' | 'denies' | 'ends';

/** What a statement claims about one holder in a family of relations. */
export interface ClaimPart {
  readonly family: Family;
  /** Claims are compared within one slot: a preference; empty for other families. */
  readonly slot: string;
  /** Stems of the value's words: the town, the car. May be empty for `ends`: "lost the job". */
  readonly value: ReadonlySet<string>;
  readonly phase: Phase;
  /** Whether there is only one value at a time, so that another value ends it. */
  readonly isOnly: boolean;
  /** Kind of the value: only values of one kind can conflict ("at" an employer, "as" a nurse). */
  readonly kind: string;
  /** The name of a place as it was said; empty for other values. */
  readonly name: string;
  /** Stem of the verb of a plan or habit; empty if irrelevant. */
  readonly verb: string;
  /** Whether it states a change: "now", "new", "moved". */
  readonly isChange: boolean;
}

export interface Claim extends ClaimPart {
  /** The holder of the claim: the id of an entity, or words such as "ann's sister". */
  readonly holder: string;
  /** Key of the holder's name, which two people may share. */
  readonly holderName: string;
  readonly event: TimeInterval | null;
  /** Whether it is about several values: if one of them ends, the statement remains true of the others. */
  readonly isSeveral: boolean;
}

const DAY = 86_400_000;
/** A plan without a date can be fulfilled within this time. */
const LONGEST_PLAN = 180 * DAY;
/** Maximum distance between the date of an event and the date of its plan. */
const PLAN_SLACK = 7 * DAY;

export interface DatedClaim extends Claim {
  readonly validAt: Milliseconds;
  readonly toldAt: Milliseconds;
}

/** Whether the later claim ends the earlier one. */
export function isEnded(earlier: DatedClaim, later: DatedClaim): boolean {
  if (earlier.family !== later.family || !isOfOne(earlier, later)) return false;
  if (earlier.slot !== later.slot) return false;
  const wasSo = isPositive(earlier);
  if (earlier.phase === 'ends') return false;
  if (!isPositive(later)) return wasSo && covers(later, earlier);
  if (!wasSo) return resumes(later, earlier);
  return earlier.family === 'plan' ? isMoved(later, earlier) : isOther(later, earlier);
}

/** "The deadline is now Friday" is about the deadline of whom it was said before. */
function isOfOne(earlier: DatedClaim, later: DatedClaim): boolean {
  if (earlier.holder === later.holder) return true;
  return later.isChange && later.slot !== '' && (earlier.holder === THE || later.holder === THE);
}

/** Whether two claims contradict each other. */
export function isAtOdds(a: DatedClaim, b: DatedClaim): boolean {
  return isEnded(a, { ...b, isChange: true }) || isEnded(b, { ...a, isChange: true });
}

export function isPositive({ phase }: Pick<Claim, 'phase'>): boolean {
  return phase === 'holds' || phase === 'begins';
}

type Covers = (end: DatedClaim, held: DatedClaim) => boolean;

/** An end without a value ("lost the job") covers any value. */
const anyOf: Covers = (end, held) => end.value.size === 0 || meet(end.value, held.value);
const same: Covers = (end, held) => equal(end.value, held.value);

/** Per family, whether an end is about the held value. */
const COVERS: Readonly<Record<Family, Covers>> = {
  home: (end, held) => meet(end.value, held.value),
  job: anyOf,
  partner: anyOf,
  age: () => false,
  attitude: same,
  attribute: same,
  state: same,
  possession: (end, held) => isWithin(end.value, held.value),
  habit: (end, held) =>
    isWithin(end.value, new Set([...held.value, held.verb])) &&
    (end.verb === '' || held.verb === '' || end.verb === held.verb || end.value.has(end.verb)),
  plan: isFulfilled,
};

const PARTIAL: ReadonlySet<Family> = new Set(['job', 'possession', 'habit']);

function covers(end: DatedClaim, held: DatedClaim): boolean {
  if (held.isSeveral && end.value.size > 0 && PARTIAL.has(held.family)) return false;
  return COVERS[held.family](end, held);
}

/** Whether the plan was carried out, cancelled or given up. */
function isFulfilled(end: DatedClaim, held: DatedClaim): boolean {
  if (end.kind === 'off') return isWithin(end.value, held.value) || isWithin(held.value, end.value);
  if (end.verb !== held.verb) return false;
  if (end.phase === 'denies') return isWithin(held.value, end.value) || isWithin(end.value, held.value);
  if (isWithin(held.value, end.value)) return isInTime(end, held, PLAN_SLACK);
  // "Went to an LGBTQ conference" in the month of the planned "transgender conference".
  const head = [...held.value].at(-1)!;
  return held.event !== null && end.event !== null && end.value.has(head) && isInTime(end, held, 0);
}

function isInTime(done: DatedClaim, planned: DatedClaim, slack: Milliseconds): boolean {
  if (planned.event === null) return done.validAt - planned.validAt <= LONGEST_PLAN;
  const { start, end } = planned.event;
  return done.validAt >= start - slack && done.validAt < end + slack;
}

/** Whether the later claim restores what the earlier one denies. */
function resumes(later: DatedClaim, denied: DatedClaim): boolean {
  if (denied.value.size === 0) return true;
  return covers(denied, later);
}

/** Whether it is the same plan for another time. */
function isMoved(later: DatedClaim, earlier: DatedClaim): boolean {
  const [a, b] = [earlier.event, later.event];
  if (a === null || b === null || later.verb !== earlier.verb || !equal(later.value, earlier.value))
    return false;
  return a.end <= b.start || b.end <= a.start;
}

/** Whether there is only one value at a time and this is another one. */
function isOther(later: DatedClaim, earlier: DatedClaim): boolean {
  if (!later.isOnly || !earlier.isOnly) return false;
  if (later.family === 'partner') return isOtherPartner(later, earlier);
  if (later.family === 'age') return isOlder(later, earlier);
  if (later.family === 'home') return isOtherHome(later, earlier);
  if (later.family === 'attribute') return isOtherValue(later, earlier);
  const isWhole = later.family === 'job' && later.phase === 'begins';
  if (later.kind !== earlier.kind && !isWhole) return false;
  if (!later.isChange && isSameDay(later, earlier)) return false;
  const isKnown = later.value.size > 0 && earlier.value.size > 0;
  return (isKnown || isWhole) && !meet(later.value, earlier.value);
}

/** "Lives in" tells no move: a place of unknown size may contain the other or be part of it. */
function isOtherHome(later: DatedClaim, earlier: DatedClaim): boolean {
  if (meet(later.value, earlier.value)) return false;
  if (mayLieIn(later.name, earlier.name) || mayLieIn(earlier.name, later.name)) return false;
  if (later.isChange) return true;
  return later.kind === earlier.kind && !isSameDay(later, earlier);
}

/** Two statements of one day may both be true. */
function isSameDay(later: DatedClaim, earlier: DatedClaim): boolean {
  return later.validAt - earlier.validAt < DAY && later.toldAt - earlier.toldAt < DAY;
}

/** Of two sons one is older: only who is named can be known to have had a birthday. */
function isOlder(later: DatedClaim, earlier: DatedClaim): boolean {
  const years = Number([...later.value][0]) - Number([...earlier.value][0]);
  const isOne = !isOneOfSeveral(later.holderName);
  return years > 0 && (isOne || years <= 1 + (later.validAt - earlier.validAt) / (365 * DAY));
}

/** A value with more words is the same one in detail; a description is given up only where it is said to have changed. */
function isOtherValue(later: DatedClaim, earlier: DatedClaim): boolean {
  if (later.kind !== earlier.kind || (later.kind.startsWith('description') && !later.isChange)) return false;
  return !isWithin(later.value, earlier.value) && !isWithin(earlier.value, later.value);
}

const STAGES = ['dating', 'engaged', 'married'];

/** Another partner, or the next stage with the same one. */
function isOtherPartner(later: DatedClaim, earlier: DatedClaim): boolean {
  const isKnown = later.value.size > 0 && earlier.value.size > 0;
  if (isKnown && !meet(later.value, earlier.value)) return true;
  return STAGES.indexOf(later.kind) > STAGES.indexOf(earlier.kind);
}

function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].some((word) => b.has(word));
}

function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((word) => whole.has(word));
}

function equal(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && isWithin(a, b);
}

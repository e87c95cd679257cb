import type { Milliseconds } from '../../model/ids.ts';
import type { TimeInterval } from '../../model/nodes.ts';

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
 * `holds`: it is so ("lives in Oslo"), or will be ("plans to visit Rome"). `begins`: it has become so ("moved to Oslo").
 * `denies`: it is not so, and may be so again ("does not eat meat any more"). `ends`: something made an end to it, and
 * stays true ("sold the car", "visited Rome").
 */
export type Phase = 'holds' | 'begins' | 'denies' | 'ends';

/** What a statement says of one holder in a family of relations. */
export interface ClaimPart {
  readonly family: Family;
  /** Claims are compared within one slot: a preference; empty for all others. */
  readonly slot: string;
  /** Stems of the words that say what it is: the town, the car. May be empty for `ends`: "lost the job". */
  readonly value: ReadonlySet<string>;
  readonly phase: Phase;
  /** Whether there can be but one at a time, so that another value ends it. */
  readonly isOnly: boolean;
  /** What kind of value it is: only values of one kind can be at odds ("at" an employer, "as" a nurse). */
  readonly kind: string;
  /** Stem of the verb of a plan or habit; empty where it does not matter. */
  readonly verb: string;
  /** Whether it says that it is otherwise than before: "now", "new", "moved". */
  readonly isChange: boolean;
}

export interface Claim extends ClaimPart {
  /** Who it is said of: the id of an entity, or words such as "ann's sister". */
  readonly holder: string;
  /** Key of the holder's name: two people may share one. */
  readonly holderName: string;
  readonly event: TimeInterval | null;
  /** Whether it is said of more than one thing: an end of one of them leaves the statement true of the other. */
  readonly isSeveral: boolean;
}

const DAY = 86_400_000;
/** A plan without a date is fulfilled within so long. */
const LONGEST_PLAN = 180 * DAY;
/** How far what was done may lie from when it was planned for. */
const PLAN_SLACK = 7 * DAY;

export interface DatedClaim extends Claim {
  readonly validAt: Milliseconds;
}

/** Whether the later claim puts an end to the earlier one. */
export function isEnded(earlier: DatedClaim, later: DatedClaim): boolean {
  if (earlier.holder !== later.holder || earlier.family !== later.family) return false;
  if (earlier.slot !== later.slot) return false;
  const wasSo = isPositive(earlier);
  if (earlier.phase === 'ends') return false;
  if (!isPositive(later)) return wasSo && covers(later, earlier);
  if (!wasSo) return resumes(later, earlier);
  return earlier.family === 'plan' ? isMoved(later, earlier) : isOther(later, earlier);
}

/** Whether two claims can not both be so. */
export function isAtOdds(a: DatedClaim, b: DatedClaim): boolean {
  return isEnded(a, { ...b, isChange: true }) || isEnded(b, { ...a, isChange: true });
}

export function isPositive({ phase }: Pick<Claim, 'phase'>): boolean {
  return phase === 'holds' || phase === 'begins';
}

type Covers = (end: DatedClaim, held: DatedClaim) => boolean;

/** An end without a value ("lost the job") is one of whatever there was. */
const anyOf: Covers = (end, held) => end.value.size === 0 || meet(end.value, held.value);
const same: Covers = (end, held) => equal(end.value, held.value);

/** Whether an end speaks of what is held. */
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

/** Done, called off, or not planned any more. */
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

/** What was denied is so again. */
function resumes(later: DatedClaim, denied: DatedClaim): boolean {
  if (denied.value.size === 0) return true;
  return covers(denied, later);
}

/** The same plan for another time. */
function isMoved(later: DatedClaim, earlier: DatedClaim): boolean {
  const [a, b] = [earlier.event, later.event];
  if (a === null || b === null || later.verb !== earlier.verb || !equal(later.value, earlier.value))
    return false;
  return a.end <= b.start || b.end <= a.start;
}

/** There can be but one, and this is another. */
function isOther(later: DatedClaim, earlier: DatedClaim): boolean {
  if (!later.isOnly || !earlier.isOnly) return false;
  if (later.family === 'partner') return isOtherPartner(later, earlier);
  if (later.family === 'age') return Number([...later.value][0]) > Number([...earlier.value][0]);
  if (later.family === 'home') return isOtherHome(later, earlier);
  const isWhole = later.family === 'job' && later.phase === 'begins';
  if (later.kind !== earlier.kind && !isWhole) return false;
  if (!later.isChange && later.validAt - earlier.validAt < DAY) return false;
  const isKnown = later.value.size > 0 && earlier.value.size > 0;
  return (isKnown || isWhole) && !meet(later.value, earlier.value);
}

/** A place of unknown size may lie in the other. */
function isOtherHome(later: DatedClaim, earlier: DatedClaim): boolean {
  if (meet(later.value, earlier.value)) return false;
  if (later.isChange) return (later.kind === 'region') === (earlier.kind === 'region');
  return later.kind === earlier.kind && later.validAt - earlier.validAt >= DAY;
}

const STAGES = ['dating', 'engaged', 'married'];

/** Somebody else, or the next stage with the same one. */
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

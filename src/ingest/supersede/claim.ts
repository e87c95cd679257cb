import type { TimeInterval } from '../../model/time-interval.ts';

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
  /** Claims are compared within one slot: "favourite colour"; empty where the family has but one. */
  readonly slot: string;
  /** Stems of the words that say what it is: the town, the car. May be empty for `ends`: "lost the job". */
  readonly value: ReadonlySet<string>;
  readonly phase: Phase;
  /** Whether there can be but one at a time, so that another value ends it. */
  readonly isOnly: boolean;
  /** What kind of value it is: only values of one kind can be at odds ("at" an employer, "as" a nurse). */
  readonly kind: string;
  /** Stems of what a move starts from, where that is no place by itself; null where nothing is said of it. */
  readonly from: ReadonlySet<string> | null;
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

/** The verb phrase of a statement and what follows, without hedges and adverbs. */
export interface Predicate {
  /** Dates in parentheses, and all behind the first pause, left out. */
  readonly text: string;
  /** The whole statement. */
  readonly statement: string;
  /** Whose it may be called: "sold Hugo's Volvo". */
  readonly holderNames: readonly string[];
  /** Whether it speaks of a time still to come. */
  readonly isAhead: boolean;
}

export interface FamilyRules {
  /** Words that other claims of the family are found by. */
  readonly cues: string;
  read(predicate: Predicate): ClaimPart[];
}

export function part(given: Pick<ClaimPart, 'family' | 'phase'> & Partial<ClaimPart>): ClaimPart {
  return {
    slot: '',
    value: new Set(),
    isOnly: false,
    kind: '',
    verb: '',
    from: null,
    isChange: false,
    ...given,
  };
}

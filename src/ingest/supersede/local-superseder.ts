import { Breather } from '../../util/breathe.ts';
import { cached } from '../../util/collections.ts';
import { type Claim, type DatedClaim, type Family, isAtOdds, isEnded, isPositive } from './compare-claims.ts';
import { rejectedIn } from './predicate.ts';
import { ClaimReading } from './read-claims.ts';
import {
  compareTurns,
  type FactWithCandidates,
  type JudgedFact,
  laterOf,
  type Superseder,
  type Supersession,
} from './superseder.ts';

/** States that an earlier statement was never true. */
const ANNOUNCED =
  /\b(?:I (?:was|am|got (?:that|it|this|them)) (?:all )?wrong|I (?:misspoke|meant|stand corrected)|I made a mistake|my mistake|I (?:mixed|messed) (?:that|it|this|them|those) up|(?:that|it) was (?:wrong|a mistake|not right)|correction:|I said [^.!?]{1,60}\bbut\b|never (?:lived|worked|was|had|did)\b)/i;
/** States that something was true and has changed. */
const CHANGED =
  /\b(?:any ?more|no longer|now|these days|moved|changed|switched|used to|quit|sold|stopped)\b/i;

const AROUND = 80;

/** The part of a text that retracts an earlier statement; empty if there is none. */
export function wordsOfCorrection(said: string): string {
  const found = ANNOUNCED.exec(said);
  if (found === null) return '';
  return said.slice(Math.max(0, found.index - AROUND), found.index + found[0].length + AROUND).toWellFormed();
}

/** How a fact retracts an earlier statement. */
interface Correction {
  /** Whether a turn that supports it states an error. */
  readonly isAnnounced: boolean;
  /** Stems of the value that it explicitly denies. */
  readonly rejected: ReadonlySet<string>;
}

/** Null for a fact that retracts nothing. */
function correctionIn(fact: JudgedFact): Correction | null {
  if (CHANGED.test(fact.statement)) return null;
  const [isAnnounced, rejected] = [ANNOUNCED.test(fact.said), rejectedIn(fact)];
  return isAnnounced || rejected.size > 0 ? { isAnnounced, rejected } : null;
}

/**
 * Whether a claim of a retracting fact contradicts an earlier one. Equal names suffice if resolution has not decided
 * whether two holders are one.
 */
function retracts({ isAnnounced, rejected }: Correction, old: DatedClaim, claim: DatedClaim): boolean {
  if (!isSameMatter(old, claim)) return false;
  return isWithin(rejected, old.value) || (isAnnounced && isAtOdds({ ...old, holder: claim.holder }, claim));
}

function isSameMatter(old: Claim, claim: Claim): boolean {
  return (
    (old.holder === claim.holder || old.holderName === claim.holderName) &&
    old.family === claim.family &&
    old.slot === claim.slot &&
    old.verb === claim.verb &&
    old.phase !== 'ends' &&
    isPositive(old) &&
    claim.phase !== 'ends'
  );
}

function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return part.size > 0 && [...part].every((word) => whole.has(word));
}

/** Decides by rules on families of relations. English. */
export class LocalSuperseder implements Superseder {
  /** Cached, because a fact is judged as a new one and as a candidate of others. */
  readonly #readings = new WeakMap<JudgedFact, Reading>();

  concerns(fact: JudgedFact): boolean {
    return this.#read(fact).claims.all().length > 0;
  }

  isOpen(fact: JudgedFact): boolean {
    return this.#read(fact)
      .claims.all()
      .some(({ phase }) => phase !== 'ends');
  }

  async supersede(facts: readonly FactWithCandidates[]): Promise<readonly Supersession[]> {
    const found: Supersession[] = [];
    const breather = new Breather();
    for (const { fact, candidates } of facts) {
      const asked = this.#read(fact);
      const families = [...new Set(asked.claims.all().map(({ family }) => family))];
      for (const each of candidates) {
        const supersession = decide(asked, this.#read(each), families);
        if (supersession !== null) found.push(supersession);
      }
      if (breather.isDue) await breather.breathe();
    }
    return found;
  }

  #read(fact: JudgedFact): Reading {
    return cached(this.#readings, fact, () => new Reading(fact));
  }
}

/** What a fact states, read on demand. */
class Reading {
  readonly fact: JudgedFact;
  readonly claims: ClaimReading;
  readonly #dated = new Map<Family, readonly DatedClaim[]>();
  readonly #open = new Map<Family, boolean>();
  #correction: Correction | null | undefined;

  constructor(fact: JudgedFact) {
    this.fact = fact;
    this.claims = ClaimReading.of(fact);
  }

  get correction(): Correction | null {
    this.#correction = this.#correction === undefined ? correctionIn(this.fact) : this.#correction;
    return this.#correction;
  }

  /** Whether a claim of the family may still be ended or retracted: an event that has happened may not. */
  isOpen(family: Family): boolean {
    return cached(this.#open, family, () => this.claims.claims(family).some(({ phase }) => phase !== 'ends'));
  }

  dated(family: Family): readonly DatedClaim[] {
    return cached(this.#dated, family, () => {
      const { validAt, told } = this.fact;
      return this.claims.claims(family).map((claim) => ({ ...claim, validAt, toldAt: told.at }));
    });
  }
}

/** @param families Families that may hold claims of both facts: only claims of one family are compared. */
function decide(asked: Reading, candidate: Reading, families: readonly Family[]): Supersession | null {
  if (!families.some((family) => asked.isOpen(family) || candidate.isOpen(family))) return null;
  const isOlder = compareTurns(asked.fact.told, candidate.fact.told) < 0;
  const [said, before] = isOlder ? [candidate, asked] : [asked, candidate];
  if (isTakenBack(before, said, families))
    return { old: before.fact.id, by: said.fact.id, kind: 'corrects', at: before.fact.validAt };
  const later = laterOf(asked.fact, candidate.fact);
  if (later === null) return null;
  const [old, by] = later === asked.fact ? [candidate, asked] : [asked, candidate];
  if (!areAny(old, by, { families, are: isEnded })) return null;
  return { old: old.fact.id, by: by.fact.id, kind: 'replaces', at: later.validAt };
}

function isTakenBack(before: Reading, said: Reading, families: readonly Family[]): boolean {
  const { fact, correction } = said;
  if (correction === null || compareTurns(fact.told, before.fact.told) === 0) return false;
  return areAny(before, said, { families, are: (old, claim) => retracts(correction, old, claim) });
}

function areAny(
  old: Reading,
  by: Reading,
  { families, are }: { families: readonly Family[]; are: (old: DatedClaim, by: DatedClaim) => boolean },
): boolean {
  return families.some((family) => {
    const later = by.dated(family);
    return later.length > 0 && old.dated(family).some((held) => later.some((claim) => are(held, claim)));
  });
}

import type { Claim } from './claim.ts';
import { type DatedClaim, isAtOdds, isPositive } from './compare-claims.ts';
import { rejectedIn } from './predicate.ts';
import type { JudgedFact } from './superseder.ts';

/** Says that what was said before was never so. */
const ANNOUNCED =
  /\b(?:I (?:was|am|got (?:that|it|this|them)) (?:all )?wrong|I (?:misspoke|meant|stand corrected)|I made a mistake|my mistake|I (?:mixed|messed) (?:that|it|this|them|those) up|(?:that|it) was (?:wrong|a mistake|not right)|correction:|I said [^.!?]{1,60}\bbut\b|never (?:lived|worked|was|had|did)\b)/i;
/** Says that it was so, and has changed. */
const CHANGED =
  /\b(?:any ?more|no longer|now|these days|moved|changed|switched|used to|quit|sold|stopped)\b/i;

const AROUND = 80;

/** The part of what was said that takes something back; empty where nothing does. */
export function wordsOfCorrection(said: string): string {
  const found = ANNOUNCED.exec(said);
  if (found === null) return '';
  return said.slice(Math.max(0, found.index - AROUND), found.index + found[0].length + AROUND).toWellFormed();
}

/** How a fact takes back what was said before. */
export interface Correction {
  /** Whether a turn of it says that something was wrong. */
  readonly isAnnounced: boolean;
  /** Stems of what its own words say is not so. */
  readonly rejected: ReadonlySet<string>;
}

/** Null for a fact that takes nothing back. */
export function correctionIn(fact: JudgedFact): Correction | null {
  if (CHANGED.test(fact.statement)) return null;
  const [isAnnounced, rejected] = [ANNOUNCED.test(fact.said), rejectedIn(fact)];
  return isAnnounced || rejected.size > 0 ? { isAnnounced, rejected } : null;
}

/**
 * Whether a claim of a fact that takes something back is at odds with an earlier one. An equal name is enough, where
 * resolution has left open whether two are one.
 */
export function takesBack(
  { isAnnounced, rejected }: Correction,
  old: DatedClaim,
  claim: DatedClaim,
): boolean {
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

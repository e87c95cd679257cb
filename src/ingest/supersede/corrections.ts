import type { Claim } from './claim.ts';
import { isAtOdds, isPositive } from './compare-claims.ts';
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

/**
 * Whether a turn of the new fact, or its own words, take back what the earlier one says. What is taken back tells of whom:
 * an equal name is enough, where resolution has left open whether two are one.
 */
export function isCorrection(
  earlier: JudgedFact,
  fact: JudgedFact,
  read: (fact: JudgedFact) => readonly Claim[],
): boolean {
  if (CHANGED.test(fact.statement) || fact.order <= earlier.order) return false;
  const rejected = rejectedIn(fact);
  if (!ANNOUNCED.test(fact.said) && rejected.size === 0) return false;
  const [before, after] = [dated(earlier, read), dated(fact, read)];
  return before.some((old) =>
    after.some(
      (claim) =>
        isSameMatter(old, claim) &&
        (isWithin(rejected, old.value) ||
          (ANNOUNCED.test(fact.said) && isAtOdds({ ...old, holder: claim.holder }, claim))),
    ),
  );
}

function dated(fact: JudgedFact, read: (fact: JudgedFact) => readonly Claim[]) {
  return read(fact).map((claim) => ({ ...claim, validAt: fact.validAt }));
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

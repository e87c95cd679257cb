import type { CorrectionRecord } from '../../../main/contract.ts';

const OF_FACTS: readonly string[] = ['edit-fact', 'reject-fact', 'pin-fact'];

/** Corrections in force that made a fact what it is, in the order in which they can be undone: the newest first. */
export function openCorrectionsOf(
  corrections: readonly CorrectionRecord[],
  fact: string,
): readonly CorrectionRecord[] {
  return corrections.filter(
    ({ kind, undoneAt, about, made }) =>
      OF_FACTS.includes(kind) &&
      undoneAt === null &&
      // An edit is about the former fact, and made the one that is shown now.
      (kind === 'edit-fact' ? made === fact : about.includes(fact)),
  );
}

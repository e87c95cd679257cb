import type { FactId, Milliseconds } from '../../model/ids.ts';
import { LOW_TRUST_CONFIDENCE } from '../admit/trust.ts';
import type { JudgedFact, Supersession } from './superseder.ts';

/** What is to become of an old fact: of several ends the earliest, and none that came before it. */
export function settle(
  said: readonly Supersession[],
  facts: ReadonlyMap<string, JudgedFact>,
): ReadonlyMap<FactId, Supersession> {
  const corrected = new Set(said.filter(({ kind }) => kind === 'corrects').map(({ old }) => old));
  const settled = new Map<FactId, Ordered>();
  for (const each of said) {
    const [old, by] = [facts.get(each.old), facts.get(each.by)];
    if (old === undefined || by === undefined || old === by || !mayEnd(by, old)) continue;
    // What never held has put an end to nothing.
    if (corrected.has(each.by)) continue;
    const at = each.kind === 'corrects' ? old.validAt : endOf(old, by.validAt);
    if (at === null) continue;
    const before = settled.get(old.id);
    const found = { ...each, at, order: by.order };
    if (before === undefined || isStronger(found, before)) settled.set(old.id, found);
  }
  return new Map(Array.from(settled, ([id, { order: _, ...each }]) => [id, each]));
}

/** With the order of the newer fact. */
type Ordered = Supersession & { readonly order: number };

/** When the old fact ends at the latest of both beginnings; null when it has ended by then. */
function endOf({ validAt, invalidAt }: JudgedFact, newValidAt: Milliseconds): Milliseconds | null {
  if (newValidAt < validAt || (invalidAt !== null && invalidAt <= newValidAt)) return null;
  return newValidAt;
}

/** Of two that end it at one moment, the one that was said first. */
function isStronger(each: Ordered, before: Ordered): boolean {
  if (each.kind !== before.kind) return each.kind === 'corrects';
  return each.at === before.at ? each.order < before.order : each.at < before.at;
}

/** What anybody may have written does not outvote what somebody said. */
function mayEnd(by: JudgedFact, old: JudgedFact): boolean {
  return by.confidence > LOW_TRUST_CONFIDENCE || old.confidence <= LOW_TRUST_CONFIDENCE;
}

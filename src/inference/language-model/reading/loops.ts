/** Shorter texts and lists are taken as they are. */
const LEAST_CHARACTERS = 200;
const LEAST_ENTRIES = 6;
const LEAST_REPEATS = 5;
const LONGEST_PERIOD = 300;
const LONGEST_PERIOD_OF_ENTRIES = 4;

/**
 * A value without what a model repeated until it was stopped: of a text that ends in the same sentence again and
 * again, or a list that ends in the same entries, the first of them is kept.
 */
export function withoutLoops(value: unknown): { readonly value: unknown; readonly loops: boolean } {
  let loops = false;
  const cut = (each: unknown): unknown => {
    if (typeof each === 'string') {
      const end = each.length < LEAST_CHARACTERS ? null : endOfFirst(each, LONGEST_PERIOD);
      loops ||= end !== null;
      return end === null ? each : each.slice(0, end).trim().toWellFormed();
    }
    if (Array.isArray(each)) {
      // Numbers and empty entries may be equal.
      const hasContent = typeof each.at(-1) === 'object' && JSON.stringify(each.at(-1)).length > 20;
      const keys =
        hasContent && each.length >= LEAST_ENTRIES ? each.map((entry) => JSON.stringify(entry)) : [];
      const end = endOfFirst(keys, LONGEST_PERIOD_OF_ENTRIES);
      loops ||= end !== null;
      return (end === null ? each : each.slice(0, end)).map(cut);
    }
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, cut(inner)]));
  };
  return { value: cut(value), loops };
}

/** Where a sequence ends in equal parts: the end of the first; null if it does not. */
function endOfFirst(sequence: ArrayLike<string>, longestPeriod: number): number | null {
  const { length } = sequence;
  const least = typeof sequence === 'string' ? LEAST_CHARACTERS : LEAST_ENTRIES;
  for (let period = 1; period <= longestPeriod && period * LEAST_REPEATS <= length; period++) {
    let start = length - period;
    while (start > 0 && sequence[start - 1] === sequence[start - 1 + period]) start--;
    const repeated = length - start;
    if (repeated >= least && repeated >= period * LEAST_REPEATS) return start + period;
  }
  return null;
}

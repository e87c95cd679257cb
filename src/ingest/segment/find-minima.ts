export interface MinimaOptions {
  /** A minimum counts below the mean less so many standard deviations. */
  readonly deviations: number;
  /** Places at either end that never count. */
  readonly margin: number;
}

/**
 * Positions of the local minima that lie clearly below the mean, ascending. Of a flat valley the first place
 * counts. Places without a number neither count nor weigh; beside one, as beyond the ends, anything is lower.
 */
export function findMinima(
  values: readonly (number | null)[],
  { deviations, margin }: MinimaOptions,
): number[] {
  const known = values.filter((value) => value !== null);
  const threshold = meanOf(known) - deviations * deviationOf(known);
  const minima: number[] = [];
  for (let at = margin; at < values.length - margin; at++) {
    const value = values[at];
    if (value !== null && value !== undefined && value < threshold && isMinimum(values, at, value))
      minima.push(at);
  }
  return minima;
}

function isMinimum(values: readonly (number | null)[], at: number, value: number): boolean {
  if (value >= (values[at - 1] ?? Infinity)) return false;
  let next = at + 1;
  while (values[next] === value) next += 1;
  return value < (values[next] ?? Infinity);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of the whole population: these are all boundaries of the unit, not a sample. */
function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}

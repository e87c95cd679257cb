/** Groups in the order of their first member (Map.groupBy needs Node 21). */
export function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

export function inBatches<Value>(values: readonly Value[], size: number): Value[][] {
  const count = Math.ceil(values.length / size);
  return Array.from({ length: count }, (_, at) => values.slice(at * size, (at + 1) * size));
}

/** The words of a list kept as data: lines of words with spaces between. */
export function wordSet(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

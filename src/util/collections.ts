/** Groups values; groups keep the order of their first member (Map.groupBy needs Node 21). */
export function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) append(groups, keyOf(value), value);
  return groups;
}

/** The value of a key, computed at the first call. */
export function cached<K, V>(
  known: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  compute: () => V,
): V {
  const before = known.get(key);
  if (before !== undefined) return before;
  const value = compute();
  known.set(key, value);
  return value;
}

/** Adds a value to the list of a key. */
export function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  cached(lists, key, (): V[] => []).push(value);
}

export function inBatches<Value>(values: readonly Value[], size: number): Value[][] {
  const count = Math.ceil(values.length / size);
  return Array.from({ length: count }, (_, at) => values.slice(at * size, (at + 1) * size));
}

/** Concatenates batches of rows into one list. */
export async function collect<Row>(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) for (const row of batch) rows.push(row);
  return rows;
}

/** Yields every string inside rows or JSON, at any depth, keys included, because keys may contain user text. */
export function* stringsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const each of value) yield* stringsIn(each);
  else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const [key, each] of Object.entries(value)) {
      yield key;
      yield* stringsIn(each);
    }
}

/** Drops undefined fields, for options that distinguish a missing field from undefined. */
export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** The words of a list kept as data: lines of words with spaces between. */
export function wordSet(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

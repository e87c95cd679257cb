/** Rows per statement: what a statement holds in memory stays bounded. */
const CHUNK = 4000;

export function* chunks<T>(rows: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < rows.length; start += CHUNK) yield rows.slice(start, start + CHUNK);
}

const MOST = 3;

/**
 * The names that may be meant by a misspelt one: those that begin with it, else the nearest of those that differ by a
 * typing error, which is one letter, two in a long name.
 */
export function nearestNames(given: string, names: readonly string[]): string[] {
  const bare = given.replace(/^-+/, '').toLowerCase();
  const of = (name: string) => name.replace(/^-+/, '');
  if (bare.length < 2) return [];
  const begun = names.filter((name) => of(name).startsWith(bare));
  if (begun.length > 0) return begun.slice(0, MOST);
  const farthest = bare.length < 6 ? 1 : 2;
  const near = names
    .map((name) => ({ name, distance: distanceOf(bare, of(name)) }))
    .filter(({ distance }) => distance <= farthest);
  const least = Math.min(...near.map(({ distance }) => distance));
  return near.flatMap(({ name, distance }) => (distance === least ? [name] : [])).slice(0, MOST);
}

/** The number of letters to insert, delete, replace or swap with the next one. */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[at - 1] === other[column - 1];
      const isSwapped = one[at - 1] === other[column - 2] && one[at - 2] === other[column - 1];
      next[column] = Math.min(
        row[column]! + 1,
        next[column - 1]! + 1,
        row[column - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
}

import { isWithin } from './file-path.ts';

/** A file of a listing; null where its size is not known before it is read. */
export interface ListedFile {
  readonly path: string;
  readonly bytes: number | null;
}

/** Characters of a listing: some 3,000 tokens. */
const LONGEST_LISTING = 10_000;
const LEVELS = 2;

/**
 * The listing of a directory as Anthropic's memory tool has it: sizes and paths up to two levels deep, without hidden
 * items. A long one names what is directly in the directory first, then as much of each directory in it as of the
 * others, and says how much it leaves out.
 */
export function listDirectory(directory: string, files: readonly ListedFile[]): string {
  const inside = files.filter(({ path }) => isWithin(path, directory) && isVisible(path, directory));
  const entries = entriesOf(directory, inside);
  const kept = new Set<string>();
  let left = LONGEST_LISTING;
  for (const { path, line } of entries.toSorted((a, b) => a.level - b.level || a.rank - b.rank)) {
    left -= line.length + 1;
    if (left >= 0) kept.add(path);
  }
  const shown = entries.filter(({ path }) => kept.has(path));
  const omitted = entries.length - shown.length;
  return [
    `Here're the files and directories up to ${LEVELS} levels deep in ${directory}, excluding hidden items and node_modules:`,
    `${sizeOf(inside)}\t${directory}`,
    ...shown.map(({ line }) => line),
    ...(omitted === 0
      ? []
      : [`(${omitted} more are not listed: view a directory to see what is in it, or a file by its path.)`]),
  ].join('\n');
}

interface Entry {
  readonly path: string;
  readonly level: number;
  /** Its place in its directory. */
  readonly rank: number;
  readonly line: string;
}

/** Files and directories, sorted by path, a directory before what is in it. */
function entriesOf(directory: string, files: readonly ListedFile[]): readonly Entry[] {
  const entries = new Map<string, Entry>();
  const counts = new Map<string, number>();
  const depth = directory.split('/').length;
  for (const { path } of files.toSorted(byPath)) {
    const names = path.split('/');
    for (let level = 1; level <= Math.min(LEVELS, names.length - depth); level++) {
      const place = names.slice(0, depth + level).join('/');
      if (entries.has(place)) continue;
      const size = sizeOf(files.filter((file) => isWithin(file.path, place)));
      const above = place.slice(0, place.lastIndexOf('/'));
      const rank = counts.get(above) ?? 0;
      counts.set(above, rank + 1);
      const line = `${size}\t${place}${place === path ? '' : '/'}`;
      entries.set(place, { path: place, level, rank, line });
    }
  }
  return [...entries.values()].sort(byPath);
}

/** Sorts what is in a directory right after it. */
function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path.replaceAll('/', '\0') < b.path.replaceAll('/', '\0') ? -1 : 1;
}

function isVisible(path: string, directory: string): boolean {
  const names = path.slice(directory.length).split('/');
  return !names.some((name) => name.startsWith('.') || name === 'node_modules');
}

/** Such as `5.5K`; `-` where no size is known. */
function sizeOf(files: readonly ListedFile[]): string {
  if (files.length > 0 && files.every(({ bytes }) => bytes === null)) return '-';
  const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  const unit = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : 2;
  const size = bytes / 1024 ** unit;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${['B', 'K', 'M'][unit]}`;
}

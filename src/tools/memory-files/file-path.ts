/** The root of the tree; every path begins with it. */
export const ROOT = '/memories';
const LONGEST_PATH = 200;
/** Dots, slashes and NUL as URLs write them, however often they are encoded. */
const ENCODED = /%(?:25)*(?:2e|2f|5c|00)/i;

/** A path without a slash at its end, or why there is none. */
export type PathReading = { readonly path: string } | { readonly refusal: string };

/**
 * Reads a path of the tree. It is only ever compared with other paths, never given to a file system; what would leave
 * the tree there is refused all the same, so that nobody relies on it.
 */
export function readPath(given: string): PathReading {
  const path = given.replace(/\/$/, '');
  const problem = problemOf(path);
  return problem === null ? { path } : { refusal: `Error: The path ${problem}` };
}

function problemOf(path: string): string | null {
  if (path.length > LONGEST_PATH) return `is longer than ${LONGEST_PATH} characters.`;
  if (/\p{Cc}|[\u2028\u2029]/u.test(path) || !path.isWellFormed()) return 'has a control character.';
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return `must begin with ${ROOT}.`;
  if (path.includes('\\') || ENCODED.test(path)) return 'has a backslash or an encoded character.';
  const names = path.split('/').slice(1);
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return 'has an empty part, or one of dots.';
  return names.some((name) => name !== name.trim()) ? 'has white space around a name.' : null;
}

/** Whether the path is the directory or in it. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`);

/** The directories above a path, from the root down. */
export function parentsOf(path: string): readonly string[] {
  const names = path.split('/');
  return names.slice(2).map((_, at) => names.slice(0, at + 2).join('/'));
}

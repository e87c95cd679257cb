/**
 * A name as a part of an address. Its escapes begin with `~`, because the router decodes those with `%` once, and not
 * all of them: it would read "100% fun" wrongly, and fail on it.
 */
export function placePart(name: string): string {
  const escaped = encodeURIComponent(name).replace(
    /[~!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return escaped.replaceAll('%', '~');
}

/** The name of a part of an address; a part that is none stays as it is. */
export function nameOfPart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('~', '%'));
  } catch {
    return part;
  }
}

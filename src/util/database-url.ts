const DATABASE_URL = /^postgres(?:ql)?:\/\//i;

/** Whether a memory's location is the URL of a database server; otherwise it is a path. */
export function isDatabaseUrl(location: string): boolean {
  return DATABASE_URL.test(location);
}

/**
 * A memory's location as it may be shown: of a URL only the scheme, user, host and database, because a password can
 * also be among its parameters. Paths are unchanged.
 */
export function withoutPassword(location: string): string {
  if (!isDatabaseUrl(location)) return location;
  const scheme = location.slice(0, location.indexOf('://'));
  if (!URL.canParse(location)) return `${scheme}://…`; // the part with the password cannot be told from the others
  const { username, host, pathname } = new URL(location);
  return `${scheme}://${username}${username === '' ? '' : '@'}${host}${pathname}`;
}

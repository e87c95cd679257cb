import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { knownPath } from '../src/store/memory-file.ts';
import { isSetAside } from '../src/store/swap-files.ts';
import { isDatabaseUrl } from '../src/util/database-url.ts';
import { dataFolder } from '../src/util/files.ts';

/** Whether a memory has files: not one on a database server, nor one in this process alone. */
export function hasFiles(path: string): boolean {
  return path !== ':memory:' && !isDatabaseUrl(path);
}

/** False also for a log without its database: opening it then reports how to recover. */
export function isNothingThere(path: string): boolean {
  return !existsSync(path) && !existsSync(`${path}.wal`) && !isSetAside(knownPath(path));
}

/**
 * How the names of the files begin that mnemis keeps beside a memory: its path. For a memory on a database server, a
 * name in a folder of its own under the data folder. `:memory:` is unchanged.
 */
export function besideMemory(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return isDatabaseUrl(path) ? join(dataFolder(environment), 'databases', digestOf(path), 'memory') : path;
}

/** The same for each URL of a database and role, whatever its password and other parameters. */
function digestOf(location: string): string {
  const { username, hostname, port, pathname, searchParams } = new URL(location);
  const parts = [
    searchParams.get('user') ?? username,
    (searchParams.get('host') ?? hostname).toLowerCase(),
    searchParams.get('port') ?? (port || '5432'),
    pathname,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

import { isDatabaseUrl } from '../../src/util/database-url.ts';

/** How removed text is erased from the disk, after "To erase it:". */
export function eraseAdvice(path: string): string {
  return isDatabaseUrl(path)
    ? 'VACUUM FULL on the database, as the owner of its tables; the server’s backups and logs are separate'
    : `mnemis compact --path ${path}`;
}

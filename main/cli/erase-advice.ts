import { isDatabaseUrl } from '../../src/util/database-url.ts';

/** How removed text is erased from the disk, after "To erase it:". */
export function eraseAdvice(path: string): string {
  return isDatabaseUrl(path)
    ? 'VACUUM FULL, as the owner of the database; the server’s backups and logs are not covered'
    : `mnemis compact --path ${path}`;
}

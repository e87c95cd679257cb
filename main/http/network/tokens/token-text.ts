import { randomBytes, timingSafeEqual } from 'node:crypto';
import { digest } from '../../loopback-access.ts';

/** The prefix lets tools that search for leaked secrets recognise a token. */
const TOKEN = /^mnemis_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;
/** Equal to no hash of a token. */
const NO_HASH = Buffer.alloc(32);

interface NewToken {
  readonly token: string;
  readonly id: string;
  /** SHA-256 in hex: enough for 32 random bytes, which nobody can guess. */
  readonly hash: string;
}

export function makeToken(): NewToken {
  const id = randomBytes(8).toString('hex');
  const token = `mnemis_${id}_${randomBytes(32).toString('base64url')}`;
  return { token, id, hash: digest(token).toString('hex') };
}

/** The id within a token; null for another text. */
export function idOf(token: string): string | null {
  return TOKEN.exec(token)?.[1] ?? null;
}

/** Compares in constant time, also where there is nothing to compare with. */
export function hasHash(token: string, hash: string | undefined): boolean {
  return timingSafeEqual(digest(token), hash === undefined ? NO_HASH : Buffer.from(hash, 'hex'));
}

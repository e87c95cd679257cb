import * as crypto from 'node:crypto';

/** In one call, which takes half of the time; Deno has none. */
const hash: typeof crypto.hash =
  crypto.hash ??
  ((algorithm: string, text: string, encoding: 'hex' | 'base64url') =>
    crypto.createHash(algorithm).update(text).digest(encoding));

/** In Base64 for URLs. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The same 32 hexadecimal digits for equal JSON values, and others for different ones (SHA-256). */
export function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, 32);
}

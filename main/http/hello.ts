import { createHmac } from 'node:crypto';
import { z } from 'zod';

/** The address at which an engine proves that it is the one whose token its client has read, before it gets the token. */
export const HELLO = '/v1/hello';

export const helloSchema = z.strictObject({ nonce: z.string().min(16).max(200) });

/** Proves that its maker knows the token, without revealing it: HMAC-SHA-256 of the nonce, in hexadecimal digits. */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(nonce).digest('hex');
}

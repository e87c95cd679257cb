import { createHash } from 'node:crypto';

/** The same 32 hexadecimal digits for equal JSON values, and others for different ones (SHA-256). */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

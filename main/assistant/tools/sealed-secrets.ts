import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { defineError } from '../../../src/errors/mnemis-error.ts';
import type { ToolServerInput } from '../../contract/tools.ts';

/** Of the engine's environment: with it, the secrets of tool servers are sealed. 32 bytes as hexadecimal digits. */
export const SEAL_KEY_VARIABLE = 'MNEMIS_SEAL_KEY';

const CIPHER = 'aes-256-gcm';
const KEY = /^[0-9a-f]{64}$/;
const [NONCE_BYTES, TAG_BYTES] = [12, 16];
/** No secret begins so: neither the environment nor a header can have a NUL. */
const SEALED = '\0sealed:';

/** Null: secrets stay as they are. */
export function sealKey(environment: Readonly<Record<string, string | undefined>>): Buffer | null {
  const key = environment[SEAL_KEY_VARIABLE] ?? '';
  return KEY.test(key) ? Buffer.from(key, 'hex') : null;
}

export const isSealed = (secret: string): boolean => secret.startsWith(SEALED);

export function sealed(secret: string, key: Buffer): string {
  if (isSealed(secret)) return secret;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const data = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `${SEALED}${Buffer.concat(data).toString('base64')}`;
}

/** One that another key sealed stays sealed. */
export function opened(secret: string, key: Buffer): string {
  if (!isSealed(secret)) return secret;
  const data = Buffer.from(secret.slice(SEALED.length), 'base64');
  try {
    const decipher = createDecipheriv(CIPHER, key, data.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const text = decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return secret;
  }
}

export const secretsOf = (server: ToolServerInput): Readonly<Record<string, string>> =>
  'url' in server ? server.headers : server.env;

/** The server with each secret changed. */
export function withEachSecret(server: ToolServerInput, change: (secret: string) => string): ToolServerInput {
  const changed = Object.fromEntries(
    Object.entries(secretsOf(server)).map(([name, secret]) => [name, change(secret)]),
  );
  return 'url' in server ? { ...server, headers: changed } : { ...server, env: changed };
}

export class SecretsSealedError extends defineError('secrets-sealed', (name: string) => ({
  message: `${name} was not started: the desktop app keeps its keys in the system’s secure storage. Use it there, or enter the keys again.`,
})) {}

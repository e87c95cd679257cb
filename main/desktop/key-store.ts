import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readStateFile, writeStateFile } from '../../src/util/files.ts';
import { KeyStorageError, keysIn, type ModelKeys, withKey } from '../model-keys.ts';
import type { Override } from './port-relay.ts';

export interface Cipher {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Buffer;
  decryptString(encrypted: Buffer): string;
  /** Linux only. */
  getSelectedStorageBackend?(): string;
}

/** Version 1 held one key, encrypted; its server was not noted, and is taken to be OpenAI's. */
const fileSchema = z.strictObject({ version: z.literal([1, 2]), key: z.base64() });
const SERVER_OF_VERSION_1 = 'https://api.openai.com';

/** False where the system has no secure storage: on Linux, `basic_text` encrypts with a password that all know. */
function isSecure(cipher: Cipher, platform: NodeJS.Platform): boolean {
  if (!cipher.isEncryptionAvailable()) return false;
  if (platform !== 'linux') return true;
  const backend = cipher.getSelectedStorageBackend?.() ?? 'unknown';
  return backend !== 'basic_text' && backend !== 'unknown';
}

const sealSchema = z.strictObject({ version: z.literal(1), key: z.base64() });

/**
 * The key with which the engine seals the secrets of tool servers: hexadecimal, made where there is none that can be
 * decrypted; null where the system has no secure storage, or it cannot be stored.
 */
export function sealKeyIn(
  path: string,
  cipher: Cipher,
  platform: NodeJS.Platform = process.platform,
): string | null {
  if (!isSecure(cipher, platform)) return null;
  const stored = readStateFile(path, sealSchema);
  try {
    if (stored !== null) return cipher.decryptString(Buffer.from(stored.key, 'base64'));
  } catch {
    // Of another user's session: what it sealed is entered again.
  }
  const key = randomBytes(32).toString('hex');
  const encrypted = cipher.encryptString(key).toString('base64');
  return writeStateFile(path, { version: 1, key: encrypted }) ? key : null;
}

/** The keys of language models, in a file that only this user's session can decrypt. */
export class KeyStore {
  readonly #path: string;
  readonly #cipher: Cipher;
  readonly #platform: NodeJS.Platform;

  constructor(path: string, cipher: Cipher, platform: NodeJS.Platform = process.platform) {
    this.#path = path;
    this.#cipher = cipher;
    this.#platform = platform;
  }

  get isAvailable(): boolean {
    return isSecure(this.#cipher, this.#platform);
  }

  /** Empty if there is none, or none that can be decrypted; null where the system has no secure storage. */
  read(): ModelKeys | null {
    if (!this.isAvailable) return null;
    const stored = readStateFile(this.#path, fileSchema);
    if (stored === null) return {};
    try {
      const text = this.#cipher.decryptString(Buffer.from(stored.key, 'base64'));
      return stored.version === 1 ? { [SERVER_OF_VERSION_1]: text } : (keysIn(text) ?? {});
    } catch {
      return {}; // of another user's session: the keys are entered again
    }
  }

  /** Removes the key if null. @throws KeyStorageError */
  save(address: string, key: string | null): void {
    const keys = withKey(this.read() ?? {}, address, key);
    const encrypted = this.#cipher.encryptString(JSON.stringify(keys)).toString('base64');
    if (!writeStateFile(this.#path, { version: 2, key: encrypted })) throw new KeyStorageError(this.#path);
  }
}

const keyInput = z.object({ address: z.string(), key: z.string().nullable() });
const keyReply = z.object({ isSet: z.boolean() });

interface Keys {
  readonly store: KeyStore;
  /** Restarts the engine with the new key in its environment. */
  readonly restart: () => void;
}

/** Where the system has secure storage, the keys live there. No reply to a window contains one. */
export function keyOverrides({ store, restart }: Keys): Readonly<Record<string, Override>> {
  return {
    saveKey: async (input, forward) => {
      const reply = keyReply.parse(await forward(input)); // the engine checks it first
      if (!store.isAvailable) return reply;
      const { address, key } = keyInput.parse(input);
      store.save(address, key);
      restart();
      return { ...reply, restarts: true };
    },
  };
}

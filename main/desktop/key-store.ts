import { existsSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { defineError } from '../../src/errors/mnemis-error.ts';
import { writeStateFile } from '../../src/util/files.ts';

/** The part of Electron's `safeStorage` that keeps keys. */
export interface Cipher {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Buffer;
  decryptString(encrypted: Buffer): string;
  /** Linux only. */
  getSelectedStorageBackend?(): string;
}

const fileSchema = z.strictObject({ version: z.literal(1), key: z.base64() });

/** The language model's key, in a file that only this user's session can decrypt. */
export class KeyStore {
  readonly #path: string;
  readonly #cipher: Cipher;
  readonly #platform: NodeJS.Platform;

  constructor(path: string, cipher: Cipher, platform: NodeJS.Platform = process.platform) {
    this.#path = path;
    this.#cipher = cipher;
    this.#platform = platform;
  }

  /** False where the system has no secure storage: on Linux, `basic_text` encrypts with a password that all know. */
  get isAvailable(): boolean {
    if (!this.#cipher.isEncryptionAvailable()) return false;
    if (this.#platform !== 'linux') return true;
    const backend = this.#cipher.getSelectedStorageBackend?.() ?? 'unknown';
    return backend !== 'basic_text' && backend !== 'unknown';
  }

  /** Null if there is none, or none that can be decrypted. */
  read(): string | null {
    if (!existsSync(this.#path) || !this.isAvailable) return null;
    try {
      const { key } = fileSchema.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
      return this.#cipher.decryptString(Buffer.from(key, 'base64'));
    } catch {
      return null; // damaged, or of another user's session: the key is entered again
    }
  }

  /** Removes the key if null. @throws KeyStorageError */
  save(key: string | null): void {
    if (key === null) return void rmSync(this.#path, { force: true });
    if (!this.isAvailable) throw new KeyStorageError('this system offers no secure storage');
    const encrypted = this.#cipher.encryptString(key).toString('base64');
    if (!writeStateFile(this.#path, { version: 1, key: encrypted }))
      throw new KeyStorageError('its file could not be written');
  }
}

/** The key cannot be kept. */
export class KeyStorageError extends defineError('key-storage', (reason: string) => ({
  message: `The key was not stored: ${reason}. Set MNEMIS_LLM_API_KEY in the environment and start the app again.`,
})) {}

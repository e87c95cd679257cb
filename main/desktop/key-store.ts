import { existsSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { InvalidInputError } from '../../src/errors/index.ts';
import { defineError } from '../../src/errors/mnemis-error.ts';
import { writeStateFile } from '../../src/util/files.ts';
import { MODEL_KEY_VARIABLE } from '../model-key.ts';
import type { Override } from './port-relay.ts';

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

export class KeyStorageError extends defineError('key-storage', (reason: string) => ({
  message: `The key was not stored: ${reason}. Set MNEMIS_LLM_API_KEY in the environment and start the app again.`,
})) {}

const keyInput = z.strictObject({
  key: z
    .string()
    .max(500)
    .regex(/^[\x21-\x7e]+$/)
    .nullable(),
});
const settingsReply = z.looseObject({ key: z.looseObject({ isSet: z.boolean() }) });
const savedReply = z.looseObject({ settings: settingsReply });

interface Keys {
  readonly store: KeyStore;
  /** Whether the environment sets the key, which then is the one that is used. */
  readonly isInEnvironment: boolean;
  /** Restarts the engine with the new key in its environment. */
  readonly restart: () => void;
}

/** In the desktop app the key lives in the system's secure storage. No reply to a window contains it. */
export function keyOverrides({ store, isInEnvironment, restart }: Keys): Readonly<Record<string, Override>> {
  const withKey = <T extends z.output<typeof settingsReply>>(settings: T): T =>
    isInEnvironment || !store.isAvailable
      ? settings
      : {
          ...settings,
          key: { storage: 'system', variable: MODEL_KEY_VARIABLE, isSet: store.read() !== null },
        };
  return {
    settings: async (input, forward) => withKey(settingsReply.parse(await forward(input))),
    saveSettings: async (input, forward) => {
      const reply = savedReply.parse(await forward(input));
      return { ...reply, settings: withKey(reply.settings) };
    },
    saveKey: async (input) => {
      const { data } = keyInput.safeParse(input);
      if (data === undefined)
        throw new InvalidInputError('The key must be of 1 to 500 ASCII characters, without spaces');
      store.save(data.key);
      restart();
      return { isSet: data.key !== null, restarts: true };
    },
  };
}

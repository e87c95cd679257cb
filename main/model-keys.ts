import { join } from 'node:path';
import { z } from 'zod';
import { defineError } from '../src/errors/mnemis-error.ts';
import { dataFolder, readStateFile, writeStateFile } from '../src/util/files.ts';

/** The environment's variable with the language model's key. */
export const MODEL_KEY_VARIABLE = 'MNEMIS_LLM_API_KEY';
/** The keys that the desktop's main process decrypted, for its engine: JSON, by address. */
export const STORED_KEYS_VARIABLE = 'MNEMIS_LLM_STORED_KEYS';

type Environment = Readonly<Record<string, string | undefined>>;

/** A key as it can be sent in a header. */
export const modelKeySchema = z
  .string()
  .max(500)
  .regex(/^[\x21-\x7e]+$/);
/** Keys by the origin of their server, such as `https://api.openai.com`: none is sent to another one. */
export const modelKeysSchema = z.record(z.string(), modelKeySchema);
export type ModelKeys = z.output<typeof modelKeysSchema>;

const fileSchema = z.strictObject({ version: z.literal(1), keys: modelKeysSchema });

/** The file in the data folder that keeps keys where no secure storage of the system does; its mode is 0600. */
export const modelKeysFile = (environment: Environment): string =>
  join(dataFolder(environment), 'model-keys.json');

/** Whether the desktop's main process keeps the keys. */
export const areKeysOfSystem = (environment: Environment): boolean =>
  environment[STORED_KEYS_VARIABLE] !== undefined;

/** The keys that were stored in the app. */
export function storedKeys(environment: Environment): ModelKeys {
  const ofSystem = environment[STORED_KEYS_VARIABLE];
  if (ofSystem !== undefined) return keysIn(ofSystem) ?? {};
  return readStateFile(modelKeysFile(environment), fileSchema)?.keys ?? {};
}

/** The keys of a JSON text; null if it is none of them. */
export function keysIn(text: string): ModelKeys | null {
  try {
    return modelKeysSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The keys with one that is set, or removed if null. @param address - of the server, an http(s) URL. */
export function withKey(keys: ModelKeys, address: string, key: string | null): ModelKeys {
  const { [originOf(address)]: _, ...others } = keys;
  return key === null ? others : { ...others, [originOf(address)]: key };
}

export const originOf = (address: string): string => new URL(address).origin;

/** Stores a key in the file, or removes it. @throws KeyStorageError */
export function storeKey(environment: Environment, address: string, key: string | null): void {
  const file = modelKeysFile(environment);
  const keys = withKey(storedKeys(environment), address, key);
  if (!writeStateFile(file, { version: 1, keys })) throw new KeyStorageError(file);
}

/** What a screen shows of a key: its last four characters, of a short one nothing. */
export const endOf = (key: string): string => (key.length < 12 ? '' : key.slice(-4));

export class KeyStorageError extends defineError('key-storage', (file: string) => ({
  message: `The key was not stored: ${file} could not be written. Check the permissions of its folder, or set ${MODEL_KEY_VARIABLE} in the environment and start again.`,
})) {}

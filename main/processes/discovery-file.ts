import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { StoreWriteError } from '../../src/errors/index.ts';
import { makeFolder } from '../../src/util/files.ts';
import { parseJson } from '../../src/util/parse-json.ts';
import { readOwnFile, replaceOwnFile } from './own-file.ts';

const discoverySchema = z.object({
  pid: z.number().int().positive(),
  port: z.number().int().min(1).max(65_535),
  token: z.string().min(32).max(200),
  /** Milliseconds since 1970. */
  started: z.number(),
  /** Of the package. */
  version: z.string(),
  protocol: z.number().int(),
});

/** How to connect to the engine that has a memory open. */
export type Discovery = z.infer<typeof discoverySchema>;

/** @param database - as `besideMemory` gives it, as in all functions here. */
export const discoveryPath = (database: string): string => `${database}.server.json`;

/**
 * Reads the discovery file of an engine. Ignores a file that another user could have written, because turns would then
 * go to that user.
 *
 * @returns null if there is no file, or none to trust.
 */
export async function readDiscovery(database: string): Promise<Discovery | null> {
  const text = await readOwnFile(discoveryPath(database));
  const read = text === null ? null : parseJson(text);
  return read?.ok ? (discoverySchema.safeParse(read.value).data ?? null) : null;
}

/** Written only by the holder of the database's lock, atomically, readable by its owner only. */
export async function writeDiscovery(database: string, discovery: Discovery): Promise<void> {
  const path = discoveryPath(database);
  try {
    await makeFolder(dirname(path));
    await replaceOwnFile(path, JSON.stringify(discovery));
  } catch (error) {
    throw new StoreWriteError(
      `the file ${path}, by which others find the engine, could not be written`,
      error,
    );
  }
}

/** Keeps a file that another engine has written since. */
export async function removeDiscovery(database: string, token: string): Promise<void> {
  const path = discoveryPath(database);
  const read = parseJson(await readFile(path, 'utf8').catch(() => ''));
  const found = read.ok ? discoverySchema.safeParse(read.value).data : undefined;
  if (found?.token === token) await rm(path, { force: true });
}

import { createHash } from 'node:crypto';
import { lstat, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FileUnreadableError } from '../../errors/index.ts';
import { parseJson } from '../../util/parse-json.ts';

/**
 * Format described in docs/decisions/2026-11-21-backup-and-compaction.md. Increase the version when old readers would
 * misread the new format.
 */
const FORMAT = 'mnemis-backup';
const VERSION = 1;
const MANIFEST = 'manifest.json';

/** Name of the database file in a backup, independent of its original name. */
export const DATABASE_NAME = 'memory.db';
/** More than a memory of ten thousand scopes needs. */
const MOST_BYTES = 8 * 2 ** 20;
const SNAPSHOTS = `${DATABASE_NAME}.indexes`;
/** Only files with such names are read or written on behalf of a manifest. */
const NAME = /^memory\.db(?:\.wal|\.seal|\.indexes\/[0-9a-f]{1,64}\.index)?$/;

const whole = z.number().int().nonnegative();
const name = z.string().max(1_000);
const fileSchema = z.strictObject({
  name: z.string().regex(NAME),
  bytes: whole,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupFile = z.infer<typeof fileSchema>;

const manifestSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  createdAt: z.iso.datetime(),
  databaseId: name,
  schemaVersion: whole,
  fingerprint: z.strictObject({ model: name, dimension: whole }).nullable(),
  /** The last commit of each scope. */
  scopes: z.array(z.strictObject({ scope: name, sequence: whole, token: whole })),
  files: z.array(fileSchema),
});
export type BackupManifest = z.infer<typeof manifestSchema>;

const versionSchema = z.object({
  manifest: z.object({ format: z.literal(FORMAT), version: z.number().int() }),
});
const documentSchema = z.strictObject({ manifest: manifestSchema, sha256: name });

export const snapshotName = (file: string): string => `${SNAPSHOTS}/${file}`;
export const isBackupName = (name: string): boolean => NAME.test(name);

/** Writes the manifest durably, readable only by its owner. */
export async function writeManifest(
  folder: string,
  content: Omit<BackupManifest, 'format' | 'version'>,
): Promise<void> {
  const manifest = manifestSchema.parse({ format: FORMAT, version: VERSION, ...content });
  const file = await open(join(folder, MANIFEST), 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ manifest, sha256: digestOf(manifest) }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @throws FileUnreadableError for a folder that is not a backup, a newer version, or a damaged manifest. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const json = parseJson(await manifestText(folder));
  if (!json.ok) throw new FileUnreadableError(folder, `its ${MANIFEST} is damaged: ${json.reason}`);
  const version = versionSchema.safeParse(json.value);
  if (version.success && version.data.manifest.version > VERSION)
    throw new FileUnreadableError(folder, 'a newer version of Mnemis made this backup');
  const document = documentSchema.safeParse(json.value);
  if (!document.success || document.data.sha256 !== digestOf(document.data.manifest))
    throw new FileUnreadableError(folder, `its ${MANIFEST} is damaged or was changed`);
  return document.data.manifest;
}

async function manifestText(folder: string): Promise<string> {
  try {
    const path = join(folder, MANIFEST);
    const found = await lstat(path);
    if (!found.isFile()) throw new FileUnreadableError(folder, `its ${MANIFEST} is not a regular file`);
    if (found.size > MOST_BYTES) throw new FileUnreadableError(folder, `its ${MANIFEST} is too large`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (FileUnreadableError.isInstance(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const isNone = code === 'ENOENT' || code === 'ENOTDIR';
    throw new FileUnreadableError(folder, isNone ? `it has no ${MANIFEST}` : `${MANIFEST}: ${code}`, error);
  }
}

/** Computed over the content in the schema's key order. */
function digestOf(manifest: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

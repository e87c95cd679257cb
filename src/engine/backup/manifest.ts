import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CancelledError, FileUnreadableError, NotEnoughRoomError } from '../../errors/index.ts';
import { filesIn } from '../../util/files.ts';
import { parseJson } from '../../util/parse-json.ts';

/** docs/decisions/2026-11-21-backup-and-compaction.md describes the folder; raise the version when a reader of the old one would misread it. */
const FORMAT = 'mnemis-backup';
const VERSION = 1;
const MANIFEST = 'manifest.json';

/** What the memory's files are called in a backup, whatever they were called before. */
export const DATABASE_NAME = 'memory.db';
const SNAPSHOTS = `${DATABASE_NAME}.indexes`;
/** Nothing else is ever read or written by a name that stands in a manifest. */
const NAME = /^memory\.db(?:\.wal|\.seal|\.indexes\/[0-9a-f]{1,64}\.index)?$/;

const whole = z.number().int().nonnegative();
const fileSchema = z.strictObject({
  name: z.string().regex(NAME),
  bytes: whole,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupFile = z.infer<typeof fileSchema>;

const manifestSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  createdAt: z.string(),
  databaseId: z.string(),
  schemaVersion: whole,
  fingerprint: z.strictObject({ model: z.string(), dimension: whole }).nullable(),
  /** Where each scope stood. */
  scopes: z.array(z.strictObject({ scope: z.string(), sequence: whole, token: whole })),
  files: z.array(fileSchema),
});
export type BackupManifest = z.infer<typeof manifestSchema>;

const versionSchema = z.object({
  manifest: z.object({ format: z.literal(FORMAT), version: z.number().int() }),
});
const documentSchema = z.strictObject({ manifest: manifestSchema, sha256: z.string() });

export const snapshotName = (file: string): string => `${SNAPSHOTS}/${file}`;
export const isBackupName = (name: string): boolean => NAME.test(name);

/** Durable, and readable by its owner only. */
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

/** @throws FileUnreadableError for a folder that is no backup, one of a newer version, or a damaged manifest. */
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
    return await readFile(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isNone = code === 'ENOENT' || code === 'ENOTDIR';
    throw new FileUnreadableError(folder, isNone ? `it has no ${MANIFEST}` : `${MANIFEST}: ${code}`, error);
  }
}

/** Over the content in the schema's order of keys. */
function digestOf(manifest: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

const CHUNK = 2 ** 20;

interface FileHash {
  readonly bytes: number;
  readonly sha256: string;
}

/** @throws CancelledError, or the system's error. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<FileHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    if (signal?.aborted) throw new CancelledError('nothing was changed', signal.reason);
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Room on the disk that stays free. */
const SPARE_BYTES = 2 ** 20;

/** Whether anything goes by this name. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** 0 for a file that is not there. */
export async function bytesOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}

export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await filesIn(folder)) bytes += await bytesOf(join(folder, name));
  return bytes;
}

/** @throws NotEnoughRoomError */
export async function checkFolderRoom(work: string, folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [neededBytes, freeBytes] = [bytes + SPARE_BYTES, bavail * bsize];
  if (freeBytes < neededBytes) throw new NotEnoughRoomError(work, { neededBytes, freeBytes });
}

/** Makes what was renamed in it durable. Windows cannot open a folder and needs no such thing. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | null = null;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // The files themselves are safe; after a power cut the folder may show the names of before.
  } finally {
    await folder?.close();
  }
}

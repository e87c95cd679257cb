import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { DatabaseLockedError, InvalidInputError, MnemisError } from '../../../src/errors/index.ts';
import { readManifest } from '../../../src/files/backup/manifest.ts';
import { isBackup } from '../../../src/files/backup/restore-backup.ts';
import { DatabaseLock } from '../../../src/store/database-lock.ts';
import { dataFolder } from '../../../src/util/files.ts';
import { besideMemory } from '../../beside-memory.ts';
import type { BackupEntry } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { readPreferences } from '../store/read-preferences.ts';
import { knownDatabases } from './known-databases.ts';

type Context = Pick<AppContext, 'config' | 'engine' | 'environment' | 'store' | 'clock'>;

/** Where the backups of a memory are: a folder that may have those of other memories too. */
export class BackupFolder {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  get path(): string {
    const { config, environment, store } = this.#context;
    const { folder } = readPreferences(store).backups;
    if (folder !== '' && isAbsolute(folder)) return folder;
    const beside = besideMemory(config.path, environment);
    return join(beside === ':memory:' ? dataFolder(environment) : dirname(beside), 'backups');
  }

  get #stem(): string {
    const { config, environment } = this.#context;
    return `${basename(besideMemory(config.path, environment))
      .replace(/\.db$/, '')
      .replace(/[^\w.-]/g, '_')}-`;
  }

  /** Path of a new backup, named by the time. */
  next({ isAutomatic }: { readonly isAutomatic: boolean }): string {
    const time = new Date(this.#context.clock()).toISOString().slice(0, 23).replaceAll(/[:.]/g, '-');
    return join(this.path, `${this.#stem}${isAutomatic ? AUTOMATIC : ''}${time}`);
  }

  /** The newest first. Removes what a killed process left of others. */
  async list(): Promise<BackupEntry[]> {
    await this.#removeLeft();
    return (await this.#read()).map(({ databaseId: _, ...entry }) => entry);
  }

  /** The readable automatic backups of this memory, the newest first; none of the future, as of a wrong clock. */
  async automatic(): Promise<BackupEntry[]> {
    const [known, latest] = [knownDatabases(this.#context), this.#context.clock() + CLOCKS_DIFFER];
    return (await this.#read()).filter(
      ({ isAutomatic, databaseId, createdAt }) =>
        isAutomatic && databaseId !== null && known.has(databaseId) && Date.parse(createdAt) <= latest,
    );
  }

  async #read(): Promise<ReadEntry[]> {
    const folder = this.path;
    const names = (await readdir(folder).catch(() => [])).filter(
      (name) => name.startsWith(this.#stem) && !LEFT.test(name),
    );
    const found: ReadEntry[] = [];
    for (const name of names) {
      const entry = (await isBackupFolder(join(folder, name))) ? await this.#entry(name) : null;
      if (entry !== null) found.push(entry);
    }
    return found.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  }

  async #removeLeft(): Promise<void> {
    const folder = this.path;
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.startsWith(this.#stem) || !LEFT.test(name) || !(await isFolder(join(folder, name)))) continue;
      // What cannot be removed now is tried again with the next list.
      if (name.endsWith(DELETING)) await removeFolder(join(folder, name)).catch(() => undefined);
      else if (OWN_NAME.test(name.slice(this.#stem.length)))
        await removePart(join(folder, name)).catch(() => undefined);
    }
  }

  /** The path of a backup by its name. @throws InvalidInputError if the folder has no such backup. */
  async find(name: string): Promise<string> {
    const path = join(this.path, name);
    if (!name.startsWith(this.#stem) || LEFT.test(name) || !(await isBackupFolder(path)))
      throw new InvalidInputError('There is no backup of this name in the folder of backups');
    return path;
  }

  /** @throws InvalidInputError if the folder has no such backup. */
  async delete(name: string): Promise<number> {
    const path = await this.find(name);
    const entry = await this.#entry(name);
    const deleting = `${path}${DELETING}`;
    await removeFolder(deleting); // of another try
    await rename(path, deleting); // a part of a backup is never listed as one
    await removeFolder(deleting);
    return entry?.bytes ?? 0;
  }

  /** Null for one that was deleted meanwhile. */
  async #entry(name: string): Promise<ReadEntry | null> {
    const path = join(this.path, name);
    const isAutomatic = name.startsWith(`${this.#stem}${AUTOMATIC}`);
    try {
      const { createdAt, databaseId, files, scopes } = await readManifest(path);
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      const named = scopes.map(({ scope }) => scope);
      return { name, createdAt, bytes, scopes: named, isAutomatic, problem: null, databaseId };
    } catch (error) {
      if (!MnemisError.isInstance(error)) throw error;
      const found = await lstat(path).catch(() => null);
      if (found === null) return null;
      return {
        name,
        createdAt: found.mtime.toISOString(),
        bytes: 0,
        scopes: [],
        isAutomatic,
        problem: error.message,
        databaseId: null,
      };
    }
  }
}

/** With the database that it is a copy of; null if it cannot be read. */
type ReadEntry = BackupEntry & { readonly databaseId: string | null };

const AUTOMATIC = 'auto-';
const DELETING = '.deleting';
/** Of a backup that is deleted or written. */
const LEFT = /\.(?:deleting|part)$/;
/** What follows the stem in a name that `next` has made, while the backup is written. */
const OWN_NAME = /^(?:auto-)?\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}\.part$/;
const CLOCKS_DIFFER = 3_600_000;

/** A symbolic link does not count as a backup: deleting it must not delete its target. */
async function isBackupFolder(path: string): Promise<boolean> {
  return (await isFolder(path)) && (await isBackup(path));
}

async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true;
}

const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

/** Removes a backup that was not completed, unless a process writes it: that one has its lock. */
async function removePart(path: string): Promise<void> {
  try {
    const lock = await DatabaseLock.acquire(path.slice(0, -'.part'.length));
    await removeFolder(path).finally(() => lock.release());
  } catch (error) {
    if (!DatabaseLockedError.isInstance(error)) throw error;
  }
}

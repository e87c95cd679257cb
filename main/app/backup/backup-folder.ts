import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { readManifest } from '../../../src/engine/backup/manifest.ts';
import { isBackup } from '../../../src/engine/backup/restore-backup.ts';
import { InvalidInputError, MnemisError } from '../../../src/errors/index.ts';
import { dataFolder } from '../../../src/util/files.ts';
import type { BackupEntry } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { readPreferences } from '../store/read-preferences.ts';

type Context = Pick<AppContext, 'config' | 'environment' | 'store' | 'clock'>;

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
    return join(config.path === ':memory:' ? dataFolder(environment) : dirname(config.path), 'backups');
  }

  /** Begins the names of this memory's backups. */
  get #stem(): string {
    return `${basename(this.#context.config.path)
      .replace(/\.db$/, '')
      .replace(/[^\w.-]/g, '_')}-`;
  }

  /** Path of a new backup, named by the time. */
  next({ isAutomatic }: { readonly isAutomatic: boolean }): string {
    const time = new Date(this.#context.clock()).toISOString().slice(0, 23).replaceAll(/[:.]/g, '-');
    return join(this.path, `${this.#stem}${isAutomatic ? AUTOMATIC : ''}${time}`);
  }

  /** The newest first. */
  async list(): Promise<BackupEntry[]> {
    const folder = this.path;
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(this.#stem));
    const found: BackupEntry[] = [];
    for (const name of names)
      if (await isBackupFolder(join(folder, name))) found.push(await this.#entry(name));
    return found.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  }

  /** The path of a backup by its name. @throws InvalidInputError if the folder has no such backup. */
  async find(name: string): Promise<string> {
    const path = join(this.path, name);
    if (!name.startsWith(this.#stem) || !(await isBackupFolder(path)))
      throw new InvalidInputError('There is no backup of this name in the folder of backups');
    return path;
  }

  /** @throws InvalidInputError if the folder has no such backup. */
  async delete(name: string): Promise<number> {
    const path = await this.find(name);
    const { bytes } = await this.#entry(name);
    await rm(path, { recursive: true });
    return bytes;
  }

  async #entry(name: string): Promise<BackupEntry> {
    const path = join(this.path, name);
    const isAutomatic = name.startsWith(`${this.#stem}${AUTOMATIC}`);
    try {
      const { createdAt, files, scopes } = await readManifest(path);
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      return { name, createdAt, bytes, scopes: scopes.map(({ scope }) => scope), isAutomatic, problem: null };
    } catch (error) {
      if (!MnemisError.isInstance(error)) throw error;
      const { mtime } = await lstat(path);
      return {
        ...{ name, createdAt: mtime.toISOString(), bytes: 0, scopes: [], isAutomatic },
        problem: error.message,
      };
    }
  }
}

const AUTOMATIC = 'auto-';

/** A symbolic link does not count as a backup: deleting it must not delete its target. */
async function isBackupFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true && (await isBackup(path));
}

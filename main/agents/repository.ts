import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOf } from '../../src/util/digest-of.ts';

/** A repository, or a folder outside of any, whose sessions share a scope. */
export interface Repository {
  /** As people read it: `github.com/acme/shop`, or the folder's name. */
  readonly name: string;
  readonly scope: string;
  /** Folder of the working tree. */
  readonly root: string;
}

/** A clone of a clone of a clone: farther than anybody goes, and an end for clones of each other. */
const MOST_CLONES = 5;
const LONGEST_SCOPE = 200;
const DIGITS = 8;

/**
 * The repository that a folder is in, the same for every clone and worktree: named by the address of its remote
 * `origin`, else of its first one; without any, by the folder of its `.git`. Reads files only, so it needs no git.
 */
export function repositoryOf(folder: string): Repository {
  const here = realPath(folder);
  const root = rootOf(here);
  const name = root === null ? localName(here) : nameOf(root, MOST_CLONES);
  return { name, root: root ?? here, scope: scopeOf(name) };
}

function scopeOf(name: string): string {
  const scope = `project:${name}`;
  if (scope.length <= LONGEST_SCOPE) return scope;
  const digits = `~${digestOf(name).slice(0, DIGITS)}`;
  return `${scope.slice(0, LONGEST_SCOPE - digits.length).toWellFormed()}${digits}`;
}

function nameOf(root: string, clones: number): string {
  const git = gitFolderOf(root);
  const remote = remoteIn(textOf(join(git, 'config')));
  if (remote !== null) {
    const local = localPathOf(remote, root);
    if (local === null) return addressOf(remote);
    const from = clones > 0 ? rootOf(realPath(local)) : null;
    if (from !== null) return nameOf(from, clones - 1);
  }
  return localName(basename(git) === '.git' ? dirname(git) : git);
}

/** Two folders of one name are two places. */
function localName(folder: string): string {
  const name = basename(folder) || 'root';
  return `${name.slice(0, 100).toWellFormed()}-${digestOf(folder).slice(0, DIGITS)}`;
}

/**
 * The nearest folder, upwards, with a `.git`; outside of any, a bare repository is its own. Files of a working tree that
 * look like a bare repository are what somebody checked in, who must not choose the scope.
 */
const rootOf = (folder: string): string | null =>
  nearest(folder, ['.git']) ?? nearest(folder, ['HEAD', 'objects', 'config']);

/** The nearest folder, upwards, that has all these names in it. */
function nearest(folder: string, names: readonly string[]): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (names.every((name) => existsSync(join(at, name)))) return at;
    if (dirname(at) === at) return null;
  }
}

/** The folder that all worktrees of a repository share. */
function gitFolderOf(root: string): string {
  const git = join(root, '.git');
  const stats = statSync(git, { throwIfNoEntry: false });
  if (stats === undefined) return root;
  if (stats.isDirectory()) return git;
  const [, named] = /^gitdir:\s*(.+?)\s*$/m.exec(textOf(git)) ?? [];
  if (named === undefined) return git;
  const own = resolve(root, named);
  const common = textOf(join(own, 'commondir')).trim();
  return realPath(common === '' ? own : resolve(own, common));
}

/** The address of the remote `origin`, else of the first. */
function remoteIn(config: string): string | null {
  const found = new Map<string, string>();
  let remote: string | null = null;
  for (const line of config.split(/\r?\n/)) {
    const section = /^\s*\[\s*([^\]"]*?)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (section !== null) remote = section[1] === 'remote' ? (section[2] ?? null) : null;
    const [, url] = /^\s*url\s*=\s*"?(.*?)"?\s*$/.exec(line) ?? [];
    if (remote !== null && url && !found.has(remote)) found.set(remote, url);
  }
  return found.get('origin') ?? [...found.values()][0] ?? null;
}

/** A remote on this machine; null for one elsewhere. One letter before a colon is a drive of Windows. */
function localPathOf(remote: string, root: string): string | null {
  if (/^file:/i.test(remote)) {
    try {
      return fileURLToPath(remote);
    } catch {
      return null;
    }
  }
  const isElsewhere = /^[a-z][a-z\d+.-]+:\/\//i.test(remote) || /^[^/\\:]{2,}:/.test(remote);
  if (isElsewhere && !isAbsolute(remote)) return null;
  return resolve(root, remote);
}

/** Host and path, without user, password, port and ending: the same over HTTPS and SSH. */
function addressOf(remote: string): string {
  const [, host = '', path = ''] =
    /^[a-z][a-z\d+.-]+:\/\/(?:[^/]*@)?([^/:]*)(?::\d+)?(?:\/(.*))?$/i.exec(remote) ??
    /^(?:[^/]*@)?([^/:]+):(.*)$/.exec(remote) ??
    [];
  const parts = path
    .replace(/[?#].*$/, '')
    .split('/')
    .filter((part) => part !== '');
  return [host.toLowerCase(), ...parts].join('/').replace(/\.git$/, '');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

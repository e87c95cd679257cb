import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryOf } from '../../../main/agents/repository.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const git = (folder: string, ...argv: readonly string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...argv], {
    stdio: 'ignore',
  });

function made(home: string, name: string, remote?: string): string {
  const folder = join(home, name);
  mkdirSync(folder);
  git(folder, 'init');
  if (remote !== undefined) git(folder, 'remote', 'add', 'origin', remote);
  return folder;
}

describe('the scope of a repository', () => {
  it('is named by its remote, however that is written, without user, password and port', () => {
    const home = freshFolder();
    const remotes = [
      'git@github.com:acme/shop.git',
      'https://github.com/acme/shop',
      'https://ann:ghp_secret@GitHub.com/acme/shop.git/',
      'ssh://git@github.com:22/acme/shop.git',
    ];
    const scopes = remotes.map((remote, at) => repositoryOf(made(home, `r${at}`, remote)).scope);
    expect(new Set(scopes)).toEqual(new Set(['project:github.com/acme/shop']));
  });

  it('is one for folders in it, worktrees, and clones without a remote elsewhere', () => {
    const home = freshFolder();
    const own = made(home, 'shop');
    git(own, 'commit', '--allow-empty', '-m', 'one');
    mkdirSync(join(own, 'src/deep'), { recursive: true });
    git(own, 'worktree', 'add', join(home, 'tree'));
    git(home, 'clone', own, join(home, 'clone'));
    git(home, 'clone', join(home, 'clone'), join(home, 'second'));
    const { scope, name } = repositoryOf(own);
    expect(name).toMatch(/^shop-[0-9a-f]{8}$/);
    for (const folder of ['shop/src/deep', 'tree', 'clone', 'second'])
      expect(repositoryOf(join(home, folder)).scope, folder).toBe(scope);
    expect(repositoryOf(join(home, 'tree')).root).toBe(repositoryOf(join(home, 'tree', '.')).root);
  });

  it('is another one for a folder of the same name, and one outside of any repository', () => {
    const home = freshFolder();
    mkdirSync(join(home, 'a'));
    mkdirSync(join(home, 'b'));
    expect(repositoryOf(made(join(home, 'a'), 'shop')).scope).not.toBe(
      repositoryOf(made(join(home, 'b'), 'shop')).scope,
    );
    expect(repositoryOf(join(home, 'a')).scope).toMatch(/^project:a-[0-9a-f]{8}$/);
    expect(repositoryOf(join(home, 'nowhere')).scope).toMatch(/^project:nowhere-[0-9a-f]{8}$/);
  });

  it('is not chosen by files of a working tree that look like a bare repository', () => {
    const home = freshFolder();
    const own = made(home, 'cloned', 'https://example.org/cloned.git');
    const folder = join(own, 'docs');
    mkdirSync(join(folder, 'objects'), { recursive: true });
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(folder, 'config'), '[remote "origin"]\n\turl = git@github.com:acme/shop.git\n');
    expect(repositoryOf(folder).scope).toBe('project:example.org/cloned');
    git(home, 'init', '--bare', 'bare');
    expect(repositoryOf(join(home, 'bare', 'refs')).name).toMatch(/^bare-/);
  });

  it('fits into a scope’s name, and ends for clones of each other', () => {
    const home = freshFolder();
    const long = repositoryOf(made(home, 'long', `https://example.org/${'x/'.repeat(300)}y.git`)).scope;
    expect(long.length).toBeLessThanOrEqual(200);
    const [one, two] = [made(home, 'one'), made(home, 'two')];
    git(one, 'remote', 'add', 'origin', two);
    git(two, 'remote', 'add', 'origin', `file://${one}`);
    expect(repositoryOf(one).scope).toMatch(/^project:/);
    writeFileSync(join(two, '.git', 'config'), '[remote "origin"\nurl');
    expect(repositoryOf(two).name).toMatch(/^two-/);
  });
});

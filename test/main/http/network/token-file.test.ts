import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { covers, onlyScope } from '../../../../main/http/network/grant.ts';
import { TokenFile } from '../../../../main/http/network/tokens/token-file.ts';
import type { TokenRequest } from '../../../../main/http/network/tokens/token-store.ts';
import { tokenStoreContract } from '../../../contract/token-store.ts';

const REQUEST: TokenRequest = { name: 'laptop', scopes: ['ana'], access: 'read', expires: null };

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'mnemis-tokens-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

tokenStoreContract('TokenFile', async (clock) => {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'memory.db.tokens.json');
  const open = () => new TokenFile(path, { clock });
  return {
    store: open(),
    another: async () => open(),
    atRest: async () => {
      const names = await readdir(folder.path);
      return (await Promise.all(names.map((name) => readFile(join(folder.path, name), 'utf8')))).join('\n');
    },
    end: () => folder[Symbol.asyncDispose](),
  };
});

describe('the file of the tokens', () => {
  const filled = async () => {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'sub', 'tokens.json');
    const store = new TokenFile(path);
    return { folder, path, store, ...(await store.issue(REQUEST)) };
  };

  it('is readable by its owner only, and nothing is left beside it', async () => {
    const { folder, path, store, entry, token } = await filled();
    await using _ = folder;
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await store.verify(token);
    await store.revoke(entry.id);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(`${path}.used`)).mode & 0o777).toBe(0o600);
    expect((await readdir(join(folder.path, 'sub'))).sort()).toEqual(['tokens.json', 'tokens.json.used']);
  });

  it('is not used if others can read it', async () => {
    const { folder, path, token } = await filled();
    await using _ = folder;
    await chmod(path, 0o644);
    await expect(new TokenFile(path).verify(token)).rejects.toMatchObject({ code: 'token-store' });
    await expect(new TokenFile(path).issue(REQUEST)).rejects.toMatchObject({ code: 'token-store' });
  });

  it('is not used if it is a link', async () => {
    const { folder, path, token } = await filled();
    await using _ = folder;
    await rename(path, `${path}.moved`);
    await symlink(`${path}.moved`, path);
    await expect(new TokenFile(path).verify(token)).rejects.toMatchObject({ code: 'token-store' });
  });

  it.each(['', '{', '[]', '{"version":2,"tokens":[]}', '{"version":1,"tokens":[{"id":"x"}]}'])(
    'accepts no token while it is damaged: %s',
    async (text) => {
      const { folder, path, store, token } = await filled();
      await using _ = folder;
      expect(await store.verify(token)).not.toBeNull();
      await writeFile(path, text);
      await expect(store.verify(token)).rejects.toMatchObject({ code: 'token-store' });
      await expect(store.isValid('0123456789abcdef')).rejects.toMatchObject({ code: 'token-store' });
      await expect(store.issue(REQUEST)).rejects.toMatchObject({ code: 'token-store' });
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  it('says where it cannot be written', async () => {
    const folder = await temporaryFolder();
    await using _ = folder;
    await writeFile(join(folder.path, 'file'), '');
    const store = new TokenFile(join(folder.path, 'file', 'tokens.json'));
    await expect(store.issue(REQUEST)).rejects.toMatchObject({ code: 'token-store' });
    await mkdir(join(folder.path, 'tokens.json'));
    await expect(new TokenFile(join(folder.path, 'tokens.json')).list()).rejects.toMatchObject({
      code: 'token-store',
    });
  });
});

describe('what a grant covers', () => {
  const grant = (...scopes: string[]) => ({ scopes, access: 'read' as const });

  it('is what its patterns name, and nothing else', () => {
    expect(covers(grant('ana'), 'ana')).toBe(true);
    for (const other of ['', 'an', 'ana2', 'Ana', 'ana ', 'ana*', '*', 'a\u0301na'])
      expect(covers(grant('ana'), other), other).toBe(false);
    expect(covers(grant('team-*'), 'team-1')).toBe(true);
    expect(covers(grant('team-*'), 'team-')).toBe(true);
    expect(covers(grant('team-*'), 'team')).toBe(false);
    expect(covers(grant('team-*'), 'other-team-1')).toBe(false);
    expect(covers(grant('*'), 'anything')).toBe(true);
    expect(covers(grant(), 'ana')).toBe(false);
    expect(covers({ scopes: ['ana'], access: 'metrics' }, 'ana')).toBe(false);
  });

  it('is one scope only where it names one exactly', () => {
    expect(onlyScope(grant('ana'))).toBe('ana');
    for (const other of [grant(), grant('*'), grant('ana*'), grant('ana', 'ben')])
      expect(onlyScope(other)).toBeNull();
    expect(onlyScope({ scopes: ['ana'], access: 'metrics' })).toBeNull();
  });
});

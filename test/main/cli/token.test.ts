import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TokenFile } from '../../../main/http/network/tokens/token-file.ts';
import { CommandLab } from './fake-terminal.ts';

interface Shown {
  readonly id: string;
  readonly token: string;
  readonly state: string;
  readonly scopes: readonly string[];
  readonly access: string;
  readonly expires: string | null;
  readonly revoked: string | null;
}

describe('mnemis token', () => {
  it('issues, lists and revokes', async () => {
    using lab = new CommandLab();
    const issued = await lab.run('token', 'issue', '--name', 'laptop', '--scope', 'ana', '--scope', 'team-*');
    expect(issued.exitCode, issued.err).toBe(0);
    const [token = ''] = issued.out.split('\n');
    expect(token).toMatch(/^mnemis_/);
    expect(issued.out).toContain('reads "ana", "team-*"');
    const file = join(lab.folder, 'memory.db.tokens.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lab.read('memory.db.tokens.json')).not.toContain(token.slice(24));
    expect(existsSync(join(lab.folder, 'memory.db'))).toBe(false);

    const store = new TokenFile(file);
    const entry = await store.verify(token);
    expect(entry).toMatchObject({ scopes: ['ana', 'team-*'], access: 'read' });

    const listed = (await lab.run('token', 'list', '--json')).json<{ tokens: Shown[] }>();
    expect(listed.tokens).toMatchObject([{ id: entry!.id, state: 'active', revoked: null }]);
    expect(Date.parse(listed.tokens[0]!.expires!) - Date.now()).toBeGreaterThan(89 * 86_400_000);
    expect((await lab.run('token', 'list')).out).toContain(`${entry!.id}  laptop: active`);

    const revoked = await lab.run('token', 'revoke', entry!.id, '--json');
    expect(revoked.json<Shown>()).toMatchObject({ id: entry!.id, state: 'revoked' });
    expect(await store.verify(token)).toBeNull();
    expect((await lab.run('token', 'list')).out).toContain('laptop: revoked');
  });

  it('prints a link that opens the app with the token, over TLS only', async () => {
    using lab = new CommandLab();
    const issue = ['token', 'issue', '--name', 'phone', '--scope', 'ana'];
    const { out } = await lab.run(...issue, '--link', 'https://memory.example.org');
    const [token = '', link = ''] = out.split('\n');
    expect(link).toBe(`https://memory.example.org/#token=${token}`);
    const { json } = await lab.run(...issue, '--link', 'http://localhost:7411', '--json');
    const shown = json<Shown & { readonly link: string }>();
    expect(shown.link).toBe(`http://localhost:7411/#token=${shown.token}`);
    for (const wrong of ['http://192.168.1.5:7411', 'https://memory.example.org/app', 'memory.example.org']) {
      const refused = await lab.run(...issue, '--link', wrong);
      expect([refused.exitCode, refused.err]).toEqual([2, expect.stringContaining('--link')]);
    }
    const { tokens } = (await lab.run('token', 'list', '--json')).json<{ tokens: Shown[] }>();
    expect(tokens).toHaveLength(2);
  });

  it('prints one document with --json, which has the token', async () => {
    using lab = new CommandLab();
    const { json } = await lab.run(
      ...['token', 'issue', '--name', 'figures', '--access', 'metrics', '--expires', 'never', '--json'],
    );
    const shown = json<Shown>();
    expect(shown).toMatchObject({ access: 'metrics', scopes: [], expires: null, state: 'active' });
    expect(shown.token).toContain(shown.id);
  });

  it('uses the file that a flag or the environment names', async () => {
    using lab = new CommandLab();
    await lab.run('token', 'issue', '--name', 'a', '--scope', 'a', '--tokens', 'own/tokens.json');
    expect(existsSync(join(lab.folder, 'own', 'tokens.json'))).toBe(true);
    lab.env.MNEMIS_TOKENS = join('own', 'tokens.json');
    expect((await lab.run('token', 'list')).out).toContain('a: active');
  });

  it.each([
    ['no scope', ['--name', 'x']],
    ['a scope for metrics', ['--name', 'x', '--access', 'metrics', '--scope', 'a']],
    ['no name', ['--scope', 'a']],
    ['a pattern with a star within', ['--name', 'x', '--scope', 'a*b']],
    ['an unknown access', ['--name', 'x', '--scope', 'a', '--access', 'admin']],
    ['a time that is over', ['--name', 'x', '--scope', 'a', '--expires', '2020-01-01']],
    ['no time', ['--name', 'x', '--scope', 'a', '--expires', 'soon']],
  ])('refuses %s, with advice', async (_, flags) => {
    using lab = new CommandLab();
    const { exitCode, out, err } = await lab.run('token', 'issue', ...flags);
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/^mnemis: /);
    expect(existsSync(join(lab.folder, 'memory.db.tokens.json'))).toBe(false);
  });

  it('refuses to revoke an unknown id', async () => {
    using lab = new CommandLab();
    const { exitCode, err } = await lab.run('token', 'revoke', '0123456789abcdef');
    expect(exitCode).toBe(1);
    expect(err).toContain('No token has this id');
  });

  it('has no tokens for a memory that ends with its process', async () => {
    using lab = new CommandLab();
    expect((await lab.run('token', 'list', '--path', ':memory:')).exitCode).toBe(2);
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { LogFile } from '../../../main/desktop/log-file.ts';
import { isSigned, publicPartOf, signUpdate } from '../../../main/desktop/update-signature.ts';
import { type UpdateSource, Updates, updateDialogs } from '../../../main/desktop/updates.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();

const newKey = (kind: 'ed25519' | 'ed448' = 'ed25519') =>
  (kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ed448')).privateKey
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
const key = newKey();
const notice = {
  version: '1.2.0',
  files: [{ url: 'Mnemis-1.2.0-linux-x64.AppImage', sha512: 'A'.repeat(88), size: 150_000_001 }],
};
const signed = { ...notice, signature: signUpdate(notice, key), releaseDate: '2026-12-01' };

function lab(found: unknown, answers: readonly boolean[] = [], failing: readonly string[] = []) {
  const log = join(folder, `${Math.random()}.log`);
  const done: string[] = [];
  const step = (name: string) => async () => void done.push(name);
  const source: UpdateSource = {
    check: async () => {
      done.push('check');
      if (found instanceof Error) throw found;
      return found;
    },
    download: step('download'),
    install: async () => {
      done.push('install');
      if (failing.includes('install')) throw new Error('No installer.');
    },
  };
  const left = [...answers];
  const answer = (name: string) => async () => {
    done.push(name);
    return left.shift() ?? false;
  };
  const tell = vi.fn(async (_message: string) => undefined);
  const updates = new Updates({
    source: async () => source,
    key: publicPartOf(key),
    dialogs: { offer: answer('offer'), offerRestart: answer('offer restart'), tell },
    log: new LogFile(log),
    beforeInstall: step('close engine'),
    afterFailure: () => void done.push('start engine'),
  });
  return { updates, done, tell, logged: () => (existsSync(log) ? readFileSync(log, 'utf8') : '') };
}

describe('updates', () => {
  it('downloads with consent, and installs with consent once the engine has ended', async () => {
    const refused = lab(signed, [false]);
    await refused.updates.check(true);
    expect(refused.done).toEqual(['check', 'offer']);
    const later = lab(signed, [true, false]);
    await later.updates.check(true);
    expect(later.done).toEqual(['check', 'offer', 'download', 'offer restart']);
    const taken = lab(signed, [true, true]);
    await taken.updates.check(false);
    expect(taken.done).toEqual(['check', 'offer', 'download', 'offer restart', 'close engine', 'install']);
    expect([refused, later, taken].map(({ logged }) => logged())).toEqual(['', '', '']);
  });

  it('tells of an installation that fails, and starts the engine again', async () => {
    const { updates, done, tell, logged } = lab(signed, [true, true], ['install']);
    await updates.check(false);
    expect(done.slice(-3)).toEqual(['close engine', 'install', 'start engine']);
    expect(tell.mock.calls).toEqual([[expect.stringContaining('could not install')]]);
    expect(logged()).toContain('No installer.');
  });

  it.each([
    ['no signature', notice],
    ['another key’s signature', { ...notice, signature: signUpdate(notice, newKey()) }],
    ['another version', { ...signed, version: '9.0.0' }],
    ['another file', { ...signed, files: [{ ...notice.files[0], sha512: 'B'.repeat(88) }] }],
    ['one file more', { ...signed, files: [...notice.files, ...notice.files] }],
    ['no files', { ...signed, files: [] }],
    ['no notice', 'version: 1'],
  ])('takes no update with %s', async (_, found) => {
    const { updates, done, tell, logged } = lab(found, [true, true]);
    await updates.check(false);
    expect(done).toEqual(['check']);
    expect(tell).not.toHaveBeenCalled();
    expect(logged()).toMatch(
      /The (signature of the update is missing or wrong|server’s notice is not valid)/,
    );
  });

  it('tells of failures only the user who asked, and logs them', async () => {
    const { updates, tell, logged } = lab(new Error('404 Not Found\nmany headers'));
    await updates.check(false);
    expect(tell).not.toHaveBeenCalled();
    await updates.check(true);
    expect(tell.mock.calls).toEqual([[expect.stringContaining('could not check')]]);
    expect(logged()).toMatch(/^\S+Z Error: 404 Not Found\n\S+Z Error: 404 Not Found\n$/);
  });

  it('tells who asked that there is nothing newer', async () => {
    const { updates, done, tell } = lab(null);
    await updates.check(false);
    expect(tell).not.toHaveBeenCalled();
    await Promise.all([updates.check(true), updates.check(true)]);
    expect(done).toEqual(['check', 'check']);
    expect(tell.mock.calls).toEqual([['This is the newest version of Mnemis.']]);
  });

  it('accepts one kind of key only', () => {
    const other = newKey('ed448');
    expect(isSigned({ ...notice, signature: signUpdate(notice, other) }, publicPartOf(other))).toBe(false);
    expect(isSigned({ ...notice, signature: signed.signature }, 'no key')).toBe(false);
    expect(isSigned({ ...notice, signature: signed.signature }, publicPartOf(key))).toBe(true);
  });

  it('asks in the system’s message boxes, where to close one is to decline', async () => {
    const shown = vi.fn(async (_options: object) => ({ response: 1 }));
    const { offer, offerRestart, tell } = updateDialogs(shown);
    expect([await offer('1.2.0', 150_000_001), await offerRestart('1.2.0')]).toEqual([false, false]);
    shown.mockResolvedValueOnce({ response: 0 });
    expect(await offer('1.2.0', 1)).toBe(true);
    await tell('x');
    expect(shown.mock.calls[0]![0]).toMatchObject({
      detail: expect.stringContaining('151 MB'),
      buttons: ['Download', 'Not now'],
      cancelId: 1,
    });
  });
});

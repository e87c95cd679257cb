import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { appProtocol } from '../../../main/desktop/app-protocol.ts';
import { findElectron, outsideArchive } from '../../../main/desktop/find-electron.ts';
import { type Cipher, KeyStore, keyOverrides } from '../../../main/desktop/key-store.ts';
import { isOwnPage, isPlace, webLink } from '../../../main/desktop/link-check.ts';
import { appMenu, type MenuActions, trayMenu } from '../../../main/desktop/menus.ts';
import { readPlacement, savePlacement } from '../../../main/desktop/window-state.ts';
import { PageFiles } from '../../../main/http/page/page-files.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();

/** Reverses the text. */
const cipher = (more: Partial<Cipher> = {}): Cipher => ({
  isEncryptionAvailable: () => true,
  encryptString: (text) => Buffer.from([...text].reverse().join('')),
  decryptString: (bytes) => [...bytes.toString()].reverse().join(''),
  getSelectedStorageBackend: () => 'gnome_libsecret',
  ...more,
});

describe('links', () => {
  it.each([
    ['https://example.org/a?b#c', 'https://example.org/a?b#c'],
    ['http://example.org', 'http://example.org/'],
    ['https://user:pw@example.org', null],
    ['javascript:alert(1)', null],
    ['file:///etc/passwd', null],
    ['smb://host/share', null],
    ['ms-settings:x', null],
    ['app://mnemis/', null],
    ['not a link', null],
    [`https://example.org/${'x'.repeat(2_000)}`, null],
  ])('%s', (address, wanted) => expect(webLink(address)).toBe(wanted));

  it('knows the app’s own page', () => {
    const own = ['app://mnemis/index.html#/c/1', 'app://mnemis/'];
    const foreign = [
      'app://evil/',
      'app://mnemis.evil/',
      'app://x@mnemis/',
      'https://mnemis/',
      'null',
      undefined,
    ];
    expect([...own, ...foreign].map(isOwnPage)).toEqual([true, true, ...foreign.map(() => false)]);
    expect(['/c/1', '/', 'c', '//x y', '/c/1#x', 7].map(isPlace)).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });
});

describe('KeyStore', () => {
  it('keeps a key encrypted, in a file of the user alone', () => {
    const path = join(folder, 'key.json');
    const store = new KeyStore(path, cipher());
    expect(store.read()).toBeNull();
    store.save('sk-secret');
    expect(store.read()).toBe('sk-secret');
    expect(readFileSync(path, 'utf8')).not.toContain('sk-secret');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, '{"version":1,"key":7}');
    expect(store.read()).toBeNull();
    store.save(null);
    expect(store.read()).toBeNull();
  });

  it.each([
    ['no encryption', cipher({ isEncryptionAvailable: () => false }), 'darwin'],
    ['a fixed password', cipher({ getSelectedStorageBackend: () => 'basic_text' }), 'linux'],
    ['an unknown backend', cipher({ getSelectedStorageBackend: () => 'unknown' }), 'linux'],
  ] as const)('refuses a system with %s', (_, bad, platform) => {
    const store = new KeyStore(join(folder, 'none.json'), bad, platform);
    expect(store.isAvailable).toBe(false);
    expect(() => store.save('sk-secret')).toThrow(expect.objectContaining({ code: 'key-storage' }));
  });

  it('shows only whether a key is set, and restarts the engine with a new one', async () => {
    const store = new KeyStore(join(folder, 'shown.json'), cipher());
    const restart = vi.fn();
    const { settings, saveSettings, saveKey } = keyOverrides({ store, isInEnvironment: false, restart });
    const told = { file: 'x', key: { storage: 'environment', variable: 'V', isSet: false } };
    expect(await saveKey!({ key: 'sk-secret' }, async () => null)).toEqual({ isSet: true, restarts: true });
    expect([restart.mock.calls.length, store.read()]).toEqual([1, 'sk-secret']);
    const key = { storage: 'system', variable: 'MNEMIS_LLM_API_KEY', isSet: true };
    expect(await settings!({}, async () => told)).toEqual({ file: 'x', key });
    expect(await saveSettings!({}, async () => ({ settings: told, restarts: false }))).toMatchObject({
      settings: { key },
    });
    for (const bad of [{ key: 'with space' }, { key: '' }, {}, null])
      await expect(saveKey!(bad, async () => null)).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('the window’s place', () => {
  const display = { x: 0, y: 0, width: 1_920, height: 1_080 };
  const path = join(folder, 'window.json');

  it('is as it was, where a display still shows it', () => {
    expect(readPlacement(path, [display]).bounds).toEqual({ width: 1_180, height: 820 });
    const bounds = { x: 2_000, y: 10, width: 900, height: 700 };
    savePlacement(path, { bounds, isMaximized: true });
    const second = { ...display, x: 1_920 };
    expect(readPlacement(path, [display, second])).toEqual({ bounds, isMaximized: true });
    expect(readPlacement(path, [display]).bounds).toEqual({ width: 900, height: 700 });
    savePlacement(path, { bounds: { x: 0, y: 0, width: 1, height: 1 }, isMaximized: false });
    expect(readPlacement(path, [display]).bounds).toMatchObject({ width: 360, height: 480 });
    const small = { ...display, width: 1_024, height: 700 };
    savePlacement(path, { bounds: { x: 5_000, y: 0, width: 3_000, height: 2_000 }, isMaximized: true });
    expect(readPlacement(path, [small])).toEqual({
      bounds: { width: 1_024, height: 700 },
      isMaximized: true,
    });
    writeFileSync(path, '{"bounds":{"x":"0"}}');
    expect(readPlacement(path, [small]).bounds).toEqual({ width: 1_024, height: 700 });
    expect(readPlacement(path, [display]).bounds).toEqual({ width: 1_180, height: 820 });
  });
});

it('serves the page over app:// with the policy of the browser', async () => {
  const page = join(folder, 'page');
  mkdirSync(page);
  writeFileSync(join(page, 'index.html'), '<title>x</title>');
  const serve = appProtocol(await PageFiles.open(page));
  const reply = await serve(new Request('app://mnemis/index.html'));
  expect([reply.status, await reply.text()]).toEqual([200, '<title>x</title>']);
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect((await serve(new Request('app://mnemis/../window.json'))).status).toBe(404);
  expect((await serve(new Request('app://other/index.html'))).status).toBe(405);
  expect((await serve(new Request('app://mnemis/index.html', { method: 'POST' }))).status).toBe(405);
});

it('finds Electron where it can start, else says why', () => {
  const electron = join(folder, 'electron');
  const linux = { platform: 'linux', folder: electron } as const;
  const display = { environment: { DISPLAY: ':0' }, ...linux };
  expect(findElectron({ ...display, folder: null })).toEqual({ reason: 'Electron is not installed' });
  expect(findElectron(display)).toEqual({ reason: 'Electron’s program was not downloaded' });
  mkdirSync(join(electron, 'dist'), { recursive: true });
  writeFileSync(join(electron, 'path.txt'), 'electron');
  expect(findElectron(display)).toEqual({ reason: 'Electron’s program was not downloaded' });
  writeFileSync(join(electron, 'dist/electron'), '');
  expect(findElectron(display)).toEqual({ program: join(electron, 'dist/electron') });
  expect(findElectron({ environment: {}, ...linux })).toEqual({ reason: 'there is no display' });
  expect(findElectron({ environment: {}, ...linux, platform: 'darwin' })).toHaveProperty('program');
});

it('reads what is beside the archive of an installed app there', () => {
  expect(outsideArchive('/opt/Mnemis/resources/app.asar/dist/renderer')).toBe(
    '/opt/Mnemis/resources/app.asar.unpacked/dist/renderer',
  );
  expect(outsideArchive('C:\\Mnemis\\resources\\app.asar\\dist')).toBe(
    'C:\\Mnemis\\resources\\app.asar.unpacked\\dist',
  );
  for (const path of [
    '/home/ann/mnemis/dist/renderer',
    '/opt/app.asar.unpacked/dist',
    '/opt/my-app.asar/dist',
  ])
    expect(outsideArchive(path)).toBe(path);
});

describe('menus', () => {
  const actions: MenuActions = {
    ...{ open: vi.fn(), newChat: vi.fn(), newWindow: vi.fn(), quit: vi.fn(), showReports: vi.fn() },
    ...{ keepRunning: vi.fn(), lookForUpdates: vi.fn(), checkForUpdates: vi.fn() },
  };
  const state = { keepsRunning: false, looksForUpdates: false, canUpdate: true, isForDevelopment: false };

  it('offer updates where the build has a server, and look by themselves only if that is on', () => {
    const help = appMenu(actions, state).at(-1)!.submenu as { label?: string; checked?: boolean }[];
    expect(help.map(({ label }) => label)).toEqual([
      'Check for updates…',
      'Check for updates automatically',
      undefined,
      'Show crash reports',
    ]);
    expect(help[1]!.checked).toBe(false);
    expect(JSON.stringify(trayMenu(actions, state))).toContain('Check for updates…');
    expect(JSON.stringify(trayMenu(actions, { ...state, canUpdate: false }))).not.toContain('updates');
  });

  it('have the developer’s tools outside installed apps, and the app’s own menu on macOS', () => {
    const text = (more: object) => JSON.stringify(appMenu(actions, { ...state, platform: 'linux', ...more }));
    expect(text({})).not.toContain('toggleDevTools');
    expect(text({ isForDevelopment: true })).toContain('toggleDevTools');
    expect([text({}), text({ platform: 'darwin' })].map((all) => all.includes('appMenu'))).toEqual([
      false,
      true,
    ]);
  });
});

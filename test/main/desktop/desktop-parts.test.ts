import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { appProtocol } from '../../../main/desktop/app-protocol.ts';
import { contextMenu } from '../../../main/desktop/context-menu.ts';
import { findElectron, outsideArchive } from '../../../main/desktop/find-electron.ts';
import { type Cipher, KeyStore, keyOverrides, sealKeyIn } from '../../../main/desktop/key-store.ts';
import { isOwnPage, isPlace, webLink } from '../../../main/desktop/link-check.ts';
import { appMenu, type MenuActions, trayMenu } from '../../../main/desktop/menus.ts';
import { OpenedFiles } from '../../../main/desktop/opened-files.ts';
import { readPlacement, savePlacement } from '../../../main/desktop/window-state.ts';
import { PageFiles } from '../../../main/http/page/page-files.ts';
import { readOpenedFiles } from '../../../renderer/imports/opened-files.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();
const OPENAI = 'https://api.openai.com';

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
  it('keeps keys encrypted, by their servers, in a file of the user alone', () => {
    const path = join(folder, 'key.json');
    const store = new KeyStore(path, cipher());
    expect(store.read()).toEqual({});
    store.save(`${OPENAI}/v1`, 'sk-secret');
    store.save('http://localhost:1234/v1', 'local');
    expect(store.read()).toEqual({ [OPENAI]: 'sk-secret', 'http://localhost:1234': 'local' });
    expect(readFileSync(path, 'utf8')).not.toContain('sk-secret');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    store.save(OPENAI, null);
    expect(store.read()).toEqual({ 'http://localhost:1234': 'local' });
    writeFileSync(path, '{"version":2,"key":7}');
    expect(store.read()).toEqual({});
    const earlier = cipher().encryptString('sk-earlier').toString('base64');
    writeFileSync(path, JSON.stringify({ version: 1, key: earlier }));
    expect(store.read()).toEqual({ [OPENAI]: 'sk-earlier' });
  });

  it.each([
    ['no encryption', cipher({ isEncryptionAvailable: () => false }), 'darwin'],
    ['a fixed password', cipher({ getSelectedStorageBackend: () => 'basic_text' }), 'linux'],
    ['an unknown backend', cipher({ getSelectedStorageBackend: () => 'unknown' }), 'linux'],
  ] as const)('leaves keys to the engine on a system with %s', async (_, bad, platform) => {
    const path = join(folder, 'none.json');
    const store = new KeyStore(path, bad, platform);
    expect([store.isAvailable, store.read()]).toEqual([false, null]);
    const restart = vi.fn();
    const { saveKey } = keyOverrides({ store, restart });
    const reply = { isSet: true, restarts: false };
    expect(await saveKey!({ address: OPENAI, key: 'sk-secret' }, async () => reply)).toMatchObject({
      isSet: true,
    });
    expect([restart.mock.calls.length, existsSync(path)]).toEqual([0, false]);
  });

  it('makes one key with which the engine seals other secrets, where the system can keep it', () => {
    const path = join(folder, 'seal.json');
    const key = sealKeyIn(path, cipher())!;
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(sealKeyIn(path, cipher())).toBe(key);
    expect(readFileSync(path, 'utf8')).not.toContain(key);
    const refuses = () => {
      throw new Error('of another session');
    };
    const anew = sealKeyIn(path, cipher({ decryptString: refuses }));
    expect(anew).toMatch(/^[0-9a-f]{64}$/);
    expect(anew).not.toBe(key);
    const none = join(folder, 'no-seal.json');
    expect(sealKeyIn(none, cipher({ isEncryptionAvailable: () => false }))).toBeNull();
    expect(existsSync(none)).toBe(false);
  });

  it('stores what the engine accepts, and restarts it with the new key', async () => {
    const store = new KeyStore(join(folder, 'shown.json'), cipher());
    const restart = vi.fn();
    const { saveKey } = keyOverrides({ store, restart });
    const input = { address: OPENAI, key: 'sk-secret' };
    const accepts = async () => ({ isSet: true, restarts: false });
    expect(await saveKey!(input, accepts)).toEqual({ isSet: true, restarts: true });
    expect([restart.mock.calls.length, store.read()]).toEqual([1, { [OPENAI]: 'sk-secret' }]);
    const refuses = () => Promise.reject(new InvalidInputError('no key'));
    await expect(saveKey!({ ...input, key: 'b c' }, refuses)).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect([restart.mock.calls.length, store.read()]).toEqual([1, { [OPENAI]: 'sk-secret' }]);
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
  const serve = appProtocol(await PageFiles.open(page), new OpenedFiles());
  const reply = await serve(new Request('app://mnemis/index.html'));
  expect([reply.status, await reply.text()]).toEqual([200, '<title>x</title>']);
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect((await serve(new Request('app://mnemis/../window.json'))).status).toBe(404);
  expect((await serve(new Request('app://other/index.html'))).status).toBe(405);
  expect((await serve(new Request('app://mnemis/index.html', { method: 'POST' }))).status).toBe(405);
});

it('gives the page the bytes and names of opened files, and nothing else of the disk', async () => {
  const opened = new OpenedFiles();
  writeFileSync(join(folder, 'Bücher & more.md'), '# Books');
  writeFileSync(join(folder, 'key.pem'), 'secret');
  const place = opened.placeOf(['Bücher & more.md', 'key.pem', 'missing.txt'], folder)!;
  const [, ids] = /^\/import\/([\w,-]+)$/.exec(place)!;
  const serve = appProtocol(await PageFiles.open(join(folder, 'page')), opened);
  const read = (address: string) => serve(new Request(new URL(address, 'app://mnemis/index.html')));
  const files = await readOpenedFiles(`${ids},${crypto.randomUUID()}`, read);
  expect(await Promise.all(files.map(async (file) => [file.name, await file.text()]))).toEqual([
    ['Bücher & more.md', '# Books'],
  ]);
  for (const id of ['..%2Fkey.pem', 'key.pem', '']) expect((await read(`/opened/${id}`)).status).toBe(404);
  expect(opened.placeOf(['key.pem'], folder)).toBeNull();
  const many = Array.from({ length: 60 }, (_, at) => `${at}.txt`);
  for (const name of many) writeFileSync(join(folder, name), name);
  const [, all] = /^\/import\/([\w,-]+)$/.exec(opened.placeOf(many, folder)!)!;
  expect(await readOpenedFiles(all!, read)).toHaveLength(60);
  expect(await readOpenedFiles(ids!, read)).toEqual([]); // those of before made room
});

describe('the context menu', () => {
  const actions = { copyText: vi.fn(), replaceWord: vi.fn(), learnWord: vi.fn() };
  const none = { isEditable: false, selectionText: '', linkURL: '', misspelledWord: '' };
  const editFlags = { canUndo: true, canRedo: true, canCut: true, canCopy: true, canPaste: true };
  const items = (more: object) =>
    contextMenu({ ...none, dictionarySuggestions: [], editFlags, ...more } as never, actions);
  const names = (more: object) => items(more).map(({ role, label, type }) => role ?? label ?? type);

  it('has what can be done where it is opened', () => {
    expect(names({})).toEqual([]);
    expect(names({ selectionText: 'a word' })).toEqual(['copy', 'selectAll']);
    const edits = ['undo', 'redo', 'separator', 'cut', 'copy', 'paste', 'selectAll'];
    expect(names({ isEditable: true })).toEqual(edits);
    expect(names({ linkURL: 'file:///etc/passwd' })).toEqual([]);
  });

  it('copies links, puts words right and learns them', () => {
    const wrong = { isEditable: true, misspelledWord: 'wrod', dictionarySuggestions: ['word', 'wrong'] };
    expect(names(wrong).slice(0, 4)).toEqual(['word', 'wrong', 'Add to dictionary', 'separator']);
    for (const item of [...items(wrong).slice(1, 3), ...items({ linkURL: 'https://example.org/' })])
      (item.click as () => void)();
    expect(actions.replaceWord).toHaveBeenCalledWith('wrong');
    expect(actions.learnWord).toHaveBeenCalledWith('wrod');
    expect(actions.copyText).toHaveBeenCalledWith('https://example.org/');
  });
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
    ...{ checkSpelling: vi.fn(), quickAsk: vi.fn(), listenForQuickAsk: vi.fn() },
    ...{ keepRunning: vi.fn(), lookForUpdates: vi.fn(), checkForUpdates: vi.fn() },
  };
  const checks = { checksSpelling: false, hasQuickAsk: true };
  const state = {
    ...checks,
    keepsRunning: false,
    looksForUpdates: false,
    canUpdate: true,
    isForDevelopment: false,
  };

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

import type { EventEmitter as Emitter } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MenuItem, MenuItemConstructorOptions } from 'electron';
import { describe, expect, it, vi } from 'vitest';
import { PageFiles } from '../../../main/http/page/page-files.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const played = await vi.hoisted(async () => {
  const { EventEmitter } = await import('node:events');
  const windows: PlayedWindow[] = [];
  const children: (Emitter & {
    posted: unknown[];
    path: string;
    options: { env: Record<string, string> };
  })[] = [];
  class Contents extends EventEmitter {
    readonly id: number;
    readonly sent: unknown[][] = [];
    openHandler: (details: { url: string }) => unknown = () => undefined;
    constructor(id: number) {
      super();
      this.id = id;
    }
    isDestroyed = () => false;
    send = (...words: unknown[]) => void this.sent.push(words);
    setWindowOpenHandler(handler: (details: { url: string }) => unknown) {
      this.openHandler = handler;
    }
  }
  class PlayedWindow extends EventEmitter {
    static getAllWindows = () => windows;
    readonly options: { webPreferences: Record<string, unknown> };
    readonly webContents: Contents;
    loaded = '';
    constructor(options: { webPreferences: Record<string, unknown> }) {
      super();
      this.options = options;
      this.webContents = new Contents(windows.length + 1);
      windows.push(this);
    }
    loadURL = async (address: string) => {
      this.loaded = address;
    };
    getNormalBounds = () => ({ x: 0, y: 0, width: 800, height: 600 });
    isMaximized = () => false;
    isMinimized = () => false;
    show = vi.fn(() => {
      this.isShown = true;
    });
    hide = vi.fn(() => {
      this.isShown = false;
    });
    isShown = false;
    isVisible = () => this.isShown;
    isFocused = () => this.isShown;
    setPosition = vi.fn();
    focus = vi.fn();
    destroy = () => {
      windows.splice(windows.indexOf(this), 1);
      this.emit('closed');
    };
  }
  const trays: PlayedTray[] = [];
  class PlayedTray extends EventEmitter {
    readonly image: string;
    menu: MenuItemConstructorOptions[] = [];
    constructor(image: string) {
      super();
      this.image = image;
      trays.push(this);
    }
    setToolTip = vi.fn();
    setContextMenu(items: MenuItemConstructorOptions[]) {
      this.menu = items;
    }
  }
  const popup = vi.fn();
  const shortcuts = new Map<string, () => void>();
  const defaultSession = {
    setSpellCheckerEnabled: vi.fn(),
    setSpellCheckerLanguages: vi.fn(),
    availableSpellCheckerLanguages: ['de', 'en-GB', 'en-US'],
    addWordToSpellCheckerDictionary: vi.fn(),
    setPermissionRequestHandler: vi.fn(),
    setPermissionCheckHandler: vi.fn(),
    setDevicePermissionHandler: vi.fn(),
  };
  const app = Object.assign(new EventEmitter(), {
    requestSingleInstanceLock: vi.fn(() => true),
    name: 'Mnemis',
    isPackaged: false,
    enableSandbox: vi.fn(),
    setPath: vi.fn(),
    setAsDefaultProtocolClient: vi.fn(),
    commandLine: { hasSwitch: vi.fn(() => false) },
    getPreferredSystemLanguages: () => ['de-CH', 'fr'],
    whenReady: async () => undefined,
    quit: vi.fn(),
    exit: vi.fn(),
  });
  return {
    windows,
    children,
    defaultSession,
    app,
    shortcuts,
    popup,
    globalShortcut: {
      register: (keys: string, act: () => void) => shortcuts.set(keys, act).has(keys),
      unregister: (keys: string) => shortcuts.delete(keys),
    },
    clipboard: { writeText: vi.fn() },
    BrowserWindow: PlayedWindow,
    ipcMain: new EventEmitter(),
    protocol: { registerSchemesAsPrivileged: vi.fn(), handle: vi.fn() },
    shell: { openExternal: vi.fn(async () => undefined), openPath: vi.fn(async () => '') },
    crashReporter: { start: vi.fn() },
    dialog: { showMessageBox: vi.fn(async () => ({ response: 1 })) },
    nativeImage: { createFromPath: (path: string) => path },
    Menu: {
      buildFromTemplate: (items: MenuItemConstructorOptions[]) => Object.assign(items, { popup }),
      setApplicationMenu: vi.fn((_items: MenuItemConstructorOptions[]) => undefined),
    },
    trays,
    Tray: PlayedTray,
    screen: {
      getCursorScreenPoint: () => ({ x: 10, y: 10 }),
      getDisplayNearestPoint: () => ({ workArea: { x: 0, y: 0, width: 1_920, height: 1_080 } }),
      getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1_920, height: 1_080 } }],
    },
    session: { defaultSession },
    safeStorage: { isEncryptionAvailable: () => false },
    utilityProcess: {
      fork: (path: string, _words: string[], options: { env: Record<string, string> }) => {
        const posted: unknown[] = [];
        const child = Object.assign(new EventEmitter(), {
          posted,
          options,
          path,
          postMessage: (message: unknown) => void posted.push(message),
          kill: () => true,
        });
        children.push(child);
        return child;
      },
    },
  };
});
vi.mock('electron', () => played);

const folder = freshFolder();

describe('the desktop app over a played Electron', async () => {
  vi.spyOn(PageFiles, 'open').mockResolvedValue({ read: async () => null } as unknown as PageFiles);
  const { runDesktop } = await import('../../../main/desktop/main.ts');
  await runDesktop({ XDG_DATA_HOME: folder, LOCALAPPDATA: folder, MNEMIS_LLM_API_KEY: 'sk-secret' });
  const [window] = played.windows;
  const { webContents } = window!;
  const from = (url: string, more: object = {}) => ({
    sender: webContents,
    senderFrame: { url, parent: null },
    ...more,
  });
  const PAGE = 'app://mnemis/index.html#/';

  const click = (items: readonly MenuItemConstructorOptions[], label: string, checked = false) => {
    const all = items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? item.submenu : [])]);
    const item = all.find((each) => each.label === label);
    if (item === undefined) throw new TypeError(`The menu has no ${label}`);
    item.click?.({ checked } as MenuItem, undefined, {} as Electron.KeyboardEvent);
  };
  const bar = () => played.Menu.setApplicationMenu.mock.lastCall![0];

  it('gives the page no Node.js and every protection', () => {
    expect(window!.options.webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      preload: expect.stringMatching(/preload\.cjs$/),
    });
    expect(played.app.enableSandbox).toHaveBeenCalled();
    expect(played.protocol.registerSchemesAsPrivileged).toHaveBeenCalledWith([
      { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
    ]);
    expect(played.protocol.handle).toHaveBeenCalledWith('app', expect.any(Function));
    expect(window!.loaded).toBe('app://mnemis/index.html#/');
  });

  it('lets its page copy text, and denies every other permission', () => {
    const [request] = played.defaultSession.setPermissionRequestHandler.mock.calls[0]!;
    const [check] = played.defaultSession.setPermissionCheckHandler.mock.calls[0]!;
    const asked = (permission: string, requestingUrl: string) => {
      const answer = vi.fn();
      request(null, permission, answer, { requestingUrl });
      return [answer.mock.lastCall![0], check(null, permission, requestingUrl)];
    };
    expect(asked('clipboard-sanitized-write', 'app://mnemis/')).toEqual([true, true]);
    expect(asked('clipboard-sanitized-write', 'https://evil.example/')).toEqual([false, false]);
    for (const permission of ['clipboard-read', 'media', 'geolocation', 'notifications', 'openExternal'])
      expect(asked(permission, 'app://mnemis/'), permission).toEqual([false, false]);
    expect(played.defaultSession.setDevicePermissionHandler.mock.calls[0]![0]()).toBe(false);
  });

  it('has a context menu, and checks the spelling only where that fetches nothing or is asked for', () => {
    const flags = { canUndo: true, canRedo: false, canCut: true, canCopy: true, canPaste: true };
    const clicked = { selectionText: '', linkURL: '', misspelledWord: '', dictionarySuggestions: [] };
    webContents.emit('context-menu', {}, { ...clicked, isEditable: true, editFlags: flags });
    webContents.emit('context-menu', {}, { ...clicked, isEditable: false, editFlags: flags });
    expect(played.popup.mock.calls).toEqual([[{ window }]]);
    const isMac = process.platform === 'darwin';
    expect(played.defaultSession.setSpellCheckerEnabled.mock.lastCall).toEqual([isMac]);
    click(bar(), isMac ? 'Check spelling' : 'Check spelling (fetches a dictionary once)', true);
    expect(played.defaultSession.setSpellCheckerEnabled.mock.lastCall).toEqual([true]);
    if (!isMac)
      expect(played.defaultSession.setSpellCheckerLanguages.mock.lastCall).toEqual([['de', 'en-US']]);
    click(bar(), isMac ? 'Check spelling' : 'Check spelling (fetches a dictionary once)', false);
  });

  it('shows a small window for a question at the global shortcut, beside the large ones', () => {
    const before = played.windows.length;
    const press = () => played.shortcuts.get('CommandOrControl+Shift+Space')!();
    press();
    const quick = played.windows.at(-1)!;
    expect([played.windows.length, quick.loaded]).toEqual([before + 1, PAGE]);
    expect(quick.options).toMatchObject({ alwaysOnTop: true, webPreferences: { sandbox: true } });
    press();
    expect(quick.isVisible()).toBe(false);
    press();
    expect([played.windows.length, quick.isVisible()]).toEqual([before + 1, true]);
    click(
      bar(),
      process.platform === 'darwin' ? 'Quick ask with ⇧⌘Space' : 'Quick ask with Ctrl+Shift+Space',
    );
    expect(played.shortcuts.size).toBe(0);
    quick.destroy();
  });

  it('shows the system’s files where they are imported, under an id in place of a path', () => {
    const file = join(folder, 'chats.zip');
    writeFileSync(file, 'PK');
    window!.loaded = '';
    played.app.emit('second-instance', {}, ['mnemis-app', 'chats.zip'], folder);
    expect(window!.loaded).toMatch(/^app:\/\/mnemis\/index\.html#\/import\/[\w-]{36}$/);
    window!.loaded = '';
    played.app.emit('second-instance', {}, ['mnemis-app', 'gone.zip', '--flag.zip', '/etc/passwd'], folder);
    expect(window!.loaded).toBe('');
    const event = { preventDefault: vi.fn() };
    played.app.emit('open-file', event, file);
    expect([event.preventDefault.mock.calls.length, window!.loaded.includes('/import/')]).toEqual([1, true]);
    window!.loaded = PAGE;
  });

  it('opens links outside, and stays in its page', () => {
    expect(webContents.openHandler({ url: 'https://example.org/' })).toEqual({ action: 'deny' });
    expect(webContents.openHandler({ url: 'file:///etc/passwd' })).toEqual({ action: 'deny' });
    const away = { url: 'https://example.org/2', preventDefault: vi.fn() };
    webContents.emit('will-navigate', away);
    const own = { url: PAGE, preventDefault: vi.fn() };
    webContents.emit('will-navigate', own);
    expect([away.preventDefault.mock.calls.length, own.preventDefault.mock.calls.length]).toEqual([1, 0]);
    expect(played.shell.openExternal.mock.calls).toEqual([
      ['https://example.org/'],
      ['https://example.org/2'],
    ]);
  });

  it('takes messages from its own page only, and carries them to the engine', async () => {
    await expect.poll(() => played.children).toHaveLength(1);
    const [engine] = played.children;
    engine!.emit('message', { type: 'ready' });
    const request = { id: 1, type: 'request', method: 'health', input: '{}' };
    const send = (event: object) => played.ipcMain.emit('mnemis:to-engine', event, request);
    send(from('https://evil.example/'));
    send(from('app://evil/'));
    send(from(PAGE, { senderFrame: null }));
    send(from(PAGE, { senderFrame: { url: PAGE, parent: {} } }));
    send(from(PAGE, { sender: { id: 99 } }));
    expect(engine!.posted).toEqual([]);
    send(from(PAGE));
    const [{ id }] = engine!.posted as [{ id: number }];
    engine!.emit('message', { id, result: '{"pid":7}' });
    expect(webContents.sent).toEqual([['mnemis:from-engine', { id: 1, result: '{"pid":7}' }]]);
    expect(engine!.options.env.MNEMIS_LLM_API_KEY).toBe('sk-secret');
    expect(JSON.stringify(webContents.sent)).not.toContain('sk-secret');
  });

  it('starts models for the engine, carries their messages, and ends them with it', () => {
    const [engine] = played.children;
    const load = { kind: 'load', file: 'm.gguf' };
    engine!.emit('message', { type: 'model-start', model: 1 });
    engine!.emit('message', { type: 'model-post', model: 1, message: load });
    const model = played.children.at(-1)!;
    expect(model.path).toMatch(/model-process\.js$/);
    expect(model.posted).toEqual([load]);
    model.emit('message', { kind: 'piece' });
    expect(engine!.posted.at(-1)).toEqual({ type: 'model-message', model: 1, message: { kind: 'piece' } });
    model.emit('exit', 1);
    expect(engine!.posted.at(-1)).toEqual({ type: 'model-exit', model: 1, how: 'code 1' });
    played.children.pop();
  });

  it('opens more windows for its own page only, at places of the app', () => {
    const open = (event: object, place: unknown) => played.ipcMain.emit('mnemis:open-window', event, place);
    open(from('https://evil.example/'), '/c/1');
    open(from(PAGE), 'https://evil.example/');
    expect(played.windows).toHaveLength(1);
    open(from(PAGE), '/c/1');
    expect(played.windows[1]!.loaded).toBe('app://mnemis/index.html#/c/1');
  });

  it('keeps crash reports in the data folder, and sends them nowhere', async () => {
    const reports = join(folder, 'mnemis/reports');
    expect(played.crashReporter.start).toHaveBeenCalledWith({
      uploadToServer: false,
      ignoreSystemCrashHandler: true,
    });
    expect(played.app.setPath).toHaveBeenCalledWith('crashDumps', join(reports, 'dumps'));
    played.app.emit('render-process-gone', {}, {}, { reason: 'crashed', exitCode: 139 });
    played.app.emit('child-process-gone', {}, { type: 'GPU', reason: 'killed', exitCode: 9 });
    played.app.emit('child-process-gone', {}, { type: 'Utility', reason: 'clean-exit', exitCode: 0 });
    expect(readFileSync(join(reports, 'crashes.log'), 'utf8')).toMatch(
      /^\S+Z window: crashed \(139\)\n\S+Z GPU: killed \(9\)\n$/,
    );
    click(bar(), 'Show crash reports');
    expect(played.shell.openPath).toHaveBeenCalledWith(reports);
    const dump = join(reports, 'dumps/1.dmp');
    writeFileSync(dump, 'memory of a process');
    const send = (method: string) =>
      played.ipcMain.emit('mnemis:to-engine', from(PAGE), { id: 7, type: 'request', method, input: '{}' });
    send('previewForget');
    expect(existsSync(dump)).toBe(true);
    send('forget');
    expect(existsSync(dump)).toBe(false);
  });

  it('has an icon in the tray, whose menu opens the app and a new chat', () => {
    const [tray] = played.trays;
    expect(tray!.image).toMatch(/dist.desktop.tray(Template)?\.png$/);
    window!.show.mockClear();
    click(tray!.menu, 'Open Mnemis');
    expect(window!.show).toHaveBeenCalledOnce();
    expect(window!.loaded).toBe('app://mnemis/index.html#/');
    window!.loaded = '';
    click(tray!.menu, 'New chat');
    expect(window!.loaded).toBe('app://mnemis/index.html#/');
    const before = played.windows.length;
    click(bar(), 'New window');
    expect(played.windows).toHaveLength(before + 1);
  });

  it('goes on without a window only if that is turned on', () => {
    played.app.emit('window-all-closed');
    if (process.platform !== 'darwin') expect(played.app.quit).toHaveBeenCalledOnce();
    played.app.quit.mockClear();
    click(bar(), 'Keep running in the tray', true);
    expect(played.trays[0]!.menu).toContainEqual(
      expect.objectContaining({ label: 'Keep running in the tray', checked: true }),
    );
    played.app.emit('window-all-closed');
    expect(played.app.quit).not.toHaveBeenCalled();
    const stored = readFileSync(join(folder, 'mnemis/desktop.json'), 'utf8');
    expect(JSON.parse(stored)).toMatchObject({ keepsRunning: true, looksForUpdates: false });
  });

  it('has no updates without an update server', () => {
    expect(JSON.stringify([bar(), played.trays[0]!.menu])).not.toContain('updates');
  });

  it('follows links to places of the app, and ignores others', () => {
    const start = (...words: string[]) => played.app.emit('second-instance', {}, ['mnemis-app', ...words]);
    window!.loaded = '';
    start('mnemis://forget?all=true');
    expect(window!.loaded).toBe('');
    start('mnemis://ask?q=Who%20is%20Ann%3F');
    expect(window!.loaded).toBe('app://mnemis/index.html#/?ask=Who%20is%20Ann%3F');
    const event = { preventDefault: vi.fn() };
    played.app.emit('open-url', event, 'mnemis://browse');
    expect([event.preventDefault.mock.calls.length, window!.loaded]).toEqual([
      1,
      'app://mnemis/index.html#/browse',
    ]);
    expect(played.app.setAsDefaultProtocolClient).not.toHaveBeenCalled(); // it is not installed
  });

  it('ends the engine before the app', async () => {
    const event = { preventDefault: vi.fn() };
    played.app.emit('before-quit', event);
    expect(event.preventDefault).toHaveBeenCalled();
    const [engine] = played.children;
    expect(engine!.posted.at(-1)).toEqual({ type: 'stop' });
    engine!.emit('exit', 0);
    await expect.poll(() => played.app.quit).toHaveBeenCalled();
  });

  it('is one per user: a second start shows the first window', async () => {
    window!.focus.mockClear();
    played.app.emit('second-instance', {}, ['mnemis-app']);
    expect(window!.focus).toHaveBeenCalled();
    played.app.requestSingleInstanceLock.mockReturnValueOnce(false);
    const before = played.windows.length;
    await runDesktop({});
    expect(played.windows).toHaveLength(before);
  });
});

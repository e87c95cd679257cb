import type { EventEmitter as Emitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { PageFiles } from '../../../main/web/page-files.ts';

const played = await vi.hoisted(async () => {
  const { EventEmitter } = await import('node:events');
  const windows: PlayedWindow[] = [];
  const children: (Emitter & { posted: unknown[]; options: { env: Record<string, string> } })[] = [];
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
    focus = vi.fn();
  }
  const defaultSession = {
    setPermissionRequestHandler: vi.fn(),
    setPermissionCheckHandler: vi.fn(),
    setDevicePermissionHandler: vi.fn(),
  };
  const app = Object.assign(new EventEmitter(), {
    requestSingleInstanceLock: vi.fn(() => true),
    enableSandbox: vi.fn(),
    whenReady: async () => undefined,
    quit: vi.fn(),
    exit: vi.fn(),
  });
  return {
    windows,
    children,
    defaultSession,
    app,
    BrowserWindow: PlayedWindow,
    ipcMain: new EventEmitter(),
    protocol: { registerSchemesAsPrivileged: vi.fn(), handle: vi.fn() },
    shell: { openExternal: vi.fn(async () => undefined) },
    screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1_920, height: 1_080 } }] },
    session: { defaultSession },
    safeStorage: { isEncryptionAvailable: () => false },
    utilityProcess: {
      fork: (_path: string, _words: string[], options: { env: Record<string, string> }) => {
        const posted: unknown[] = [];
        const child = Object.assign(new EventEmitter(), {
          posted,
          options,
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

const folder = mkdtempSync(join(tmpdir(), 'mnemis-wiring-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

  it('denies every permission', () => {
    const answer = vi.fn();
    played.defaultSession.setPermissionRequestHandler.mock.calls[0]![0](null, 'media', answer);
    expect(answer).toHaveBeenCalledWith(false);
    expect(played.defaultSession.setPermissionCheckHandler.mock.calls[0]![0]()).toBe(false);
    expect(played.defaultSession.setDevicePermissionHandler.mock.calls[0]![0]()).toBe(false);
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
    await vi.waitFor(() => expect(played.children).toHaveLength(1));
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

  it('opens more windows for its own page only, at places of the app', () => {
    const open = (event: object, place: unknown) => played.ipcMain.emit('mnemis:open-window', event, place);
    open(from('https://evil.example/'), '/c/1');
    open(from(PAGE), 'https://evil.example/');
    expect(played.windows).toHaveLength(1);
    open(from(PAGE), '/c/1');
    expect(played.windows[1]!.loaded).toBe('app://mnemis/index.html#/c/1');
  });

  it('ends the engine before the app', async () => {
    const event = { preventDefault: vi.fn() };
    played.app.emit('before-quit', event);
    expect(event.preventDefault).toHaveBeenCalled();
    const [engine] = played.children;
    expect(engine!.posted.at(-1)).toEqual({ type: 'stop' });
    engine!.emit('exit', 0);
    await vi.waitFor(() => expect(played.app.quit).toHaveBeenCalled());
  });

  it('is one per user: a second start shows the first window', async () => {
    played.app.emit('second-instance');
    expect(window!.focus).toHaveBeenCalled();
    played.app.requestSingleInstanceLock.mockReturnValueOnce(false);
    const before = played.windows.length;
    await runDesktop({});
    expect(played.windows).toHaveLength(before);
  });
});

// Needs Electron's program: see `findElectron`. `npm run test:e2e` drives it where it exists.
it.skip('end to end in Electron: its program is not part of the checkout', () => undefined);

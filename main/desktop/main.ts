import { join } from 'node:path';
import {
  app,
  BrowserWindow,
  type IpcMainEvent,
  ipcMain,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  utilityProcess,
} from 'electron';
import { dataFolder } from '../../src/util/files.ts';
import { MODEL_KEY_VARIABLE } from '../language-model.ts';
import { ALLOCATOR_LIMITS } from '../server/allocator-limits.ts';
import { PageFiles } from '../web/page-files.ts';
import { packageRoot } from '../web/ready-page.ts';
import { appProtocol } from './app-protocol.ts';
import { EngineSupervisor } from './engine-supervisor.ts';
import { keyOverrides } from './key-overrides.ts';
import { KeyStore } from './key-store.ts';
import { APP_ORIGIN, isOwnPage, isPlace, webLink } from './link-check.ts';
import { PortRelay, type WindowEnd } from './port-relay.ts';
import { APP_SCHEME, CHANNELS, PAGE_PREFERENCES } from './window-options.ts';
import { LEAST_SIZE, readPlacement, savePlacement } from './window-state.ts';

/** Built by `scripts/build.ts`. */
const PARTS = join(packageRoot(), 'dist');
const PRELOAD = join(PARTS, 'desktop/preload.cjs');
const ENGINE = join(PARTS, 'desktop/engine-process.js');
const PAGE = join(PARTS, 'renderer');

/** The main process of the desktop app: windows, and the way between them and the engine's process. */
export async function runDesktop(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  if (!app.requestSingleInstanceLock()) return app.quit();
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([APP_SCHEME]);
  const folder = dataFolder(environment);
  const placement = join(folder, 'window.json');
  const keys = new KeyStore(join(folder, 'model-key.json'), safeStorage);
  const isInEnvironment = Boolean(environment[MODEL_KEY_VARIABLE]);

  const supervisor: EngineSupervisor = new EngineSupervisor(
    {
      start: ({ onMessage, onExit }) => {
        const key = isInEnvironment ? null : keys.read();
        const child = utilityProcess.fork(ENGINE, [], {
          serviceName: 'mnemis engine',
          stdio: 'inherit',
          env: { ...ALLOCATOR_LIMITS, ...environment, ...(key !== null && { [MODEL_KEY_VARIABLE]: key }) },
        });
        child.on('message', onMessage);
        child.on('exit', onExit);
        return { post: (message) => child.postMessage(message), kill: () => void child.kill() };
      },
    },
    {
      onReply: (message) => relay.onReply(message),
      onReady: () => relay.onReady(),
      onLost: () => relay.onLost(),
      onFailed: (error) => relay.onFailed(error),
    },
  );
  const relay = new PortRelay(
    supervisor,
    keyOverrides({ store: keys, isInEnvironment, restart: () => supervisor.restart() }),
  );
  const windows = new Map<number, WindowEnd>();

  const open = (place = '/') => {
    const displays = screen.getAllDisplays().map(({ workArea }) => workArea);
    const { bounds, isMaximized } = readPlacement(placement, displays);
    const { x: _x, y: _y, ...size } = bounds;
    const window = new BrowserWindow({
      ...(windows.size === 0 ? bounds : size), // a second window does not cover the first
      minWidth: LEAST_SIZE.width,
      minHeight: LEAST_SIZE.height,
      show: false,
      autoHideMenuBar: true,
      webPreferences: { ...PAGE_PREFERENCES, preload: PRELOAD },
    });
    const { webContents } = window;
    const end: WindowEnd = {
      post: (message) => {
        if (!webContents.isDestroyed()) webContents.send(CHANNELS.fromEngine, message);
      },
    };
    windows.set(webContents.id, end);
    window.once('ready-to-show', () => {
      if (isMaximized) window.maximize();
      window.show();
    });
    window.on('close', () =>
      savePlacement(placement, { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() }),
    );
    const { id } = webContents;
    window.once('closed', () => {
      windows.delete(id);
      relay.leave(end);
    });
    // The page was loaded again: what it asked for before is of no use.
    webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) relay.leave(end);
    });
    guard(webContents);
    void window.loadURL(`${APP_ORIGIN}/index.html#${place}`);
  };

  ipcMain.on(CHANNELS.toEngine, (event, message) => {
    const end = windows.get(event.sender.id);
    if (end !== undefined && isFromPage(event)) relay.receive(end, message);
  });
  ipcMain.on(CHANNELS.openWindow, (event, place) => {
    if (isFromPage(event) && isPlace(place)) open(place);
  });
  app.on('second-instance', () => {
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) return open();
    if (window.isMinimized()) window.restore();
    window.focus();
  });
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) open();
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  let isClosed = false;
  app.on('before-quit', (event) => {
    if (isClosed) return;
    event.preventDefault(); // the engine ends first, so that running requests complete
    void supervisor.close().finally(() => {
      isClosed = true;
      app.quit();
    });
  });

  await app.whenReady();
  const files = await PageFiles.open(PAGE);
  protocol.handle('app', appProtocol(files) as Parameters<typeof protocol.handle>[1]);
  denyPermissions();
  supervisor.want();
  open();
}

function isFromPage({ senderFrame }: IpcMainEvent): boolean {
  return senderFrame !== null && senderFrame.parent === null && isOwnPage(senderFrame.url);
}

/** A page stays in its place: links open in the system's browser, all other ways out are closed. */
function guard(webContents: Electron.WebContents): void {
  const openOutside = (address: string) => {
    const link = webLink(address);
    if (link !== null) void shell.openExternal(link);
  };
  webContents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
  webContents.on('will-navigate', (event) => {
    if (isOwnPage(event.url)) return;
    event.preventDefault();
    openOutside(event.url);
  });
  webContents.on('will-redirect', (event) => event.preventDefault());
  webContents.on('will-attach-webview', (event) => event.preventDefault());
}

function denyPermissions(): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  defaultSession.setPermissionCheckHandler(() => false);
  defaultSession.setDevicePermissionHandler(() => false);
}

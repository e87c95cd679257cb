import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  type IpcMainEvent,
  ipcMain,
  Menu,
  nativeImage,
  protocol,
  safeStorage,
  session,
  shell,
  Tray,
  utilityProcess,
} from 'electron';
import { z } from 'zod';
import { dataFolder, readStateFile, writeStateFile } from '../../src/util/files.ts';
import { PageFiles } from '../http/page/page-files.ts';
import { MODEL_KEY_VARIABLE } from '../model-key.ts';
import { ALLOCATOR_LIMITS } from '../processes/allocator-limits.ts';
import { packageRoot } from '../processes/ready-page.ts';
import { appProtocol } from './app-protocol.ts';
import { CrashReports, isRemoving, removesText } from './crash-reports.ts';
import { LINK_SCHEME, placeInArguments, placeOfLink } from './deep-link.ts';
import { DesktopWindows } from './desktop-windows.ts';
import { electronUpdates } from './electron-updates.ts';
import { EngineSupervisor } from './engine-supervisor.ts';
import { outsideArchive } from './find-electron.ts';
import { KeyStore, keyOverrides } from './key-store.ts';
import { isOwnPage, isPlace } from './link-check.ts';
import { LogFile } from './log-file.ts';
import { appMenu, type MenuActions, trayMenu } from './menus.ts';
import { PortRelay } from './port-relay.ts';
import { Updates, updateDialogs } from './updates.ts';
import { APP_SCHEME, CHANNELS } from './window-options.ts';

/** Built by `scripts/build.ts`. */
const ROOT = packageRoot();
const PARTS = join(ROOT, 'dist');
const PRELOAD = join(PARTS, 'desktop/preload.cjs');
const ENGINE = outsideArchive(join(PARTS, 'desktop/engine-process.js'));
const PAGE = outsideArchive(join(PARTS, 'renderer'));
/** macOS colours the second one itself. */
const TRAY_IMAGE = join(PARTS, `desktop/tray${process.platform === 'darwin' ? 'Template' : ''}.png`);

const BETWEEN_CHECKS = 86_400_000;

/** The main process of the desktop app: windows, and the way between them and the engine's process. */
export async function runDesktop(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  if (!app.requestSingleInstanceLock()) return app.quit();
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([APP_SCHEME]);
  const folder = dataFolder(environment);
  const reports = watchCrashes(folder);
  const settings = new DesktopSettings(join(folder, 'desktop.json'));
  const keys = new KeyStore(join(folder, 'model-key.json'), safeStorage);
  const isInEnvironment = Boolean(environment[MODEL_KEY_VARIABLE]);

  const supervisor: EngineSupervisor = new EngineSupervisor(
    {
      start: ({ onMessage, onExit }) => {
        const key = isInEnvironment ? null : keys.read();
        const child = utilityProcess.fork(ENGINE, [], {
          serviceName: 'mnemis engine',
          stdio: 'inherit',
          // An installed app is started in a folder that has nothing to do with it.
          ...(app.isPackaged && { cwd: folder }),
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
    // Again: a process may have crashed while it removed text.
    (method) => void (isRemoving(method) && reports.removeDumps()),
  );
  const windows = new DesktopWindows({
    preload: PRELOAD,
    placement: join(folder, 'window.json'),
    onLeave: (end) => relay.leave(end),
  });

  ipcMain.on(CHANNELS.toEngine, (event, message) => {
    const end = windows.endOf(event.sender.id);
    if (end === undefined || !isFromPage(event)) return;
    if (removesText(message)) reports.removeDumps();
    relay.receive(end, message);
  });
  ipcMain.on(CHANNELS.openWindow, (event, place) => {
    if (isFromPage(event) && isPlace(place)) windows.open(place);
  });

  let isClosed = false;
  const closeEngine = async () => {
    await supervisor.close();
    isClosed = true;
  };
  app.on('before-quit', (event) => {
    if (isClosed) return;
    event.preventDefault(); // the engine ends first, so that running requests complete
    void closeEngine().finally(() => app.quit());
  });
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) windows.open();
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && !settings.values.keepsRunning) app.quit();
  });

  // A link starts the app, or reaches the one that runs: as an argument, on macOS as an event.
  let asked = placeInArguments(process.argv) ?? undefined;
  let isOpen = false;
  const follow = (place: string | undefined) => {
    if (isOpen) windows.show(place);
    else asked = place ?? asked;
  };
  app.on('second-instance', (_event, words) => follow(placeInArguments(words) ?? undefined));
  app.on('open-url', (event, address) => {
    event.preventDefault();
    follow(placeOfLink(address) ?? undefined);
  });

  await app.whenReady();
  // The installers of the other systems register links; those of an app from source would stay behind.
  if (app.isPackaged && process.platform === 'win32') app.setAsDefaultProtocolClient(LINK_SCHEME);
  const files = await PageFiles.open(PAGE);
  protocol.handle('app', appProtocol(files) as Parameters<typeof protocol.handle>[1]);
  denyPermissions();
  const updates = updatesOf(new LogFile(join(reports.folder, 'updates.log')), {
    beforeInstall: closeEngine,
    afterFailure: () => {
      isClosed = false;
      supervisor.reopen();
    },
  });
  supervisor.want();
  windows.open(asked);
  isOpen = true;
  showMenus({ settings, reports, windows, updates });
}

/** Reports of crashes stay on this machine: nothing has an address to send them to. */
function watchCrashes(folder: string): CrashReports {
  const reports = new CrashReports(folder);
  reports.open();
  app.setPath('crashDumps', reports.dumps);
  crashReporter.start({ uploadToServer: false, ignoreSystemCrashHandler: true });
  reports.watch('app');
  app.on('render-process-gone', (_event, _contents, { reason, exitCode }) => {
    if (reason !== 'clean-exit') reports.note('window', `${reason} (${exitCode})`);
  });
  app.on('child-process-gone', (_event, { type, name, reason, exitCode }) => {
    if (reason !== 'clean-exit') reports.note(name ?? type, `${reason} (${exitCode})`);
  });
  return reports;
}

/** Null for a build without an update server, as from source. */
function updatesOf(
  log: LogFile,
  engine: { readonly beforeInstall: () => Promise<void>; readonly afterFailure: () => void },
): Updates | null {
  const content = z
    .looseObject({ updateKey: z.string().optional() })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  if (content.updateKey === undefined || !app.isPackaged) return null;
  return new Updates({
    source: () => electronUpdates(log),
    key: content.updateKey,
    dialogs: updateDialogs((options) => dialog.showMessageBox(options)),
    log,
    ...engine,
  });
}

interface Parts {
  readonly settings: DesktopSettings;
  readonly reports: CrashReports;
  readonly windows: DesktopWindows;
  readonly updates: Updates | null;
}

/** The menu bar and the tray; looks for updates if the user has turned that on. */
function showMenus({ settings, reports, windows, updates }: Parts): void {
  const tray = trayIcon();
  const set = (change: Parameters<DesktopSettings['set']>[0]) => {
    settings.set(change);
    draw(); // the same choice is in two menus
  };
  const actions: MenuActions = {
    open: () => windows.show(),
    newChat: () => windows.show('/'),
    newWindow: () => windows.open(),
    quit: () => app.quit(),
    keepRunning: (keepsRunning) => set({ keepsRunning }),
    lookForUpdates: (looksForUpdates) => {
      set({ looksForUpdates });
      look();
    },
    checkForUpdates: () => void updates?.check(true),
    showReports: () => void shell.openPath(reports.folder),
  };
  const look = () => {
    if (settings.values.looksForUpdates) void updates?.check(false);
  };
  const draw = () => {
    const state = { ...settings.values, canUpdate: updates !== null, isForDevelopment: !app.isPackaged };
    Menu.setApplicationMenu(Menu.buildFromTemplate(appMenu(actions, state)));
    tray?.setContextMenu(Menu.buildFromTemplate(trayMenu(actions, state)));
  };
  if (process.platform !== 'darwin') tray?.on('click', actions.open); // there, a click shows the menu
  draw();
  look();
  setInterval(look, BETWEEN_CHECKS).unref();
}

/** Null where the system has no tray. */
function trayIcon(): Tray | null {
  try {
    const tray = new Tray(nativeImage.createFromPath(TRAY_IMAGE));
    tray.setToolTip('Mnemis');
    return tray;
  } catch {
    return null;
  }
}

function isFromPage({ senderFrame }: IpcMainEvent): boolean {
  return senderFrame !== null && senderFrame.parent === null && isOwnPage(senderFrame.url);
}

function denyPermissions(): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  defaultSession.setPermissionCheckHandler(() => false);
  defaultSession.setDevicePermissionHandler(() => false);
}

const settingsSchema = z.object({
  /** Whether to keep running in the tray after the last window closes. */
  keepsRunning: z.boolean().default(false),
  /** Whether the app asks the update server by itself. Off, because nothing leaves the machine unless turned on. */
  looksForUpdates: z.boolean().default(false),
});
type Settings = z.output<typeof settingsSchema>;

/** Settings of the desktop app alone, which the engine does not know. */
class DesktopSettings {
  readonly #path: string;
  #values: Settings;

  constructor(path: string) {
    this.#path = path;
    this.#values = readStateFile(path, settingsSchema) ?? settingsSchema.parse({});
  }

  get values(): Settings {
    return this.#values;
  }

  set(change: Partial<Settings>): void {
    this.#values = { ...this.#values, ...change };
    writeStateFile(this.#path, this.#values);
  }
}

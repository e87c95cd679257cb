import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  app,
  crashReporter,
  dialog,
  globalShortcut,
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
import {
  MODEL_ENVIRONMENT,
  type StartModelProcess,
} from '../../src/inference/llama/process/start-model-process.ts';
import { dataFolder, readStateFile, writeStateFile } from '../../src/util/files.ts';
import { SEAL_KEY_VARIABLE } from '../assistant/tools/sealed-secrets.ts';
import { PageFiles } from '../http/page/page-files.ts';
import { STORED_KEYS_VARIABLE } from '../model-keys.ts';
import { ALLOCATOR_LIMITS } from '../processes/allocator-limits.ts';
import { packageRoot } from '../processes/ready-page.ts';
import { appProtocol } from './app-protocol.ts';
import { CrashReports, isRemoving, removesText } from './crash-reports.ts';
import { LINK_SCHEME, placeInArguments, placeOfLink } from './deep-link.ts';
import { DesktopWindows } from './desktop-windows.ts';
import { electronUpdates } from './electron-updates.ts';
import { EngineSupervisor } from './engine-supervisor.ts';
import { outsideArchive } from './find-electron.ts';
import { KeyStore, keyOverrides, sealKeyIn } from './key-store.ts';
import { isOwnPage, isPlace } from './link-check.ts';
import { LogFile } from './log-file.ts';
import { appMenu, type MenuActions, QUICK_ASK_KEYS, trayMenu } from './menus.ts';
import { ModelProcesses } from './model-processes.ts';
import { OpenedFiles } from './opened-files.ts';
import { restrictPermissions } from './permissions.ts';
import { PortRelay } from './port-relay.ts';
import { CHECKS_SPELLING, checkSpelling } from './spelling.ts';
import { Updates, updateDialogs } from './updates.ts';
import { APP_SCHEME, CHANNELS } from './window-options.ts';

/** Built by `scripts/build.ts`. */
const ROOT = packageRoot();
const PARTS = join(ROOT, 'dist');
const PRELOAD = join(PARTS, 'desktop/preload.cjs');
const ENGINE = outsideArchive(join(PARTS, 'desktop/engine-process.js'));
/** Beside the other programs in a package, else with the chunks (`scripts/build.ts`). */
const MODEL_FOLDER = existsSync(outsideArchive(join(PARTS, 'engine'))) ? 'engine' : 'chunks';
const MODEL = outsideArchive(join(PARTS, MODEL_FOLDER, 'model-process.js'));
const MODEL_NAME = 'mnemis model';
const PAGE = outsideArchive(join(PARTS, 'renderer'));
/** macOS colours the second one itself. */
const TRAY_IMAGE = join(PARTS, `desktop/tray${process.platform === 'darwin' ? 'Template' : ''}.png`);

const BETWEEN_CHECKS = 86_400_000;

/** The main process of the desktop app: windows, and the way between them and the engine's process. */
export async function runDesktop(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  if (!app.requestSingleInstanceLock()) return app.quit();
  // The start script of an AppImage passes the switch where the system lets it have no sandbox, as Ubuntu does.
  if (app.commandLine.hasSwitch('no-sandbox'))
    console.warn(
      'The system gives this app no sandbox for its window. The deb package has one: see docs/shipping.md.',
    );
  else app.enableSandbox();
  protocol.registerSchemesAsPrivileged([APP_SCHEME]);
  const folder = dataFolder(environment);
  const reports = watchCrashes(folder);
  const settings = new DesktopSettings(join(folder, 'desktop.json'));
  const keys = new KeyStore(join(folder, 'model-key.json'), safeStorage);

  const supervisor: EngineSupervisor = new EngineSupervisor(
    {
      start: ({ onMessage, onExit }) => {
        const stored = keys.read();
        const seal = sealKeyIn(join(folder, 'seal-key.json'), safeStorage);
        const child = utilityProcess.fork(ENGINE, [], {
          serviceName: 'mnemis engine',
          stdio: 'inherit',
          // An installed app is started in a folder that has nothing to do with it.
          ...(app.isPackaged && { cwd: folder }),
          env: {
            ...ALLOCATOR_LIMITS,
            ...environment,
            ...(stored !== null && { [STORED_KEYS_VARIABLE]: JSON.stringify(stored) }),
            ...(seal !== null && { [SEAL_KEY_VARIABLE]: seal }),
          },
        });
        const models = new ModelProcesses(startModel, (notice) => child.postMessage(notice));
        child.on('message', (message) => void (models.receive(message) || onMessage(message)));
        child.on('exit', (code) => {
          models.close();
          onExit(code);
        });
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
    keyOverrides({ store: keys, restart: () => supervisor.restart() }),
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
    if (!windows.isOpen) windows.open();
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && !settings.values.keepsRunning) app.quit();
  });

  // A link or a file starts the app, or reaches the one that runs: as an argument, on macOS as an event.
  const opened = new OpenedFiles();
  const early: string[] = [];
  const placeOfWords = (words: readonly string[], from: string) =>
    placeInArguments(words) ?? opened.placeOf(words, from) ?? undefined;
  let asked = placeOfWords(process.argv.slice(1), process.cwd());
  let isOpen = false;
  const follow = (place: string | undefined) => {
    if (isOpen) windows.show(place);
    else asked = place ?? asked;
  };
  app.on('second-instance', (_event, words, from) => follow(placeOfWords(words.slice(1), from)));
  app.on('open-file', (event, path) => {
    event.preventDefault();
    early.push(path); // before the window opens, the system names one file after the other
    follow(opened.placeOf(isOpen ? [path] : early, folder) ?? undefined);
  });
  app.on('open-url', (event, address) => {
    event.preventDefault();
    follow(placeOfLink(address) ?? undefined);
  });

  await app.whenReady();
  // The installers of the other systems register links; those of an app from source would stay behind.
  if (app.isPackaged && process.platform === 'win32') app.setAsDefaultProtocolClient(LINK_SCHEME);
  const files = await PageFiles.open(PAGE);
  protocol.handle('app', appProtocol(files, opened) as Parameters<typeof protocol.handle>[1]);
  restrictPermissions(session.defaultSession);
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

/** A model as a utility process. */
const startModel: StartModelProcess = ({ onMessage, onExit }) => {
  const env = { ...process.env, ...MODEL_ENVIRONMENT };
  const child = utilityProcess.fork(MODEL, [], { serviceName: MODEL_NAME, stdio: 'ignore', env });
  child.on('message', onMessage);
  child.on('exit', (code) => onExit(`code ${code}`));
  return {
    post: (message) => child.postMessage(message),
    kill: () => void child.kill(),
    hold: () => undefined,
  };
};

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
    const isUnloaded = name === MODEL_NAME && reason === 'killed';
    if (reason !== 'clean-exit' && !isUnloaded) reports.note(name ?? type, `${reason} (${exitCode})`);
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
    checkSpelling: (checksSpelling) => {
      set({ checksSpelling });
      spell();
    },
    quickAsk: () => windows.toggleQuick(),
    listenForQuickAsk: (hasQuickAsk) => {
      set({ hasQuickAsk });
      listen();
    },
    showReports: () => void shell.openPath(reports.folder),
  };
  const look = () => {
    if (settings.values.looksForUpdates) void updates?.check(false);
  };
  const spell = () =>
    checkSpelling(session.defaultSession, settings.values.checksSpelling, app.getPreferredSystemLanguages());
  const listen = () => {
    globalShortcut.unregister(QUICK_ASK_KEYS);
    if (!settings.values.hasQuickAsk) return;
    // Another program may have the shortcut: then the menus open the small window.
    globalShortcut.register(QUICK_ASK_KEYS, actions.quickAsk);
  };
  const draw = () => {
    const state = { ...settings.values, canUpdate: updates !== null, isForDevelopment: !app.isPackaged };
    Menu.setApplicationMenu(Menu.buildFromTemplate(appMenu(actions, state)));
    tray?.setContextMenu(Menu.buildFromTemplate(trayMenu(actions, state)));
  };
  if (process.platform !== 'darwin') tray?.on('click', actions.open); // there, a click shows the menu
  draw();
  spell();
  listen();
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

const settingsSchema = z.object({
  /** Whether to keep running in the tray after the last window closes. */
  keepsRunning: z.boolean().default(false),
  /** Whether the app asks the update server by itself. Off, because nothing leaves the machine unless turned on. */
  looksForUpdates: z.boolean().default(false),
  checksSpelling: z.boolean().default(CHECKS_SPELLING),
  /** Whether the global shortcut opens the small window. */
  hasQuickAsk: z.boolean().default(true),
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

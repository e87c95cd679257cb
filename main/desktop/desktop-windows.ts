import { app, BrowserWindow, clipboard, Menu, screen, shell } from 'electron';
import { contextMenu } from './context-menu.ts';
import { APP_ORIGIN, isOwnPage, webLink } from './link-check.ts';
import type { WindowEnd } from './port-relay.ts';
import { CHANNELS, PAGE_PREFERENCES } from './window-options.ts';
import { LEAST_SIZE, readPlacement, savePlacement } from './window-state.ts';

interface WindowsOptions {
  readonly preload: string;
  readonly placement: string;
  /** The page of a window is gone, or was loaded again: what it asked for is of no use. */
  readonly onLeave: (end: WindowEnd) => void;
}

export class DesktopWindows {
  readonly #options: WindowsOptions;
  readonly #ends = new Map<number, WindowEnd>();
  /** The small window of the global shortcut, once it was asked for. */
  #quick: BrowserWindow | null = null;

  constructor(options: WindowsOptions) {
    this.#options = options;
  }

  /** Whether a large window is open. */
  get isOpen(): boolean {
    return this.#large().length > 0;
  }

  /** The window whose page has this id, if it is one of ours. */
  endOf(contents: number): WindowEnd | undefined {
    return this.#ends.get(contents);
  }

  /** Shows a window, and a place in it; opens one if no window is open. */
  show(place?: string): void {
    const [window] = this.#large();
    if (window === undefined) return void this.open(place);
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    // The page stays loaded, because the address differs behind the `#` alone.
    if (place !== undefined) void window.loadURL(addressOf(place));
  }

  open(place = '/'): void {
    const { preload, placement } = this.#options;
    const displays = screen.getAllDisplays().map(({ workArea }) => workArea);
    const { bounds, isMaximized } = readPlacement(placement, displays);
    const { x: _x, y: _y, ...size } = bounds;
    const window = new BrowserWindow({
      ...(this.#ends.size === 0 ? bounds : size), // a second window does not cover the first
      minWidth: LEAST_SIZE.width,
      minHeight: LEAST_SIZE.height,
      title: app.name,
      show: false,
      autoHideMenuBar: true,
      webPreferences: { ...PAGE_PREFERENCES, preload },
    });
    window.once('ready-to-show', () => {
      if (isMaximized) window.maximize();
      window.show();
    });
    window.on('close', () =>
      savePlacement(placement, { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() }),
    );
    // Hidden, the small window would keep the app from ending with its last large one.
    window.once('closed', () => {
      if (!this.isOpen && this.#quick?.isVisible() === false) this.#quick.destroy();
    });
    this.#connect(window, place);
  }

  /** Shows the small window over all others, at a new chat at first; hides it if it has the focus. */
  toggleQuick(): void {
    if (this.#quick?.isFocused()) {
      // Hidden, it would keep the app from ending.
      if (this.isOpen) this.#quick.hide();
      else this.#quick.destroy();
      return;
    }
    const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
    const window = this.#quick ?? this.#openQuick();
    const { width, height } = QUICK_SIZE;
    window.setPosition(
      Math.round(workArea.x + (workArea.width - width) / 2),
      Math.round(workArea.y + Math.max(0, workArea.height - height) / 4),
    );
    window.show();
    window.focus();
  }

  #openQuick(): BrowserWindow {
    const window = new BrowserWindow({
      ...QUICK_SIZE,
      title: `${app.name}: quick ask`,
      show: false,
      alwaysOnTop: true,
      skipTaskbar: true,
      fullscreenable: false,
      autoHideMenuBar: true,
      webPreferences: { ...PAGE_PREFERENCES, preload: this.#options.preload },
    });
    window.once('closed', () => {
      this.#quick = null;
    });
    this.#connect(window, '/');
    this.#quick = window;
    return window;
  }

  #large(): BrowserWindow[] {
    return BrowserWindow.getAllWindows().filter((window) => window !== this.#quick);
  }

  #connect(window: BrowserWindow, place: string): void {
    const { onLeave } = this.#options;
    const { webContents } = window;
    const end: WindowEnd = {
      post: (message) => {
        if (!webContents.isDestroyed()) webContents.send(CHANNELS.fromEngine, message);
      },
    };
    const { id } = webContents;
    this.#ends.set(id, end);
    window.once('closed', () => {
      this.#ends.delete(id);
      onLeave(end);
    });
    webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) onLeave(end);
    });
    guard(webContents);
    showContextMenus(window);
    void window.loadURL(addressOf(place));
  }
}

const QUICK_SIZE = Object.freeze({ width: 520, height: 640 });

function showContextMenus(window: BrowserWindow): void {
  const { webContents } = window;
  webContents.on('context-menu', (_event, clicked) => {
    const items = contextMenu(clicked, {
      copyText: (text) => clipboard.writeText(text),
      replaceWord: (word) => webContents.replaceMisspelling(word),
      learnWord: (word) => void webContents.session.addWordToSpellCheckerDictionary(word),
    });
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}

const addressOf = (place: string) => `${APP_ORIGIN}/index.html#${place}`;

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

import { app, BrowserWindow, screen, shell } from 'electron';
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

  constructor(options: WindowsOptions) {
    this.#options = options;
  }

  /** The window whose page has this id, if it is one of ours. */
  endOf(contents: number): WindowEnd | undefined {
    return this.#ends.get(contents);
  }

  /** Shows a window, and a place in it; opens one if no window is open. */
  show(place?: string): void {
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) return void this.open(place);
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    // The page stays loaded, because the address differs behind the `#` alone.
    if (place !== undefined) void window.loadURL(addressOf(place));
  }

  open(place = '/'): void {
    const { preload, placement, onLeave } = this.#options;
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
    const { webContents } = window;
    const end: WindowEnd = {
      post: (message) => {
        if (!webContents.isDestroyed()) webContents.send(CHANNELS.fromEngine, message);
      },
    };
    this.#ends.set(webContents.id, end);
    window.once('ready-to-show', () => {
      if (isMaximized) window.maximize();
      window.show();
    });
    window.on('close', () =>
      savePlacement(placement, { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() }),
    );
    const { id } = webContents;
    window.once('closed', () => {
      this.#ends.delete(id);
      onLeave(end);
    });
    webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) onLeave(end);
    });
    guard(webContents);
    void window.loadURL(addressOf(place));
  }
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

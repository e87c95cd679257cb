import type { MenuItemConstructorOptions } from 'electron';

export interface MenuActions {
  readonly open: () => void;
  readonly newChat: () => void;
  readonly newWindow: () => void;
  readonly quit: () => void;
  readonly keepRunning: (isOn: boolean) => void;
  readonly lookForUpdates: (isOn: boolean) => void;
  readonly checkForUpdates: () => void;
  readonly checkSpelling: (isOn: boolean) => void;
  readonly quickAsk: () => void;
  readonly listenForQuickAsk: (isOn: boolean) => void;
  readonly showReports: () => void;
}

interface MenuState {
  readonly keepsRunning: boolean;
  readonly looksForUpdates: boolean;
  readonly checksSpelling: boolean;
  /** Whether the global shortcut opens the small window. */
  readonly hasQuickAsk: boolean;
  /** Whether this build has an update server. */
  readonly canUpdate: boolean;
  /** Whether it runs from source or a package, for people who look inside. */
  readonly isForDevelopment: boolean;
  readonly platform?: NodeJS.Platform;
}

/** Of the global shortcut that opens the small window. */
export const QUICK_ASK_KEYS = 'CommandOrControl+Shift+Space';

const EDIT_ROLES = ['undo', 'redo', null, 'cut', 'copy', 'paste', 'delete', 'selectAll'] as const;

export function appMenu(actions: MenuActions, state: MenuState): MenuItemConstructorOptions[] {
  const { platform = process.platform } = state;
  const isMac = platform === 'darwin';
  return [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [
        { label: 'New chat', click: actions.newChat },
        { label: 'New window', click: actions.newWindow },
        { type: 'separator' },
        keepRunningItem(actions, state),
        {
          label: `Quick ask with ${isMac ? '⇧⌘' : 'Ctrl+Shift+'}Space`,
          type: 'checkbox',
          checked: state.hasQuickAsk,
          click: ({ checked }) => actions.listenForQuickAsk(checked),
        },
        { type: 'separator' },
        isMac ? { role: 'close' } : { label: 'Quit', click: actions.quit },
      ],
    },
    {
      label: '&Edit',
      submenu: [
        ...EDIT_ROLES.map((role) => (role === null ? ({ type: 'separator' } as const) : { role })),
        { type: 'separator' },
        {
          label: isMac ? 'Check spelling' : 'Check spelling (fetches a dictionary once)',
          type: 'checkbox',
          checked: state.checksSpelling,
          click: ({ checked }) => actions.checkSpelling(checked),
        },
      ],
    },
    {
      label: '&View',
      submenu: [
        ...(state.isForDevelopment ? [{ role: 'reload' } as const, { role: 'toggleDevTools' } as const] : []),
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [...updateItems(actions, state), { label: 'Show crash reports', click: actions.showReports }],
    },
  ];
}

export function trayMenu(actions: MenuActions, state: MenuState): MenuItemConstructorOptions[] {
  return [
    { label: 'Open Mnemis', click: actions.open },
    { label: 'New chat', click: actions.newChat },
    { label: 'Quick ask', click: actions.quickAsk },
    { type: 'separator' },
    keepRunningItem(actions, state),
    ...updateItems(actions, state).slice(0, 1),
    { type: 'separator' },
    { label: 'Quit', click: actions.quit },
  ];
}

function keepRunningItem(actions: MenuActions, { keepsRunning }: MenuState): MenuItemConstructorOptions {
  return {
    label: 'Keep running in the tray',
    type: 'checkbox',
    checked: keepsRunning,
    click: ({ checked }) => actions.keepRunning(checked),
  };
}

/** None in a build without an update server. */
function updateItems(
  actions: MenuActions,
  { canUpdate, looksForUpdates }: MenuState,
): MenuItemConstructorOptions[] {
  if (!canUpdate) return [];
  return [
    { label: 'Check for updates…', click: actions.checkForUpdates },
    {
      label: 'Check for updates automatically',
      type: 'checkbox',
      checked: looksForUpdates,
      click: ({ checked }) => actions.lookForUpdates(checked),
    },
    { type: 'separator' },
  ];
}

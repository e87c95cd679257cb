import { useEffect } from 'react';
import { tinykeys } from 'tinykeys';
import { navigate } from 'wouter/use-hash-location';
import { useUi } from '../../state/ui.ts';

/** Commands with a default key; `$mod` is Cmd on a Mac and Ctrl elsewhere. */
export const SHORTCUTS = {
  palette: { keys: '$mod+k', label: 'Command palette and search' },
  newChat: { keys: '$mod+Shift+KeyO', label: 'New chat' },
  side: { keys: '$mod+b', label: 'Show or hide the sidebar' },
  compose: { keys: 'Shift+Escape', label: 'Write a message' },
  memory: { keys: '$mod+Shift+KeyM', label: 'What memory knows' },
  settings: { keys: '$mod+Comma', label: 'Settings' },
  stop: { keys: 'Escape', label: 'Stop the answer' },
} as const;
export type Command = keyof typeof SHORTCUTS;

/** Event by which a screen acts on a command that is its own, such as `stop`. */
export const COMMAND_EVENT = 'mnemis-command';

export function run(command: Command): void {
  const ui = useUi.getState();
  if (command === 'palette') ui.set({ isPaletteOpen: !ui.isPaletteOpen });
  else if (command === 'newChat') navigate('/');
  else if (command === 'side') ui.set({ isSideOpen: !ui.isSideOpen });
  else if (command === 'memory') navigate('/memory');
  else if (command === 'settings') navigate('/settings');
  else window.dispatchEvent(new CustomEvent(COMMAND_EVENT, { detail: command }));
}

/** Keys by command: the user's own, else the defaults; none for a command that was turned off. */
export function keysOf(command: Command, own: Readonly<Record<string, string>>): string {
  return own[command] ?? SHORTCUTS[command].keys;
}

/** Listens for the shortcuts in the whole window. */
export function useShortcuts(own: Readonly<Record<string, string>>): void {
  useEffect(() => {
    const bindings = (Object.keys(SHORTCUTS) as Command[]).flatMap((command) => {
      const keys = keysOf(command, own);
      const isEscape = keys === 'Escape';
      const act = (event: KeyboardEvent) => {
        if (event.defaultPrevented) return;
        if (!isEscape) event.preventDefault();
        run(command);
      };
      return keys === '' ? [] : [[keys, act] as const];
    });
    return tinykeys(window, Object.fromEntries(bindings));
  }, [own]);
}

/** Whether Cmd takes the place of Ctrl. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Keys as a person reads them: "Ctrl K", "⌘ K". */
export function shownKeys(keys: string): string {
  return keys
    .replace('$mod', isMac ? '⌘' : 'Ctrl')
    .replace('Shift', isMac ? '⇧' : 'Shift')
    .replace(/Key|Digit|Arrow/, '')
    .replace('Alt', isMac ? '⌥' : 'Alt')
    .replace('Period', '.')
    .replace('Slash', '/')
    .replace('Comma', ',')
    .replace('Escape', 'Esc')
    .split('+')
    .map((part) => (part.length === 1 ? part.toUpperCase() : part))
    .join(' ');
}

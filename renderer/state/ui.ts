import { create } from 'zustand';

/** What the panel beside the conversation shows. */
export type Inspected =
  | { readonly kind: 'why'; readonly message: string }
  | { readonly kind: 'source'; readonly scope: string; readonly episode: string }
  | {
      readonly kind: 'learned';
      readonly scope: string;
      readonly message: string;
      readonly turns: readonly string[];
    }
  | null;

interface Ui {
  readonly isSideOpen: boolean;
  readonly isPaletteOpen: boolean;
  readonly inspected: Inspected;
  /** The next new chat belongs to this project. */
  readonly folder: string | null;
  set(change: Partial<Omit<Ui, 'set'>>): void;
}

/** State of the window that no other window shares. */
export const useUi = create<Ui>()((set) => ({
  isSideOpen: window.matchMedia('(min-width: 860px)').matches,
  isPaletteOpen: false,
  inspected: null,
  folder: null,
  set,
}));

// A window that becomes narrow shows its content, not the bar over it.
window
  .matchMedia('(min-width: 860px)')
  .addEventListener('change', ({ matches }) => useUi.getState().set({ isSideOpen: matches }));

/** Shows a turn as it was said, in the panel beside the screen. */
export function openSource(scope: string, episode: string): void {
  useUi.getState().set({ inspected: { kind: 'source', scope, episode } });
}

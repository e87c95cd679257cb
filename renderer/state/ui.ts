import { create } from 'zustand';
import type { FactLine } from '../../main/contract.ts';

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

/** What is to be taken back: a sentence that memory made, or turns, which can only be forgotten. */
export interface TakenBack {
  readonly scope: string;
  /** Ids of the turns. */
  readonly episodes: readonly string[];
  readonly fact?: FactLine;
  /** Called when the turns are gone and their proof was seen. */
  readonly onForgotten?: () => void;
}

interface Ui {
  readonly isSideOpen: boolean;
  readonly isPaletteOpen: boolean;
  readonly inspected: Inspected;
  readonly takenBack: TakenBack | null;
  /** Id of the person whose portrait was shown last. */
  readonly portrayed: string | null;
  /** A note that is not kept yet. */
  readonly note: string;
  set(change: Partial<Omit<Ui, 'set'>>): void;
}

/** State of the window that no other window shares. */
export const useUi = create<Ui>()((set) => ({
  isSideOpen: window.matchMedia('(min-width: 860px)').matches,
  isPaletteOpen: false,
  inspected: null,
  takenBack: null,
  portrayed: null,
  note: '',
  set,
}));

// A window that becomes narrow shows its content, not the bar over it.
window
  .matchMedia('(min-width: 860px)')
  .addEventListener('change', ({ matches }) => useUi.getState().set({ isSideOpen: matches }));

/** Asks how something is taken back, in the dialog of the window. */
export function takeBack(takenBack: TakenBack): void {
  useUi.getState().set({ takenBack });
}

/** Shows a turn as it was said, in the panel beside the screen. */
export function openSource(scope: string, episode: string): void {
  useUi.getState().set({ inspected: { kind: 'source', scope, episode } });
}

/** Id of the message that new settings restart the engine. */
export const RESTARTING = 'restarting';

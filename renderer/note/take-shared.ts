import { useUi } from '../state/ui.ts';
import { sharedText } from './shared-text.ts';

/** Shows what another app shared as a note that is not kept yet, and takes it out of the address. */
export function takeShared(): void {
  const note = sharedText(window.location.search);
  if (note === '') return;
  useUi.getState().set({ note });
  window.history.replaceState(null, '', `${window.location.pathname}#/note`);
}

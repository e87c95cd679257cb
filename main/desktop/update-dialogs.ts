import type { MessageBoxOptions } from 'electron';
import type { UpdateDialogs } from './updates.ts';

const MEGABYTE = 1_000_000;

/** The system's own message boxes; to close one is to decline. */
export function updateDialogs(
  showMessageBox: (options: MessageBoxOptions) => Promise<{ readonly response: number }>,
): UpdateDialogs {
  const ask = async (message: string, words: { readonly detail: string; readonly yes: string }) => {
    const { response } = await showMessageBox({
      type: 'question',
      message,
      detail: words.detail,
      buttons: [words.yes, 'Not now'],
      defaultId: 0,
      cancelId: 1,
    });
    return response === 0;
  };
  return {
    offer: (version, bytes) =>
      ask(`Mnemis ${version} is available. Download it?`, {
        detail: `At most ${Math.ceil(bytes / MEGABYTE)} MB. Nothing is installed before you agree.`,
        yes: 'Download',
      }),
    offerRestart: (version) =>
      ask(`Mnemis ${version} is downloaded. Restart to install it?`, {
        detail: 'Running work is completed first. Your memory stays as it is.',
        yes: 'Restart',
      }),
    tell: async (message) => void (await showMessageBox({ type: 'info', message, buttons: ['OK'] })),
  };
}

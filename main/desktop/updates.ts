import type { MessageBoxOptions } from 'electron';
import type { LogFile } from './log-file.ts';
import { isSigned, type UpdateNotice, updateNoticeSchema } from './update-signature.ts';

/** The part of electron-updater that updates need. */
export interface UpdateSource {
  /** What the server says of its version, if it is newer than this one; null if it is not. */
  check(): Promise<unknown>;
  /** Fetches the version of the last check, and checks the hashes that the notice states. */
  download(): Promise<void>;
  /** Ends the app and starts the new version; rejects if it does not. */
  install(): Promise<void>;
}

/** Asks and tells the user. */
export interface UpdateDialogs {
  /** Whether to download a version. */
  offer(version: string, bytes: number): Promise<boolean>;
  /** Whether to restart the app now. */
  offerRestart(version: string): Promise<boolean>;
  tell(message: string): Promise<void>;
}

interface UpdatesOptions {
  readonly source: () => Promise<UpdateSource>;
  /** The public part of the key that signs updates. */
  readonly key: string;
  readonly dialogs: UpdateDialogs;
  readonly log: LogFile;
  /** Ends the engine, so that nothing runs while the app is replaced. */
  readonly beforeInstall: () => Promise<void>;
  /** Starts the engine again after an installation that failed. */
  readonly afterFailure: () => void;
}

const FAILED = 'Mnemis could not check for updates. The reason is in updates.log beside the crash reports.';

const NOT_INSTALLED =
  'Mnemis could not install the update and goes on with this version. The reason is in updates.log beside the crash reports.';

/**
 * Updates of the desktop app. Nothing is asked of the server unless the user wants it, nothing is downloaded without
 * consent, and a version that the key did not sign does not exist.
 */
export class Updates {
  readonly #options: UpdatesOptions;
  #running: Promise<void> | null = null;

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /** @param isAsked Whether the user waits for an answer; else only a newer version is reported. Never rejects. */
  async check(isAsked: boolean): Promise<void> {
    this.#running ??= this.#check(isAsked).finally(() => {
      this.#running = null;
    });
    await this.#running;
  }

  async #check(isAsked: boolean): Promise<void> {
    const { log, dialogs } = this.#options;
    try {
      const source = await this.#options.source();
      const found = await source.check();
      if (found !== null) await this.#offer(source, this.#checked(found));
      else if (isAsked) await dialogs.tell('This is the newest version of Mnemis.');
    } catch (error) {
      log.write(describe(error));
      if (isAsked) await dialogs.tell(FAILED);
    }
  }

  /** @throws TypeError if the notice is not valid or not signed with our key. */
  #checked(found: unknown): UpdateNotice {
    const { data } = updateNoticeSchema.safeParse(found);
    if (data === undefined) throw new TypeError('The server’s notice is not valid.');
    if (!isSigned(data, this.#options.key))
      throw new TypeError('The signature of the update is missing or wrong.');
    return data;
  }

  async #offer(source: UpdateSource, { version, files }: UpdateNotice): Promise<void> {
    const { dialogs, log, beforeInstall, afterFailure } = this.#options;
    const bytes = Math.max(...files.map(({ size }) => size));
    if (!(await dialogs.offer(version, bytes))) return;
    await source.download();
    if (!(await dialogs.offerRestart(version))) return;
    try {
      await beforeInstall();
      await source.install();
    } catch (error) {
      log.write(describe(error));
      afterFailure();
      await dialogs.tell(NOT_INSTALLED);
    }
  }
}

/** What failed, in a line: addresses and hashes, never anything of the memory. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  return `${error.name}: ${error.message.split('\n', 1)[0]?.slice(0, 500)}`;
}

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

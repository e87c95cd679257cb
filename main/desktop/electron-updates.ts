import type { LogFile } from './log-file.ts';
import type { UpdateSource } from './updates.ts';

/** The app has ended by then, if the installer has started. */
const QUIT_MILLISECONDS = 60_000;

/** Updates by electron-updater, from the server that the build names (`app-update.yml`). */
export async function electronUpdates(log: LogFile): Promise<UpdateSource> {
  const { autoUpdater } = await import('electron-updater'); // loaded when updates are first wanted
  const warn = (message?: unknown) => log.write(String(message).split('\n', 1)[0]?.slice(0, 500) ?? '');
  // Errors reach the caller, who logs them.
  autoUpdater.logger = { info: () => undefined, debug: () => undefined, warn, error: () => undefined };
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = false;
  autoUpdater.autoRunAppAfterInstall = true;
  autoUpdater.allowDowngrade = false;
  autoUpdater.allowPrerelease = false;
  autoUpdater.disableWebInstaller = true;
  // By default, electron-updater gives the server an id of this installation with each request.
  autoUpdater.requestHeaders = { 'x-user-staging-id': '00000000-0000-0000-0000-000000000000' };
  return {
    check: async () => {
      const found = await autoUpdater.checkForUpdates();
      if (found === null) throw new TypeError('This installation cannot be updated.'); // such as an unpacked folder
      if (!found.isUpdateAvailable) return null;
      // The signature does not cover it, and it would have the installer ask for an administrator's rights. The other
      // unsigned fields (a share of users, a least version of the system) can only withhold an update.
      for (const file of found.updateInfo.files) Reflect.deleteProperty(file, 'isAdminRightsRequired');
      return found.updateInfo;
    },
    download: async () => void (await autoUpdater.downloadUpdate()),
    install: () =>
      new Promise((_, reject) => {
        autoUpdater.once('error', reject);
        setTimeout(() => reject(new TypeError('The installer did not start.')), QUIT_MILLISECONDS).unref();
        autoUpdater.quitAndInstall();
      }),
  };
}

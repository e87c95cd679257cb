import type { LogFile } from './log-file.ts';
import type { UpdateSource } from './updates.ts';

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
      return found.isUpdateAvailable ? found.updateInfo : null;
    },
    download: async () => void (await autoUpdater.downloadUpdate()),
    install: () => autoUpdater.quitAndInstall(),
  };
}

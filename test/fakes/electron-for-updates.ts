import { EventEmitter } from 'node:events';
import { type ClientRequest, type RequestOptions, request } from 'node:http';

/** The parts of Electron that electron-updater uses, in a plain process. */
export const app = Object.assign(new EventEmitter(), {
  isPackaged: true,
  whenReady: async () => undefined,
  getVersion: () => '1.0.0',
  getName: () => 'Mnemis',
  getPath: () => process.env.TEST_FOLDER!,
  getAppPath: () => process.env.TEST_FOLDER!,
  quit: () => undefined,
  relaunch: () => undefined,
});
export const session = { fromPartition: () => ({}) };
export const net = {
  request({ session: _session, ...options }: RequestOptions & { session: unknown }): ClientRequest {
    return request(options);
  },
};
export const autoUpdater = new EventEmitter();

import { contextBridge, ipcRenderer } from 'electron';
import { CHANNELS } from './window-options.ts';

// All that the page gets: messages to and from the engine, and windows.
contextBridge.exposeInMainWorld('mnemis', {
  post: (message: unknown): void => ipcRenderer.send(CHANNELS.toEngine, message),
  subscribe: (listener: (message: unknown) => void): (() => void) => {
    const receive = (_event: unknown, message: unknown) => listener(message); // the event would give the page more
    ipcRenderer.on(CHANNELS.fromEngine, receive);
    return () => void ipcRenderer.off(CHANNELS.fromEngine, receive);
  },
  openWindow: (place: string): void => ipcRenderer.send(CHANNELS.openWindow, place),
});

import { constants, setPriority } from 'node:os';
import { serveModel } from './serve-model.ts';

/** Of Electron's utility processes. */
interface ParentPort {
  postMessage(message: object): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/** The program of a model's process: a child of Node.js, or one of Electron's utility processes. */
const { parentPort } = process as { readonly parentPort?: ParentPort };

// A terminal's Ctrl-C reaches all processes; the parent decides when this one ends.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
try {
  // Decoding takes whole cores; what the user waits for besides goes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // Not every system allows it.
}
serveModel(
  parentPort === undefined
    ? {
        post: (reply) => void (process.connected && process.send!(reply)),
        subscribe: (listener) => void process.on('message', listener),
      }
    : {
        post: (reply) => parentPort.postMessage(reply),
        subscribe: (listener) => parentPort.on('message', ({ data }) => listener(data)),
      },
);

import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A running process, and the ways to reach it. */
export interface ModelProcess {
  readonly post: (message: object) => void;
  /** Ends it at once. */
  readonly kill: () => void;
  /** Whether it keeps this process alive. */
  readonly hold: (isHeld: boolean) => void;
}

export interface ProcessListeners {
  readonly onMessage: (message: unknown) => void;
  /** Called once, also when it could not be started. */
  readonly onExit: (how: string) => void;
}

/** Starts a model's process; another one where the system does not let a program start itself again. */
export type StartModelProcess = (listeners: ProcessListeners) => ModelProcess;

/** Starts it as a child of this process. */
export const startChildProcess: StartModelProcess = ({ onMessage, onExit }) => {
  const ending = extname(import.meta.url);
  const entry = new URL(`./model-process${ending}`, import.meta.url);
  const child = fork(fileURLToPath(entry), {
    // In a checkout the sources are TypeScript.
    execArgv: ending === '.ts' ? ['--import', import.meta.resolve('tsx')] : [],
    // What the runtime prints belongs to nobody.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  child.on('message', onMessage);
  child.once('error', ({ message }) => onExit(message));
  child.once('exit', (code, signal) => onExit(signal ?? `code ${code}`));
  return {
    post: (message) => void (child.connected && child.send(message, () => undefined)),
    kill: () => void child.kill('SIGKILL'),
    hold: (isHeld) => {
      const change = isHeld ? 'ref' : 'unref';
      child[change]();
      child.channel?.[change]();
    },
  };
};

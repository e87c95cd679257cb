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

/**
 * What a model's process gets beside the environment of its parent. Sequences that are decoded together are sampled by
 * threads of this pool, and llama.cpp puts their logits in order when the first one reads them: two at once could each
 * read those of the other.
 */
export const MODEL_ENVIRONMENT = { UV_THREADPOOL_SIZE: '1' } as const;

let usual: StartModelProcess | null = null;

/** How models start in this process; by default as its children. */
export const startModelProcess: StartModelProcess = (listeners) => (usual ?? startChildProcess)(listeners);

/** Has all later models of this process start in another way. */
export function startModelsWith(start: StartModelProcess): void {
  usual = start;
}

/** Starts it as a child of this process. */
export const startChildProcess: StartModelProcess = ({ onMessage, onExit }) => {
  const ending = extname(import.meta.url);
  const entry = new URL(`./model-process${ending}`, import.meta.url);
  const child = fork(fileURLToPath(entry), {
    env: { ...process.env, ...MODEL_ENVIRONMENT },
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

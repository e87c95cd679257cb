import { once } from 'node:events';
import type { Mnemis } from '../../src/engine.ts';
import type { Logger } from '../../src/model/logger.ts';
import { withoutUndefined } from '../../src/util/collections.ts';
import { openApp } from '../assistant/app.ts';
import type { App } from '../assistant/app-handlers.ts';
import type { AppStore } from '../assistant/store/app-store.ts';
import { besideMemory } from '../beside-memory.ts';
import { localClient } from '../client/local-client.ts';
import type { Config } from '../config.ts';
import { type MemoryClient, PROTOCOL } from '../contract.ts';
import { InvalidSettingError } from '../errors.ts';
import { LoopbackServer } from '../http/loopback.ts';
import { newToken } from '../http/loopback-access.ts';
import type { ServerLimits } from '../http/server-limits.ts';
import { openMemory } from '../open-memory.ts';
import { mnemisVersion } from '../version.ts';
import { type Discovery, removeDiscovery, writeDiscovery } from './discovery-file.ts';
import { IdleFlusher, type IdleFlusherOptions, READING_PAUSE } from './idle-flusher.ts';

interface Closable {
  close(): Promise<void>;
}

interface RunEngineOptions {
  /** Settings that were given as flags: the app cannot change these. */
  readonly flags?: Partial<Config>;
  /** Folder in which the settings file is looked for. Default: the folder of this process. */
  readonly folder?: string;
  /** Environment variables, for the language model's key and the data folder. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Minutes without a request after which the engine stops; null: no idle timeout. */
  readonly idleMinutes: number | null;
  /** Whether it also stops a few seconds after the last client that attended has left. Default false. */
  readonly isAttended?: boolean;
  /** Stops the engine once running requests are complete. */
  readonly signal: AbortSignal;
  /** Called once the engine accepts requests. */
  readonly onListening: (discovery: Omit<Discovery, 'token'>) => void;
  readonly onFailure?: (error: unknown) => void;
  readonly origins?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  readonly reading?: Omit<IdleFlusherOptions, 'logger'>;
  /** Serves the same client in another way, too; closed together with the server. */
  readonly serveAlso?: (client: MemoryClient, app: App | undefined) => Closable | Promise<Closable>;
}

/**
 * Opens the configured memory and serves it to other processes, until it is stopped or idle for too long.
 *
 * @throws InvalidSettingError for a memory without a file, and what `openMemory` throws, DatabaseLockedError among it.
 */
export async function runEngine(config: Config, options: RunEngineOptions): Promise<void> {
  const { environment, logger, signal } = options;
  if (config.path === ':memory:')
    throw new InvalidSettingError('The path :memory: names a memory that only one process can use');
  const opened = { purpose: 'learn', app: 'always', environment, logger, signal } as const;
  const { engine, store, close } = await openMemory(config, opened);
  const token = newToken();
  try {
    await serve(engine, store, { ...options, config, token });
  } finally {
    await close();
    // Removed last, after the lock: a process that finds no file can then open the memory.
    await removeDiscovery(besideMemory(config.path, environment), token);
  }
}

async function serve(
  engine: Mnemis,
  store: AppStore | null,
  options: RunEngineOptions & { readonly config: Config; readonly token: string },
): Promise<void> {
  const { config, token, environment, logger, idleMinutes, origins, limits, onFailure } = options;
  const { flags, folder = process.cwd(), isAttended = false } = options;
  const ending = new AbortController();
  const started = Date.now();
  const shutdown = () => ending.abort();
  const app = store
    ? await openApp({ engine, store, config, flags, environment, folder, logger, restart: shutdown })
    : undefined;
  const host = { started, idleMinutes, isAttended, shutdown, app };
  const flusher = new IdleFlusher(localClient(engine, host), {
    ...READING_PAUSE,
    ...options.reading,
    logger,
  });
  const server = await LoopbackServer.listen({
    client: flusher.client,
    token,
    ...withoutUndefined({ origins, limits, onFailure }),
    onActivity: (underWay) => idle?.note(underWay),
    onAttendance: (clients) => {
      attending = clients;
      idle?.again();
    },
  });
  let attending = 0;
  const period = (minutes: number) =>
    isAttended && attending === 0 ? Math.min(LEFT_MILLISECONDS, minutes * 60_000) : minutes * 60_000;
  const isReading = () => engine.describeIngestion().tier === 'llm' && flusher.hurry();
  const endOrWait = () => (isReading() || app?.isBusy() ? idle?.again() : shutdown());
  const idle = idleMinutes === null ? null : new IdleTimer(() => period(idleMinutes), endOrWait);
  let also: Closable | undefined;
  try {
    const about = { pid: process.pid, started, version: mnemisVersion(), protocol: PROTOCOL };
    // First: whoever has reached this process in the other way finds it here, too.
    await writeDiscovery(besideMemory(config.path, environment), { ...about, port: server.port, token });
    also = await options.serveAlso?.(flusher.client, app);
    options.onListening({ ...about, port: server.port });
    const ended = AbortSignal.any([options.signal, ending.signal]);
    if (!ended.aborted) await once(ended, 'abort');
  } finally {
    idle?.stop();
    await Promise.all([server.close(), also?.close()]);
    await app?.close();
    await flusher.close({ last: engine.describeIngestion().tier === 'local' });
  }
}

/** After the last client has left: one that is started again finds the same engine. */
const LEFT_MILLISECONDS = 5_000;

/** Calls back after a period without running requests; each request restarts the period. */
export class IdleTimer {
  readonly #milliseconds: () => number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | null = null;
  #underWay = 0;
  #isStopped = false;

  constructor(milliseconds: () => number, onIdle: () => void) {
    this.#milliseconds = milliseconds;
    this.#onIdle = onIdle;
    this.note(0);
  }

  note(underWay: number): void {
    this.#underWay = underWay;
    this.again();
  }

  /** Restarts the period, which may be another one now. */
  again(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const isIdle = this.#underWay === 0 && !this.#isStopped;
    this.#timer = isIdle ? setTimeout(this.#onIdle, this.#milliseconds()) : null;
  }

  /** For good: requests that end while the server closes start no period, which would keep the process alive. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}

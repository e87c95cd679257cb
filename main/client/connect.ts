import type { ResolvedConfig } from '../config.ts';
import type { MemoryClient } from '../contract.ts';
import { IdleFlusher, READING_PAUSE } from '../processes/idle-flusher.ts';
import type { StartOptions } from './find-engine.ts';
import { attended, join } from './join.ts';
import { localClient } from './local-client.ts';
import { reconnecting } from './reconnecting.ts';

/**
 * A client of the configured memory's engine, for apps and the MCP server: it uses the running engine or starts one,
 * and reconnects when the engine has stopped. A memory without a file is opened in this process.
 *
 * @throws as `findOrStart`.
 */
export async function connect(options: StartOptions): Promise<MemoryClient> {
  const { config, environment, signal } = options;
  if (config.path === ':memory:') return inThisProcess({ config, environment, signal });
  return join(options);
}

export interface LazyOptions extends Omit<StartOptions, 'config' | 'sources'> {
  /** Resolved before each start, so that an engine starts with the settings of that moment. */
  readonly resolve: () => Pick<ResolvedConfig, 'values' | 'sources'>;
}

/**
 * As `connect`, but finds or starts the engine with the first request. A request for which none can be started is
 * rejected with the reason; the next one tries again.
 */
export function connectLater({ resolve, ...options }: LazyOptions): MemoryClient {
  return reconnecting(async () => {
    const { values: config, sources } = resolve();
    if (config.path === ':memory:') return inThisProcess({ config, ...options });
    return attended({ config, sources, ...options });
  });
}

async function inThisProcess({ config, environment, folder, signal }: StartOptions): Promise<MemoryClient> {
  const [{ openMemory }, { openApp }] = await Promise.all([
    import('../open-memory.ts'),
    import('../assistant/app.ts'),
  ]);
  const opening = { purpose: 'learn', app: 'always', environment, signal } as const;
  const { engine, store, close } = await openMemory(config, opening);
  const logger = { warn: (message: string) => process.emitWarning(message, 'MnemisWarning') };
  const app =
    store && (await openApp({ engine, store, config, environment, folder: folder ?? process.cwd(), logger }));
  const flusher = new IdleFlusher(localClient(engine, { app: app ?? undefined }), {
    ...READING_PAUSE,
    logger,
  });
  const end = async () => {
    await app?.close();
    await flusher.close({ last: false });
  };
  return { ...flusher.client, close: () => end().finally(close) };
}

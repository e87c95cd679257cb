import type { MemoryClient } from '../contract.ts';
import { IdleFlusher, READING_PAUSE } from '../server/idle-flusher.ts';
import { findOrStart, type StartOptions } from './find-engine.ts';
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
  const first = await findOrStart(options);
  let isFirst = true;
  return reconnecting(async () => {
    if (!isFirst) return (await findOrStart(options)).client;
    isFirst = false;
    return first.client;
  });
}

async function inThisProcess({ config, environment, signal }: StartOptions): Promise<MemoryClient> {
  const { openMemory } = await import('../open-memory.ts');
  const { engine, close } = await openMemory(config, { purpose: 'learn', environment, signal });
  const logger = { warn: (message: string) => process.emitWarning(message, 'MnemisWarning') };
  const flusher = new IdleFlusher(localClient(engine), { ...READING_PAUSE, logger });
  return { ...flusher.client, close: () => flusher.close({ last: false }).finally(close) };
}

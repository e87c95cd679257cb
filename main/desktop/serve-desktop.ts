import { z } from 'zod';
import { DatabaseLockedError } from '../../src/errors/index.ts';
import type { Logger } from '../../src/model/logger.ts';
import { besideMemory } from '../beside-memory.ts';
import { toWire } from '../client/errors.ts';
import { findEngine } from '../client/find-engine.ts';
import type { MemoryClient } from '../contract.ts';
import { runEngine } from '../processes/run-engine.ts';
import { withChosenEmbedder } from './choose-embedder.ts';
import { type EngineNotice, STOP } from './engine-supervisor.ts';
import { PortServer, type Wire } from './port-server.ts';

interface DesktopEngineOptions {
  /** Settings, and the language model's key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder in which the settings file is looked for. */
  readonly folder: string;
  /** To the main process of the desktop app. */
  readonly wire: Wire;
  readonly logger: Logger;
}

const stopSchema = z.strictObject({ type: z.literal(STOP.type) });

/**
 * Opens the memory and serves it to the desktop app, and over the loopback server to commands and other apps. If another
 * process serves the memory already, passes its replies on until it ends. Resolves when the engine has ended; a failure
 * to open is reported over the wire.
 */
export async function serveDesktop({
  environment,
  folder,
  wire,
  logger,
}: DesktopEngineOptions): Promise<void> {
  const stop = new AbortController();
  const unsubscribe = wire.subscribe((message) => {
    if (stopSchema.safeParse(message).success) stop.abort();
  });
  const notify = (notice: EngineNotice) => wire.post(notice);
  try {
    const { values: config } = await withChosenEmbedder({ flags: {}, environment, folder });
    await runEngine(config, {
      environment,
      folder,
      logger,
      idleMinutes: null,
      signal: stop.signal,
      onListening: () => notify({ type: 'ready' }),
      serveAlso: (client) => new PortServer({ client, wire }),
    }).catch(async (error) => {
      if (!DatabaseLockedError.isInstance(error)) throw error;
      const running = await findEngine(besideMemory(config.path, environment));
      if (running === null) throw error;
      notify({ type: 'ready' });
      await passOn(running.client, { wire, signal: stop.signal });
    });
  } catch (error) {
    notify({ type: 'failed', error: toWire(error) });
  } finally {
    unsubscribe();
  }
}

/** Serves the client of an engine in another process, until that engine ends. */
async function passOn(
  client: MemoryClient,
  { wire, signal }: { readonly wire: Wire; readonly signal: AbortSignal },
): Promise<void> {
  const server = new PortServer({ client, wire });
  try {
    for await (const _ of client.appEvents({}, { signal })); // ends with the engine
  } catch {
    // It ended, or the app ends; windows learn it from their own requests.
  } finally {
    await server.close();
  }
}

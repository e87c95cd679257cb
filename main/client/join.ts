import type { MemoryClient } from '../contract.ts';
import { attend } from './attend.ts';
import { findOrStart, type StartOptions } from './find-engine.ts';
import { reconnecting } from './reconnecting.ts';

/**
 * A client of the engine of a memory's file or server, found or started now and again when it has stopped.
 *
 * @throws as `findOrStart`.
 */
export async function join(options: StartOptions): Promise<MemoryClient> {
  return reconnecting(() => attended(options), await attended(options));
}

/** A client that stays with its engine until it is closed. An engine that is started for it ends soon after its last client. */
export async function attended(options: StartOptions): Promise<MemoryClient> {
  const running = await findOrStart({ isAttended: true, ...options });
  const { leave } = await attend(running);
  return { ...running.client, close: async () => leave() };
}

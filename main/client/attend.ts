import { MnemisError } from '../../src/errors/index.ts';
import { ATTEND } from '../http/attendance.ts';
import type { RunningEngine } from './find-engine.ts';
import { post } from './http-client.ts';

/**
 * Tells an engine that a client is there until it leaves or its process ends, so that the engine stays, and can end
 * soon after the last one. Keeps no process alive.
 */
export async function attend({ discovery }: Pick<RunningEngine, 'discovery'>): Promise<{ leave(): void }> {
  try {
    const response = await post(discovery, { method: ATTEND, input: {} });
    response.on('error', () => undefined); // the engine has ended
    response.socket.unref();
    response.resume();
    return { leave: () => void response.destroy() };
  } catch (error) {
    if (!MnemisError.isInstance(error)) throw error;
    return { leave: () => undefined }; // the first request says why
  }
}

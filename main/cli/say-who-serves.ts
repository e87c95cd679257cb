import { DatabaseLockedError } from '../../src/errors/index.ts';
import { findEngine } from '../client/find-engine.ts';
import { EngineRunningError } from './engine-running-error.ts';

/** Runs a job that needs a memory's file for itself; where an engine serves it, the failure says so. */
export async function sayWhoServes<T>(path: string, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (error) {
    if (!DatabaseLockedError.isInstance(error)) throw error;
    const running = await findEngine(path, { anyProtocol: true });
    throw running === null ? error : new EngineRunningError(path, running.discovery.pid, error);
  }
}

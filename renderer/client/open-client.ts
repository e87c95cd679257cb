import type { MemoryClient } from '../../main/contract.ts';

type Status = 'connected' | 'reconnecting' | 'locked';

export interface Opened {
  readonly client: MemoryClient;
  readonly status: Status;
}

/** Placeholder until the clients are there. */
export async function openClient(_onStatus: (status: Status) => void): Promise<Opened> {
  throw new TypeError('There is no client yet');
}

/** Opens another window of the app at a place such as `#/c/ID`. */
export async function openWindow(_place: string): Promise<void> {
  throw new TypeError('There is no client yet');
}

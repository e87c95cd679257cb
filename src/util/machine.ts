import { freemem, totalmem } from 'node:os';

/** Bytes that this process may still take, by the system and by the limits that it runs under. */
export function freeMemory(): number {
  const { availableMemory } = process as { readonly availableMemory?: () => number };
  return Math.min(freemem(), availableMemory?.() || freemem());
}

/** Bytes of this computer, or what this process is limited to. */
export function wholeMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}

import type { Mnemis } from '../../src/engine.ts';
import type { timelineMethods } from '../contract/timeline.ts';
import type { Handlers } from './handlers.ts';

/** The methods on what was learned when, by an engine in this process. */
export function timelineHandlers(_engine: Mnemis) {
  return {} satisfies Pick<Handlers, keyof typeof timelineMethods>;
}

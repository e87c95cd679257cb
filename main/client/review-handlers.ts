import type { Mnemis } from '../../src/engine.ts';
import type { reviewMethods } from '../contract/review.ts';
import type { Handlers } from './handlers.ts';

/** The methods on what a person should look at, by an engine in this process. */
export function reviewHandlers(_engine: Mnemis) {
  return {} satisfies Pick<Handlers, keyof typeof reviewMethods>;
}

import type { ForgetTarget } from '../../src/model/forget-target.ts';
import type { Handlers } from '../client/handlers.ts';
import type { AppMethod, MethodName } from '../contract.ts';
import type { AppEvents } from './app-events.ts';
import type { ReadingDesk } from './reading.ts';

/** What carries out some of the contract's methods. */
export type AppHandlers<Name extends MethodName> = Pick<Handlers, Name>;

/** The assistant's part of an engine's process. */
export interface App {
  readonly handlers: AppHandlers<AppMethod>;
  readonly events: AppEvents;
  readonly reading: ReadingDesk;
  /** Removes what conversations hold of the turns that `forget` of this target would remove. Call it first. */
  beforeForget(
    scope: string,
    target: ForgetTarget,
    options?: { readonly quotations?: boolean },
  ): Promise<void>;
  /** Removes what conversations hold of turns that memory no longer has. */
  afterRemoval(scope: string): Promise<void>;
  /** Ends answers that are being written and reading in the background. Neither the engine nor the store is closed. */
  close(): Promise<void>;
}

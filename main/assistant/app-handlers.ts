import type { Handlers } from '../client/handlers.ts';
import type { AppMethod, MethodName } from '../contract.ts';
import type { AppEvents } from './app-events.ts';
import type { BackgroundReading } from './background-reading.ts';
import type { Removal } from './forgetting.ts';

export type AppHandlers<Name extends MethodName> = Pick<Handlers, Name>;

/** The assistant's part of an engine's process. */
export interface App {
  readonly handlers: AppHandlers<AppMethod>;
  readonly events: AppEvents;
  readonly reading: BackgroundReading;
  /** Call it before turns of a scope are removed, and `end` afterwards, also after a failure. */
  beginRemoval(scope: string): Promise<Pick<Removal, 'end'>>;
  /** Ends answers that are being written and reading in the background. Neither the engine nor the store is closed. */
  close(): Promise<void>;
}

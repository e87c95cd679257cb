import type { Handlers } from '../client/handlers.ts';
import type { AppMethod, MethodName } from '../contract.ts';
import type { AppEvents } from './app-events.ts';
import type { BackgroundReading } from './background-reading.ts';
import type { Removal } from './forgetting.ts';

export type AppHandlers<Name extends MethodName> = Pick<Handlers, Name>;

/** Which scope things of the app belong to; undefined for what there is not. */
export interface ScopesOfApp {
  /** That of new chats. */
  readonly usual: string;
  ofConversation(id: string): string | undefined;
  ofMessage(id: string): string | undefined;
  ofFolder(id: string): string | undefined;
}

/** The assistant's part of an engine's process. */
export interface App {
  readonly handlers: AppHandlers<AppMethod>;
  readonly events: AppEvents;
  readonly reading: BackgroundReading;
  readonly scopes: ScopesOfApp;
  /** Whether an answer, a job or reading is under way, which may go on without a client. */
  isBusy(): boolean;
  /** Call it before turns of a scope are removed, and `end` afterwards, also after a failure. */
  beginRemoval(scope: string): Promise<Pick<Removal, 'end' | 'tellWhenDerived'>>;
  /** Adds the conversations to the folder of a backup. */
  saveConversations(folder: string): Promise<void>;
  /** Ends answers that are being written and reading in the background. Neither the engine nor the store is closed. */
  close(): Promise<void>;
}

import type { TextHolder } from '../../src/edit/proof/text-holder.ts';
import type { AppMethod } from '../contract.ts';
import type { AppContext } from './app-context.ts';
import { AppEvents } from './app-events.ts';
import type { AppHandlers } from './app-handlers.ts';
import { chatHandlers } from './chat/chat-handlers.ts';
import { conversationHandlers } from './conversations/conversation-handlers.ts';
import { AppJobs } from './jobs/app-jobs.ts';
import { jobHandlers } from './jobs/job-handlers.ts';
import { knowledgeHandlers } from './knowledge/knowledge-handlers.ts';
import { settingsHandlers } from './settings/settings-handlers.ts';
import { AppStore } from './store/app-store.ts';

/** The assistant's part of an engine's process. */
export interface App {
  readonly handlers: AppHandlers<AppMethod>;
  readonly textHolders: readonly TextHolder[];
  close(): Promise<void>;
}

/** @throws as `AppStore.open`. */
export async function openApp(options: Omit<AppContext, 'store' | 'events' | 'clock'>): Promise<App> {
  const store = await AppStore.open(options.config.path);
  const context: AppContext = { ...options, store, events: new AppEvents(), clock: Date.now };
  const jobs = await AppJobs.open(context).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const handlers = {
    ...conversationHandlers(context),
    ...chatHandlers(context),
    ...knowledgeHandlers(context),
    ...jobHandlers(context, jobs),
    ...settingsHandlers(context),
  };
  return { handlers, textHolders: [], close: () => jobs.close().finally(() => store.close()) };
}

import type { AppContext } from './app-context.ts';
import { AppEvents } from './app-events.ts';
import type { App } from './app-handlers.ts';
import { chatHandlers } from './chat/chat-handlers.ts';
import { RunningAnswers } from './chat/running-answers.ts';
import { settleBrokenOff } from './chat/settle-broken-off.ts';
import { conversationHandlers } from './conversations/conversation-handlers.ts';
import { forgetMissing, forgetTexts } from './forgetting.ts';
import { AppJobs } from './jobs/app-jobs.ts';
import { jobHandlers } from './jobs/job-handlers.ts';
import { knowledgeHandlers } from './knowledge/knowledge-handlers.ts';
import { ReadingDesk } from './reading.ts';
import { settingsHandlers } from './settings/settings-handlers.ts';
import { UsageLog } from './usage-log.ts';

export interface OpenAppOptions
  extends Omit<AppContext, 'events' | 'clock' | 'reading' | 'usage' | 'running'> {
  /** Default: the current time. */
  readonly clock?: () => number;
  /** Pause before remembered exchanges are read for facts. */
  readonly quietMilliseconds?: number;
}

/** Opens the assistant over an engine and a store, which the caller closes after it. */
export async function openApp(options: OpenAppOptions): Promise<App> {
  const context = appContext(options);
  const { store, reading, running } = context;
  await settleBrokenOff(store);
  const jobs = await AppJobs.open(context);
  const handlers = {
    ...conversationHandlers(context),
    ...chatHandlers(context),
    ...knowledgeHandlers(context),
    ...jobHandlers(context, jobs),
    ...settingsHandlers(context),
  };
  return {
    ...{ handlers, reading, events: context.events },
    beforeForget: (scope, target, more) => forgetTexts(context, scope, target, more),
    afterRemoval: (scope) => forgetMissing(context, scope),
    close: async () => {
      await running.close();
      await jobs.close();
      await reading.close();
    },
  };
}

/** What the parts of the assistant share. */
export function appContext({ clock = Date.now, quietMilliseconds, ...options }: OpenAppOptions): AppContext {
  const { engine, store, config, logger } = options;
  const events = new AppEvents();
  const usage = new UsageLog(store.file, clock);
  const model = config.llmModel ?? 'unknown';
  const reading = new ReadingDesk({ engine, events, usage, model, logger, quietMilliseconds });
  return { ...options, clock, events, usage, reading, running: new RunningAnswers() };
}

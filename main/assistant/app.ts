import type { AppContext } from './app-context.ts';
import { AppEvents } from './app-events.ts';
import type { App } from './app-handlers.ts';
import { BackgroundReading } from './background-reading.ts';
import { backupHandlers } from './backup/backup-handlers.ts';
import { chatHandlers } from './chat/chat-handlers.ts';
import { RunningAnswers } from './chat/running-answers.ts';
import { conversationHandlers } from './conversations/conversation-handlers.ts';
import { Removal } from './forgetting.ts';
import { AppJobs } from './jobs/app-jobs.ts';
import { jobHandlers } from './jobs/job-handlers.ts';
import { knowledgeHandlers } from './knowledge/knowledge-handlers.ts';
import { settingsHandlers } from './settings/settings-handlers.ts';
import type { AppStore } from './store/app-store.ts';
import { UsageLog } from './usage-log.ts';

export interface OpenAppOptions
  extends Omit<AppContext, 'events' | 'clock' | 'reading' | 'usage' | 'running'> {
  /** Default: the current time. */
  readonly clock?: () => number;
  /** Pause before remembered exchanges are read for facts. */
  readonly quietMilliseconds?: number;
  /** Whether jobs that ran when the last process ended continue in this one. Default: true. */
  readonly continuesJobs?: boolean;
}

/** Opens the assistant over an engine and a store, which the caller closes after it. */
export async function openApp({ continuesJobs = true, ...options }: OpenAppOptions): Promise<App> {
  const context = appContext(options);
  const { store, reading, running } = context;
  await settleBrokenOff(store);
  await Removal.endBrokenOff(context);
  const jobs = await AppJobs.open(context, { continues: continuesJobs });
  const handlers = {
    ...conversationHandlers(context),
    ...chatHandlers(context),
    ...knowledgeHandlers(context),
    ...jobHandlers(context, jobs),
    ...backupHandlers(context, jobs),
    ...settingsHandlers(context),
  };
  return {
    handlers,
    reading,
    events: context.events,
    beginRemoval: async (scope) => {
      const removal = await Removal.begin(context, scope);
      return { end: () => removal.end().finally(() => jobs.runningJobs.refreshWords()) };
    },
    close: async () => {
      await running.close();
      await jobs.close();
      await reading.close();
    },
  };
}

export function appContext({
  clock = Date.now,
  quietMilliseconds,
  ...options
}: Omit<OpenAppOptions, 'continuesJobs'>): AppContext {
  const { engine, store, config, logger } = options;
  const events = new AppEvents();
  const usage = new UsageLog(store.file, clock);
  const model = config.llmModel ?? 'unknown';
  const reading = new BackgroundReading({ engine, events, usage, model, logger, quietMilliseconds });
  return { ...options, clock, events, usage, reading, running: new RunningAnswers() };
}

/**
 * After a crash: answers that were being written are stopped ones, and no run is kept but those that wait for a
 * decision.
 */
async function settleBrokenOff({ messages, checkpoints, file }: AppStore): Promise<void> {
  for (const { id } of file.all("SELECT id FROM message WHERE state = 'streaming'"))
    messages.update(String(id), { state: 'stopped' });
  for (const { name } of file.all('SELECT name FROM checkpoint_thread')) {
    const message = messages.find(String(name));
    if (message?.remembered?.decision !== 'pending') await checkpoints.deleteThread(String(name));
  }
}

import { besideMemory } from '../beside-memory.ts';
import type { AppContext } from './app-context.ts';
import { AppEvents } from './app-events.ts';
import type { App, ScopesOfApp } from './app-handlers.ts';
import { BackgroundReading } from './background-reading.ts';
import { backupHandlers } from './backup/backup-handlers.ts';
import { chatHandlers } from './chat/chat-handlers.ts';
import { RunningAnswers } from './chat/running-answers.ts';
import { conversationHandlers } from './conversations/conversation-handlers.ts';
import { settleMoves } from './conversations/moved-turns.ts';
import { Removal } from './forgetting.ts';
import { AppJobs } from './jobs/app-jobs.ts';
import { jobHandlers } from './jobs/job-handlers.ts';
import { knowledgeHandlers } from './knowledge/knowledge-handlers.ts';
import { withPrivateChats } from './private-chats.ts';
import { settingsHandlers } from './settings/settings-handlers.ts';
import type { AppStore } from './store/app-store.ts';
import { saveConversations } from './store/conversation-archive.ts';
import { endedCalls } from './tools/chat-tools.ts';
import { sealKey } from './tools/sealed-secrets.ts';
import type { ConnectionLimits } from './tools/server-connection.ts';
import { ToolFile, toolFile } from './tools/tool-file.ts';
import { toolHandlers } from './tools/tool-handlers.ts';
import { ToolServers } from './tools/tool-servers.ts';
import { WaitingCalls } from './tools/waiting-calls.ts';
import { UsageLog } from './usage-log.ts';

export interface OpenAppOptions
  extends Omit<AppContext, 'events' | 'clock' | 'reading' | 'usage' | 'running' | 'tools' | 'calls'> {
  /** Default: the current time. */
  readonly clock?: () => number;
  /** Pause before remembered exchanges are read for facts. */
  readonly quietMilliseconds?: number;
  /** Limits of servers of tools, where they differ. */
  readonly toolLimits?: Partial<ConnectionLimits>;
  /** Whether jobs that ran when the last process ended continue in this one. Default: true. */
  readonly continuesJobs?: boolean;
}

/** Opens the assistant over an engine and a store, which the caller closes after it. */
export async function openApp({ continuesJobs = true, ...options }: OpenAppOptions): Promise<App> {
  const context = appContext(options);
  const { store, reading, running } = context;
  await settleBrokenOff(store);
  await settleMoves(context);
  await Removal.endBrokenOff(context);
  const jobs = await AppJobs.open(context, { continues: continuesJobs });
  const open = { ...conversationHandlers(context), ...chatHandlers(context) };
  const handlers = {
    ...open,
    ...withPrivateChats(context, open),
    ...knowledgeHandlers(context),
    ...jobHandlers(context, jobs),
    ...backupHandlers(context, jobs),
    ...settingsHandlers(context),
    ...toolHandlers(context),
  };
  return {
    handlers,
    reading,
    events: context.events,
    scopes: scopesOf(store, context.config.scope),
    isBusy: () => running.isBusy || reading.isBusy || jobs.runningJobs.isBusy,
    beginRemoval: async (scope) => {
      const removal = await Removal.begin(context, scope);
      return {
        end: () => removal.end().finally(() => jobs.runningJobs.refreshWords()),
        tellWhenDerived: () => removal.tellWhenDerived(),
      };
    },
    saveConversations: (folder) => saveConversations(store, folder),
    close: async () => {
      await running.close();
      await context.tools.close();
      await jobs.close();
      await reading.close();
    },
  };
}

/** Private chats are kept apart from the others. */
function scopesOf(store: AppStore, usual: string): ScopesOfApp {
  const stores = [store, ...(store.hidden === null ? [] : [store.hidden])];
  const ofConversation = (id: string) =>
    stores.map(({ conversations }) => conversations.find(id)?.scope).find((scope) => scope !== undefined);
  return {
    usual,
    ofConversation,
    ofMessage: (id) => {
      const message = stores.map(({ messages }) => messages.find(id)).find((each) => each !== undefined);
      return message && ofConversation(message.conversation);
    },
    ofFolder: (id) => store.folders.find(id)?.scope,
  };
}

export function appContext({
  clock = Date.now,
  quietMilliseconds,
  toolLimits,
  ...options
}: Omit<OpenAppOptions, 'continuesJobs'>): AppContext {
  const { engine, store, config, environment, logger } = options;
  const events = new AppEvents();
  const usage = new UsageLog(store.file, clock);
  const model = config.llmModel ?? 'unknown';
  const reading = new BackgroundReading({ engine, events, usage, model, logger, quietMilliseconds });
  const tools = new ToolServers({
    file: new ToolFile(
      config.path !== ':memory:' ? toolFile(besideMemory(config.path, environment)) : null,
      sealKey(environment),
    ),
    onChange: () => events.emit({ type: 'tools' }),
    ...{ logger, limits: toolLimits },
  });
  const running = new RunningAnswers();
  return { ...options, clock, events, usage, reading, running, tools, calls: new WaitingCalls() };
}

/**
 * After a crash: answers that were being written are stopped ones, and no run is kept but those that wait for a
 * decision.
 */
async function settleBrokenOff({ messages, checkpoints, file }: AppStore): Promise<void> {
  for (const { id } of file.all("SELECT id FROM message WHERE state = 'streaming'")) {
    const { calls } = messages.get(String(id));
    messages.update(String(id), { state: 'stopped', calls: endedCalls(calls) });
  }
  for (const { name } of file.all('SELECT name FROM checkpoint_thread')) {
    const message = messages.find(String(name));
    if (message?.remembered?.decision !== 'pending') await checkpoints.deleteThread(String(name));
  }
}

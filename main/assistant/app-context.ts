import type { Mnemis } from '../../src/engine.ts';
import type { Logger } from '../../src/model/logger.ts';
import type { Config, ConfigKey } from '../config.ts';
import type { AppEvents } from './app-events.ts';
import type { BackgroundReading } from './background-reading.ts';
import type { RunningAnswers } from './chat/running-answers.ts';
import type { AppStore } from './store/app-store.ts';
import type { ToolServers } from './tools/tool-servers.ts';
import type { WaitingCalls } from './tools/waiting-calls.ts';
import type { UsageLog } from './usage-log.ts';

export interface AppContext {
  readonly engine: Mnemis;
  /** The settings that the engine was opened with. */
  readonly config: Config;
  /** Settings that were given as flags: these cannot be changed in the app. */
  readonly flags?: Readonly<Partial<Record<ConfigKey, unknown>>> | undefined;
  /** Environment variables, for the language model's key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly store: AppStore;
  readonly events: AppEvents;
  readonly logger: Logger;
  readonly clock: () => number;
  /** Reads remembered turns for facts in the background. */
  readonly reading: BackgroundReading;
  readonly usage: UsageLog;
  readonly running: RunningAnswers;
  readonly tools: ToolServers;
  /** Calls of tools that wait for the person. */
  readonly calls: WaitingCalls;
  /** Ends the engine's process after the reply, so that it opens with new settings; absent where nobody would start it again. */
  readonly restart?: (() => void) | undefined;
}

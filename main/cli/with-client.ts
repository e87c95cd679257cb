import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { findEngine } from '../client/find-engine.ts';
import { given } from '../client/given.ts';
import { localClient } from '../client/local-client.ts';
import { type Config, type ConfigKey, resolveConfig } from '../config.ts';
import type { MemoryClient } from '../contract.ts';
import { findRecipe } from '../papers.ts';
import { CommandConsole, type Terminal } from './console.ts';
import { EngineRunningError } from './engine-running-error.ts';
import { EngineSettingsError } from './engine-settings-error.ts';
import { type AccessOptions, type CommonFlags, cancellable, withMemory } from './with-memory.ts';

export interface ClientCommand {
  readonly client: MemoryClient;
  /** The scope itself, for work on many rows, where the command has opened the memory; null where an engine serves it. */
  readonly memory: MemoryScope | null;
  readonly config: Config;
  readonly console: CommandConsole;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface ClientOptions extends AccessOptions {
  /** What the command needs set where it opens the memory for itself. */
  readonly own?: Partial<Config>;
}

/** Settings of a question; all others are of the engine that answers it, and of no effect on one that runs. */
const OF_THE_REQUEST: readonly string[] = [
  'path',
  'scope',
  'recipe',
  'k',
  'llmTokenBudget',
  'retention',
] satisfies ConfigKey[];

/** Runs a command on the engine that serves the configured memory; where none does, opens it for the command. */
export async function withClient(
  terminal: Terminal,
  { access, purpose = 'use', own = {}, ...flags }: CommonFlags & Partial<Config> & ClientOptions,
  run: (command: ClientCommand) => Promise<void>,
): Promise<void> {
  const { json, ...settings } = flags;
  const { values: config } = resolveConfig({
    flags: settings,
    environment: terminal.env,
    folder: terminal.cwd(),
  });
  await findRecipe(config.recipe); // wrong words come before wrong files
  const console = new CommandConsole(terminal, json === true);
  const runShared = async (): Promise<boolean> => {
    const running = config.path === ':memory:' ? null : await findEngine(config.path);
    if (running === null) return false;
    const { client, discovery } = running;
    refuseSettings(settings, discovery.pid);
    await cancellable(terminal, (signal) => run({ client, memory: null, config, console, signal }));
    return true;
  };
  if (await runShared()) return;
  let isOpen = false;
  try {
    await withMemory(
      terminal,
      { ...flags, ...given(own), access, purpose },
      async ({ engine, ...command }) => {
        isOpen = true;
        await run({ client: localClient(engine), ...command });
      },
    );
  } catch (error) {
    // One may have been started between the two.
    if (isOpen || !EngineRunningError.isInstance(error) || !(await runShared())) throw error;
  }
}

function refuseSettings(flags: Partial<Record<string, unknown>>, pid: number): void {
  const own = Object.keys(flags).filter((key) => flags[key] !== undefined && !OF_THE_REQUEST.includes(key));
  if (own.length > 0) throw new EngineSettingsError(own as ConfigKey[], pid);
}

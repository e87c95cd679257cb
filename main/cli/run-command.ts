import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../src/engine.ts';
import { defineError } from '../../src/errors/mnemis-error.ts';
import { withoutUndefined } from '../../src/util/collections.ts';
import { withoutPassword } from '../../src/util/database-url.ts';
import type { App } from '../assistant/app-handlers.ts';
import type { AppStore } from '../assistant/store/app-store.ts';
import { besideMemory, hasFiles, isNothingThere } from '../beside-memory.ts';
import { attend } from '../client/attend.ts';
import { findEngine, type RunningEngine } from '../client/find-engine.ts';
import { localClient } from '../client/local-client.ts';
import { type Config, type ConfigKey, type ResolvedConfig, resolveConfig } from '../config.ts';
import type { MemoryClient } from '../contract.ts';
import { InvalidSettingError, MemoryMissingError, ScopeEmptyError } from '../errors.ts';
import type { OpenMemoryOptions } from '../open-memory.ts';
import { findRecipe } from '../papers.ts';
import { CommandConsole, cancellable, type Terminal } from './console.ts';
import type { CommonFlags, FileFlags } from './flags.ts';
import { EngineRunningError, whenFree } from './when-free.ts';

/** The settings of a command: its flags, then the environment, the settings file and the defaults. */
export function settingsOf(terminal: Terminal, flags: object): ResolvedConfig {
  return resolveConfig({ flags, environment: terminal.env, folder: terminal.cwd() });
}

export interface ClientCommand {
  readonly client: MemoryClient;
  /** The scope itself, for work on many rows, if the command opened the memory; null if an engine serves it. */
  readonly memory: MemoryScope | null;
  readonly config: Config;
  readonly console: CommandConsole;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface ClientOptions extends AccessOptions {
  /** Settings that the command overrides when it opens the memory itself. */
  readonly own?: Partial<Config>;
}

/** `reads`: the memory must exist, so that a typo in --path creates no empty file. */
type Access = 'reads' | 'writes';

interface AccessOptions extends Pick<OpenMemoryOptions, 'purpose'> {
  readonly access: Access;
}

/** Runs a command on the engine that serves the configured memory; without one, opens the memory for the command. */
export async function withClient(
  terminal: Terminal,
  { access, purpose = 'use', own = {}, json, ...flags }: CommonFlags & Partial<Config> & ClientOptions,
  run: (command: ClientCommand) => Promise<void>,
): Promise<void> {
  const resolved = settingsOf(terminal, flags);
  const config = resolved.values;
  await findRecipe(config.recipe); // check the command line before the file
  const console = new CommandConsole(terminal, json === true);
  await throughEngine(besideMemory(config.path, terminal.env), {
    shared: async ({ client, discovery }) => {
      refuseSettings(flags, discovery.pid);
      await cancellable(terminal, (signal) => run({ client, memory: null, config, console, signal }));
    },
    own: async () => {
      const embedder = access === 'writes' ? await offeredEmbedder(resolved, console) : config.embedder;
      const opening = { access, purpose, console, config: { ...config, embedder, ...withoutUndefined(own) } };
      return whileOpen(opening, async ({ engine, store, ...command }) => {
        const app =
          store === null ? undefined : new AppOnDemand(() => appOver(engine, store, command), store);
        try {
          await run({ client: localClient(engine, { app }), ...command });
        } finally {
          await app?.close();
        }
      });
    },
  });
}

/**
 * Uses the engine that serves the memory, also one that another process starts before this one has opened the file.
 *
 * @param place - as `besideMemory` gives it.
 */
export async function throughEngine<T = void>(
  place: string,
  { shared, own }: { readonly shared: (engine: RunningEngine) => Promise<T>; readonly own: () => Promise<T> },
): Promise<T> {
  const find = async () => (place === ':memory:' ? null : findEngine(place));
  const attending = async (running: RunningEngine) => {
    const { leave } = await attend(running);
    return shared(running).finally(leave);
  };
  const running = await find();
  if (running !== null) return attending(running);
  try {
    return await own();
  } catch (error) {
    const started = EngineRunningError.isInstance(error) ? await find() : null;
    if (started === null) throw error;
    return attending(started);
  }
}

/** The embedder of a memory; before the first one is made, a person may fetch a better one. */
async function offeredEmbedder({ values, sources, file }: ResolvedConfig, console: CommandConsole) {
  const { path, embedder, offline } = values;
  const isFirst = hasFiles(path) && isNothingThere(path) && sources.embedder === 'default';
  if (!isFirst || offline || console.json || console.terminal.stderr.isTTY !== true) return embedder;
  const { offerModel } = await import('./offer-model.ts');
  return offerModel(values, { file, console });
}

/**
 * The conversations beside a memory, which forgetting reaches. Only a removal opens the assistant: to load it takes as
 * long as to answer a question.
 */
class AppOnDemand implements Pick<App, 'beginRemoval' | 'close'> {
  readonly handlers: Partial<App['handlers']>;
  readonly #open: () => Promise<App>;
  #app: Promise<App> | null = null;

  constructor(open: () => Promise<App>, store: AppStore) {
    this.#open = open;
    this.handlers = {
      async *exportConversations({ scope }) {
        const { exportedConversations } = await import('../assistant/store/conversation-archive.ts');
        yield* exportedConversations(store, scope);
      },
    };
  }

  async beginRemoval(scope: string) {
    this.#app ??= this.#open();
    return (await this.#app).beginRemoval(scope);
  }

  async close(): Promise<void> {
    await (await this.#app)?.close();
  }
}

async function appOver(
  engine: Mnemis,
  store: AppStore,
  { config, console }: Pick<ClientCommand, 'config' | 'console'>,
): Promise<App> {
  const { terminal } = console;
  const { openApp } = await import('../assistant/app.ts');
  const logger = { warn: (message: string) => console.note(message) };
  const options = { engine, store, config, environment: terminal.env, folder: terminal.cwd(), logger };
  return openApp({ ...options, continuesJobs: false }); // a command ends long before an import does
}

/** Settings that each request carries. The others belong to the engine; a running one ignores them. */
const OF_THE_REQUEST: readonly string[] = [
  'path',
  'scope',
  'recipe',
  'k',
  'llmTokenBudget',
  'retention',
] satisfies ConfigKey[];

function refuseSettings(flags: Partial<Record<string, unknown>>, pid: number): void {
  const own = Object.keys(flags).filter((key) => flags[key] !== undefined && !OF_THE_REQUEST.includes(key));
  if (own.length > 0) throw new EngineSettingsError(own as ConfigKey[], pid);
}

export interface MemoryCommand {
  readonly engine: Mnemis;
  /** The assistant's file; null if there is none. */
  readonly store: AppStore | null;
  readonly memory: MemoryScope;
  readonly config: Config;
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
}

/** Opens the configured memory with the configured embedder, runs the command, and always closes the memory. */
export async function withMemory(
  terminal: Terminal,
  { access, purpose = 'use', json, ...flags }: CommonFlags & Partial<Config> & AccessOptions,
  run: (command: MemoryCommand) => Promise<void>,
): Promise<void> {
  const config = settingsOf(terminal, flags).values;
  await whileOpen({ access, purpose, config, console: new CommandConsole(terminal, json === true) }, run);
}

interface Opening extends AccessOptions {
  readonly config: Config;
  readonly console: CommandConsole;
}

async function whileOpen(
  { access, purpose, config, console }: Opening,
  run: (command: MemoryCommand) => Promise<void>,
): Promise<void> {
  const { terminal } = console;
  if (access === 'reads' && hasFiles(config.path) && isNothingThere(config.path))
    throw new MemoryMissingError(config.path);
  await cancellable(terminal, async (signal) => {
    const logger = { warn: (message: string) => console.note(message) };
    const { openMemory } = await loadEngine();
    const options = { logger, signal, ...withoutUndefined({ purpose }), environment: terminal.env };
    const { engine, store, close } = await whenFree(() => openMemory(config, options), {
      path: config.path,
      console,
      signal,
    });
    try {
      await run({ engine, store, memory: engine.scope(config.scope), config, console, signal });
    } finally {
      await close();
    }
  });
}

export interface FileCommand {
  /** Of its file; the URL of one on a database server. */
  readonly path: string;
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
}

/**
 * Runs a command on the files of the configured memory, which no other process has open meanwhile. `isMade`: the
 * command creates the memory, so it need not exist.
 */
export async function withMemoryFile(
  terminal: Terminal,
  { isMade = false, ...flags }: FileFlags & { readonly isMade?: boolean },
  run: (command: FileCommand) => Promise<void>,
): Promise<void> {
  const { path, console } = fileOf(terminal, flags);
  if (!isMade && hasFiles(path) && isNothingThere(path)) throw new MemoryMissingError(path);
  await cancellable(terminal, (signal) =>
    whenFree(() => run({ path, console, signal }), { path, console, signal }),
  );
}

export interface FileOrEngineCommand extends FileCommand {
  /** Of the engine that serves the memory; null if the command has the files for itself. */
  readonly client: MemoryClient | null;
}

/** As `withMemoryFile`, for commands that an engine can carry out: it does so where it serves the memory. */
export async function withMemoryFileOrEngine(
  terminal: Terminal,
  flags: FileFlags,
  run: (command: FileOrEngineCommand) => Promise<void>,
): Promise<void> {
  const { path, console } = fileOf(terminal, flags);
  await throughEngine(besideMemory(path, terminal.env), {
    shared: ({ client }) => cancellable(terminal, (signal) => run({ path, console, signal, client })),
    own: () => withMemoryFile(terminal, flags, (command) => run({ ...command, client: null })),
  });
}

/** @throws InvalidSettingError for a memory without files. */
function fileOf(terminal: Terminal, { json = false, ...flags }: FileFlags) {
  const { path } = settingsOf(terminal, flags).values;
  if (path === ':memory:')
    throw new InvalidSettingError('The path :memory: names a memory that has no files');
  return { path, console: new CommandConsole(terminal, json) };
}

/** Loads the engine, which takes half a second, only for commands that need it: not for `--help` or `config`. */
export function loadEngine(): Promise<typeof import('../open-memory.ts')> {
  return import('../open-memory.ts');
}

/** Flags set how to open a memory that a running engine has already opened. */
class EngineSettingsError extends defineError(
  'engine-settings',
  (keys: readonly ConfigKey[], pid: number) => {
    const flags = keys.map((key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    return {
      message: `The engine with pid ${pid} runs with its own settings; nothing was done. Omit ${flags.join(', ')}, or stop the engine first with "mnemis server stop".`,
    };
  },
) {}

/** For a command that finds nothing in its scope. @throws ScopeEmptyError with the other scopes, if it has no turns */
export async function refuseEmptyScope({
  client,
  config: { path, scope },
}: Pick<ClientCommand, 'client' | 'config'>): Promise<void> {
  const { episode: turns } = await client.stats({ scope });
  if (turns > 0) return;
  const scopes = (await client.scopes({})).filter((name) => name !== scope);
  throw new ScopeEmptyError(scope, { path: withoutPassword(path), scopes });
}

import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../src/engine.ts';
import { type Config, resolveConfig } from '../config.ts';
import { MemoryMissingError } from '../errors.ts';
import type { OpenMemoryOptions } from '../open-memory.ts';
import { CommandConsole, type Terminal } from './console.ts';
import { languageModelFlags } from './language-model-flags.ts';
import { sayWhoServes } from './say-who-serves.ts';
import { wholeNumber } from './whole-number.ts';

export interface CommonFlags {
  readonly path?: string;
  readonly scope?: string;
  readonly embedder?: string;
  readonly embedderDimension?: number;
  readonly device?: Config['device'];
  readonly json?: boolean;
}

export interface LookBackFlags {
  readonly asOf?: string;
  readonly knownAt?: string;
}

/** The flags that every command on one scope of a memory has. */
export function commonFlags(command: Command): Command {
  return memoryFlags(command).option('--scope <name>', 'whose memory (default: "default")');
}

/** The flags that every command on a whole memory has. */
export function memoryFlags(command: Command): Command {
  return command
    .option('--path <file>', 'the memory’s file (default: in your data folder)')
    .option(
      '--embedder <name>',
      'what turns texts into vectors (default: "static"; "mnemis models list" has more)',
    )
    .option(
      '--embedder-dimension <number>',
      'numbers in a vector, where the embedder can choose',
      wholeNumber,
    )
    .option('--device <name>', 'where models run (default: "auto")')
    .option('--json', 'print one JSON document');
}

/** The flags of commands that read turns for facts. */
export function learningFlags(command: Command): Command {
  return languageModelFlags(
    command
      .option('--tier <name>', 'who reads turns for facts: local or llm (default: "local")')
      .option(
        '--profile <name>',
        'how they are read, by the name of an ingest profile (default: the tier’s)',
      ),
  );
}

export interface MemoryCommand {
  readonly engine: Mnemis;
  readonly memory: MemoryScope;
  readonly config: Config;
  readonly console: CommandConsole;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** `reads`: the memory must be there, so that a slip in --path makes no empty file. */
export type Access = 'reads' | 'writes';

export interface AccessOptions extends Pick<OpenMemoryOptions, 'purpose'> {
  readonly access: Access;
}

/** Opens the configured memory with the configured embedder, runs the command, and closes it whatever happens. */
export async function withMemory(
  terminal: Terminal,
  { access, purpose = 'use', ...flags }: CommonFlags & Partial<Config> & AccessOptions,
  run: (command: MemoryCommand) => Promise<void>,
): Promise<void> {
  const console = new CommandConsole(terminal, flags.json === true);
  const { json: _json, ...settings } = flags;
  const { values: config } = resolveConfig({
    flags: settings,
    environment: terminal.env,
    folder: terminal.cwd(),
  });
  if (access === 'reads' && config.path !== ':memory:' && isNothingThere(config.path))
    throw new MemoryMissingError(config.path);
  await cancellable(terminal, async (signal) => {
    const logger = { warn: (message: string) => console.note(message) };
    const { openMemory } = await loadEngine();
    const options = { logger, signal, purpose, environment: terminal.env };
    const { engine, close } = await sayWhoServes(config.path, () => openMemory(config, options));
    try {
      await run({ engine, memory: engine.scope(config.scope), config, console, signal });
    } finally {
      await close();
    }
  });
}

/** The engine and what it rests on take half a second to load, which `--help` or `config` need not wait for. */
export function loadEngine(): Promise<typeof import('../open-memory.ts')> {
  return import('../open-memory.ts');
}

/** A log without its database is no fresh start: opening says what to do about it. */
function isNothingThere(path: string): boolean {
  return !existsSync(path) && !existsSync(`${path}.wal`);
}

/** The first Ctrl-C asks the work to stop after what is under way; a second one ends the process as usual. */
export async function cancellable(
  terminal: Terminal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const stop = () => {
    terminal.stderr.write('\nStopping after what is under way; press Ctrl-C again to stop at once.\n');
    controller.abort();
  };
  terminal.once('SIGINT', stop);
  terminal.once('SIGTERM', stop);
  try {
    await run(controller.signal);
  } finally {
    terminal.removeListener('SIGINT', stop);
    terminal.removeListener('SIGTERM', stop);
  }
}

/** A question without a word has no answer. */
export function someWords(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type Config, resolveConfig } from '../config.ts';
import { InvalidSettingError, MemoryMissingError } from '../errors.ts';
import { CommandConsole, type Terminal } from './console.ts';
import { sayWhoServes } from './say-who-serves.ts';
import { cancellable } from './with-memory.ts';

export interface FileFlags {
  readonly path?: string;
  readonly json?: boolean;
}

/** The flags of commands on the files of a memory, for which no embedder is loaded. */
export function fileFlags(command: Command): Command {
  return command
    .option('--path <file>', 'the memory’s file (default: in your data folder)')
    .option('--json', 'print one JSON document');
}

export interface FileCommand {
  readonly path: string;
  readonly console: CommandConsole;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Runs a command on the files of the configured memory. `isMade`: the command makes the memory, so none need be there. */
export async function withMemoryFile(
  terminal: Terminal,
  { isMade = false, json = false, ...flags }: FileFlags & { readonly isMade?: boolean },
  run: (command: FileCommand) => Promise<void>,
): Promise<void> {
  const console = new CommandConsole(terminal, json);
  const { path } = configOf(terminal, flags);
  if (path === ':memory:') throw new InvalidSettingError('The path :memory: names a memory without files');
  if (!isMade && !existsSync(path) && !existsSync(`${path}.wal`)) throw new MemoryMissingError(path);
  await cancellable(terminal, (signal) => sayWhoServes(path, () => run({ path, console, signal })));
}

function configOf(terminal: Terminal, flags: Pick<FileFlags, 'path'>): Config {
  return resolveConfig({ flags, environment: terminal.env, folder: terminal.cwd() }).values;
}

/** The engine takes a while to load, which `--help` need not wait for. */
export const loadBackups = async () => ({
  ...(await import('../../src/engine/backup/compact.ts')),
  ...(await import('../../src/engine/backup/verify.ts')),
  ...(await import('../../src/engine/backup/restore-backup.ts')),
});

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

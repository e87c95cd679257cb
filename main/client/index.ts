/** Public exports of `mnemis/client`: a memory that several programs of this machine use at once. */
import { InvalidInputError } from '../../src/errors/index.ts';
import type { CallOptions } from '../../src/model/call-options.ts';
import { type Config, resolveConfig } from '../config.ts';
import type { MemoryClient } from '../contract.ts';
import { join } from './join.ts';

export type { InputOf, MemoryClient, MethodName, OutputOf, RequestOptions } from '../contract.ts';
export { EngineError, EngineReplyError, EngineStartError, EngineUnreachableError } from './errors.ts';

/** Which memory `connect` joins, and how an engine is started where none runs. */
export interface ConnectOptions extends CallOptions {
  /** The memory’s file, or the `postgres://` URL of its server. Default: that of the command line (`mnemis config`). */
  readonly path?: string;
  /**
   * Further settings of an engine that is started, as flags of the command line; the others come from the environment
   * and `mnemis.config.json`. An engine that runs keeps its own.
   */
  readonly settings?: Partial<Omit<Config, 'path'>>;
  /** Environment variables, which hold settings and keys of models. Default: those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where relative paths and `mnemis.config.json` are looked for. Default: the folder of this process. */
  readonly folder?: string;
  /** How long to wait for the engine, or for a program that has the file open, in milliseconds. Default 60,000. */
  readonly wait?: number;
}

/**
 * Joins the engine that serves a memory to the programs of this machine (the app, the MCP server, other programs), or
 * starts one in the background. It ends a few seconds after its last client: `close` the client, or end the program.
 *
 * @throws InvalidSettingError, InvalidInputError for `:memory:`, EngineError with the code of what keeps the engine from
 *   starting (`database-locked` where a program has the file open alone), EngineStartError, CancelledError.
 */
export async function connect(options: ConnectOptions = {}): Promise<MemoryClient> {
  const {
    path,
    settings,
    environment = process.env,
    folder = process.cwd(),
    wait: patience,
    signal,
  } = options;
  const resolved = resolveConfig({ flags: { ...settings, path }, environment, folder });
  const { values: config, sources } = resolved;
  if (config.path === ':memory:')
    throw new InvalidInputError('A memory without a file cannot be shared; open it with Mnemis.open');
  return join({ config, sources, environment, folder, patience, signal });
}

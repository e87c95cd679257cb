import { dataFolder, makeStateFolder } from '../../src/util/files.ts';
import { type ResolvedConfig, resolveConfig } from '../config.ts';
import type { Terminal } from './console.ts';

/**
 * The settings of a command that an agent runs in any repository: its flags, the environment, and the settings file of
 * the data folder. A file in the repository must not choose where the user's words go.
 */
export function ownSettings({ env }: Pick<Terminal, 'env'>, flags: object): ResolvedConfig {
  const folder = dataFolder(env);
  makeStateFolder(folder);
  return resolveConfig({ flags, environment: env, folder });
}

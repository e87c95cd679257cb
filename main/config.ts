import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { RECIPES } from '../src/retrieve/recipes.ts';
import { InvalidSettingError } from './errors.ts';

/** Everything that can be set, by flag, environment, `mnemis.config.json` or default, in this order (DESIGN §8.16). */
export const configSchema = z.strictObject({
  path: name(4096).describe('database file'),
  scope: name(200).describe('whose memory'),
  tier: oneOf(['local']).describe('who does the work: local needs no model'),
  recipe: oneOf(RECIPES.map((recipe) => recipe.name)).describe('how questions are searched for'),
  k: wholeNumber(1, 100).describe('episodes in an answer’s context; entities and facts get 2k'),
  bufferPoolMb: wholeNumber(512, 65_536).describe('page cache of the database, in MB'),
});

function name(longest: number) {
  const error = `it must be a text of 1 to ${longest} characters`;
  return z.string({ error }).trim().min(1, { error }).max(longest, { error });
}

function oneOf(names: readonly string[]) {
  const error = `it must be one of: ${names.join(', ')}`;
  return z.string({ error }).refine((value) => names.includes(value), { error });
}

function wholeNumber(least: number, most: number) {
  const error = `it must be a whole number from ${least} to ${most}`;
  return z.coerce
    .number({ error })
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, { error });
}

export type Config = z.infer<typeof configSchema>;
export type ConfigKey = keyof Config;
export type ConfigSource = 'flag' | 'environment' | 'file' | 'default';

export interface ResolvedConfig {
  readonly values: Config;
  readonly sources: Readonly<Record<ConfigKey, ConfigSource>>;
  readonly file: string;
}

export const CONFIG_KEYS = Object.keys(configSchema.shape) as readonly ConfigKey[];
export const CONFIG_FILE = 'mnemis.config.json';

export const environmentName = (key: ConfigKey): string =>
  `MNEMIS_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

export interface ConfigInputs {
  readonly flags: Partial<Record<ConfigKey, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

export function resolveConfig({ flags, environment, folder }: ConfigInputs): ResolvedConfig {
  const file = join(folder, CONFIG_FILE);
  const layers: readonly (readonly [ConfigSource, Partial<Record<ConfigKey, unknown>>])[] = [
    ['flag', flags],
    ['environment', fromEnvironment(environment)],
    ['file', fromFile(file)],
    ['default', defaults(environment)],
  ];
  const values: Partial<Record<ConfigKey, unknown>> = {};
  const sources: Partial<Record<ConfigKey, ConfigSource>> = {};
  for (const key of CONFIG_KEYS) {
    const [source, layer] = layers.find(([, candidate]) => candidate[key] !== undefined)!;
    values[key] = layer[key];
    sources[key] = source;
  }
  const parsed = configSchema.safeParse(values);
  if (!parsed.success) {
    const key = String(parsed.error.issues[0]!.path[0]) as ConfigKey;
    throw new InvalidSettingError(
      `The setting ${key} (${describeSource(key, sources[key]!)}) is not valid: ${parsed.error.issues[0]!.message}`,
    );
  }
  const path = parsed.data.path === ':memory:' ? ':memory:' : resolve(folder, parsed.data.path);
  return { values: { ...parsed.data, path }, sources: sources as Record<ConfigKey, ConfigSource>, file };
}

function describeSource(key: ConfigKey, source: ConfigSource): string {
  if (source === 'flag') return `flag --${key}`;
  return source === 'environment' ? `${environmentName(key)} in the environment` : source;
}

function fromEnvironment(environment: ConfigInputs['environment']): Partial<Record<ConfigKey, unknown>> {
  return Object.fromEntries(CONFIG_KEYS.map((key) => [key, environment[environmentName(key)] || undefined]));
}

function fromFile(file: string): Partial<Record<ConfigKey, unknown>> {
  if (!existsSync(file)) return {};
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new InvalidSettingError(`The settings file ${file} cannot be read as JSON`, cause);
  }
  const parsed = configSchema.partial().safeParse(json);
  if (!parsed.success)
    throw new InvalidSettingError(`The settings file ${file} is not valid: ${describeIssue(parsed.error)}`);
  return parsed.data;
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys')
    return `it sets ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; the settings are ${CONFIG_KEYS.join(', ')}`;
  return issue?.path.length ? `${issue.path.join('.')}: ${issue.message}` : 'it is not an object of settings';
}

function defaults(environment: ConfigInputs['environment']): Config {
  return {
    path: join(dataFolder(environment), 'memory.db'),
    scope: 'default',
    tier: 'local',
    recipe: 'system1',
    k: 10,
    bufferPoolMb: 512,
  };
}

/** Where a user's data belongs on this system. */
function dataFolder(environment: ConfigInputs['environment']): string {
  if (process.platform === 'win32')
    return join(environment.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'mnemis');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'mnemis');
  return join(environment.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'mnemis');
}

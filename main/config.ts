import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { retentionSchema } from '../src/engine/maintain/retention.ts';
import { InvalidInputError, MnemisError } from '../src/errors/index.ts';
import { MODEL_PROVIDERS } from '../src/inference/models/create-language-model.ts';
import {
  DEFAULT_EMBEDDER,
  DEVICE_CHOICES,
  embedderReference,
  isAddress,
  isBundled,
  localModelIn,
  rerankerReference,
} from '../src/inference/models/model-reference.ts';
import { neverRememberSchema } from '../src/ingest/admit/never-remember.ts';
import { DEFAULT_LLM_PROFILE, DEFAULT_LOCAL_PROFILE, INGEST_PROFILES } from '../src/ingest/profile.ts';
import { DEFAULT_K, MOST_RESULTS, TIERS } from '../src/model/options.ts';
import { DEFAULT_RECIPE, RECIPE_NAMES } from '../src/retrieve/recipes/recipes.ts';
import { givenPath } from '../src/store/given-path.ts';
import { isDatabaseUrl, withoutPassword } from '../src/util/database-url.ts';
import { dataFolder, modelsFolderIn } from '../src/util/files.ts';
import { isServerAddress, SERVER_ADDRESS_RULE } from '../src/util/server-address.ts';
import { isTimeZone } from '../src/util/time-zone.ts';
import { hasFiles } from './beside-memory.ts';
import { InvalidSettingError } from './errors.ts';

const SEEING = ['by-name', 'yes', 'no'] as const;

/**
 * All settings. Each comes from a flag, the environment, `mnemis.config.json` or a default, in this order
 * (docs/design.md, "Settings").
 */
export const configSchema = z.strictObject({
  path: memoryPath().describe('database file, or postgres:// URL of a database server'),
  scope: name(200).describe('the scope to use'),
  tier: z
    .enum(TIERS, { error: 'it must be one of: local, llm' })
    .describe('who reads turns for facts: local needs no model, llm asks the language model'),
  profile: oneOf(
    INGEST_PROFILES.map((profile) => profile.name),
    isOfPaper,
  )
    .optional()
    .describe('ingest profile that reads turns for facts (unset: the tier’s)'),
  recipe: oneOf(RECIPE_NAMES, isOfPaper).describe('the search recipe'),
  k: wholeNumber(1, MOST_RESULTS).describe('turns in an answer’s context; entities and facts get 2k'),
  redactSecrets: yesOrNo().describe('redact keys, card numbers and passwords in turns before storing them'),
  neverRemember: phraseList()
    .optional()
    .describe('do not store turns with one of these phrases; a list, in the settings file'),
  retention: retentionRule()
    .optional()
    .describe('how long "mnemis maintain" keeps turns: "365d", or "365d keep-facts"'),
  bufferPoolMb: wholeNumber(512, 65_536).describe('page cache of the database when it is opened, in MB'),
  scopeMemoryMb: wholeNumber(16, 1_048_576).describe('most memory of the scopes in use, in MB'),
  embedder: named((text) => isBundled(text) || embedderReference(text)).describe(
    'the embedding model: a bundled one, or a model’s name',
  ),
  embedderDimension: wholeNumber(16, 4096)
    .optional()
    .describe('dimension of vectors, if the model supports several'),
  reranker: named((text) => text === 'none' || localModelIn(text) || rerankerReference(text)).describe(
    'for recipes that rerank: a cross-encoder, local: and a chat model of this computer, or none',
  ),
  device: z
    .enum(DEVICE_CHOICES, { error: `it must be one of: ${DEVICE_CHOICES.join(', ')}` })
    .describe('device that runs models; auto uses an accelerator that works'),
  modelsFolder: name(4096).describe('folder of the models'),
  modelsMirror: name(4096)
    .refine(holdsNoPassword, { error: 'it must not contain a user or a password' })
    .optional()
    .describe('source of models: an HTTP address or a folder'),
  offline: yesOrNo().describe('never download models'),
  timeZone: z
    .string()
    .refine(isTimeZone, { error: 'it must be a time zone such as Europe/Oslo' })
    .describe('time zone of your days in the app, such as Europe/Oslo'),
  llmProvider: z
    .enum(['none', ...MODEL_PROVIDERS], { error: `it must be one of: none, ${MODEL_PROVIDERS.join(', ')}` })
    .describe('provider of the language model; its key is set separately'),
  llmModel: name(4096)
    .optional()
    .describe('the language model’s name at its provider, or local: and a model of this computer'),
  llmBaseUrl: serverAddress().optional().describe('address of the language model’s server'),
  llmSees: z
    .enum(SEEING, { error: `it must be one of: ${SEEING.join(', ')}` })
    .describe('whether the language model takes images: yes, no, or as its name tells'),
  llmContextTokens: wholeNumber(256, 100_000_000)
    .optional()
    .describe('context size: tokens of prompt and reply together'),
  llmConcurrency: wholeNumber(1, 256).describe('most requests to the language model at once'),
  llmRequestsPerMinute: wholeNumber(1, 1_000_000)
    .optional()
    .describe('limit of the language model’s account'),
  llmTokensPerMinute: wholeNumber(1, 1e9).optional().describe('limit of the language model’s account'),
  llmTimeoutSeconds: wholeNumber(1, 3600).describe('timeout of one request to the language model'),
  llmTokenBudget: wholeNumber(1, 1e12).optional().describe('most tokens that one run may use'),
});

function name(longest: number) {
  const error = `it must be a text of 1 to ${longest} characters`;
  return z.string({ error }).trim().min(1, { error }).max(longest, { error });
}

/** A message never shows a part of a URL, which may be a password. */
function memoryPath() {
  const error = 'it must be a path, or a URL of the form postgres://user:password@host:port/database';
  return name(4096).refine((path) => (isDatabaseUrl(path) ? URL.canParse(path) : !ANY_URL.test(path)), {
    error,
  });
}

const ANY_URL = /^(?!file:)[a-z][a-z\d+.-]+:\/\//i;

/** `mnemis config` prints settings unmasked, so addresses with credentials are rejected. */
function holdsNoPassword(place: string): boolean {
  const url = isAddress(place) && URL.canParse(place) ? new URL(place) : null;
  return url === null || url.username + url.password === '';
}

function serverAddress() {
  return z.string({ error: SERVER_ADDRESS_RULE }).refine(isServerAddress, { error: SERVER_ADDRESS_RULE });
}

function oneOf(names: readonly string[], isOther: (name: string) => boolean) {
  const error = `it must be one of: ${names.join(', ')}`;
  return z.string({ error }).refine((value) => names.includes(value) || isOther(value), { error });
}

/** Names of the papers' variants are accepted here; `papers.ts` loads them when they are used. */
function isOfPaper(name: string): boolean {
  return /^(?:system1|mnemis|memorai|gam|personalai)-/.test(name);
}

/** A text that `read` can parse; its error becomes the issue's message. */
function named(read: (text: string) => unknown) {
  return z.string({ error: 'it must be a name' }).superRefine((value, context) => {
    try {
      read(value);
    } catch (error) {
      if (!MnemisError.isInstance(error)) throw error;
      context.addIssue({ code: 'custom', message: error.message.replace(/\.$/, '') });
    }
  });
}

/** In the environment, semicolons separate the phrases. */
function phraseList() {
  return z.union([
    neverRememberSchema,
    z
      .string()
      .transform((text) =>
        text
          .split(';')
          .map((phrase) => phrase.trim())
          .filter((phrase) => phrase !== ''),
      )
      .pipe(neverRememberSchema),
  ]);
}

/** In a flag and the environment: an age and whether facts stay; `none` overrides the settings file. */
function retentionRule() {
  const error =
    'it must be an age in h, d, w or y such as "365d", an age and "keep-facts" ("365d keep-facts"), or "none"';
  const text = z.string({ error }).transform((rule, context) => {
    const [olderThan = '', keep, ...rest] = rule.trim().split(/\s+/);
    if (olderThan === 'none' && keep === undefined) return undefined;
    const keepFacts = keep === 'keep-facts';
    const parsed = retentionSchema.safeParse({ turns: { olderThan, keepFacts } });
    if (parsed.success && rest.length === 0 && (keepFacts || keep === undefined)) return parsed.data;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
  return z.union([retentionSchema, text], { error });
}

function yesOrNo() {
  const error = 'it must be true or false';
  return z.union([z.boolean(), z.stringbool()], { error });
}

function wholeNumber(least: number, most: number) {
  const error = `it must be a whole number from ${least} to ${most}`;
  const number = z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
  return z.union([number, z.string().transform(Number).pipe(number)], { error });
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
const CONFIG_FILE = 'mnemis.config.json';

/** Name of the ingest profile that the settings select. */
export function configuredProfileName({ profile, tier }: Config): string {
  return profile ?? (tier === 'llm' ? DEFAULT_LLM_PROFILE : DEFAULT_LOCAL_PROFILE);
}

export const environmentName = (key: ConfigKey): string =>
  `MNEMIS_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

export interface ConfigInputs {
  readonly flags: Partial<Record<ConfigKey, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

/** The folder's own settings file if it exists, else that of the data folder. */
export function settingsFile({ environment, folder }: Omit<ConfigInputs, 'flags'>): string {
  const own = join(folder, CONFIG_FILE);
  return existsSync(own) ? own : join(dataFolder(environment), CONFIG_FILE);
}

/** @param settings Content of the settings file; default: read from it. */
export function resolveConfig(
  { flags, environment, folder }: ConfigInputs,
  settings?: Partial<Record<ConfigKey, unknown>>,
): ResolvedConfig {
  const file = settingsFile({ environment, folder });
  const layers: readonly (readonly [ConfigSource, Partial<Record<ConfigKey, unknown>>])[] = [
    ['flag', flags],
    [
      'environment',
      Object.fromEntries(CONFIG_KEYS.map((key) => [key, environment[environmentName(key)] || undefined])),
    ],
    ['file', settings ?? checkedSettings(file, settingsIn(file))],
    ['default', defaults(environment)],
  ];
  const values: Partial<Record<ConfigKey, unknown>> = {};
  const sources: Partial<Record<ConfigKey, ConfigSource>> = {};
  for (const key of CONFIG_KEYS) {
    const [source, layer] = layers.find(([, candidate]) => candidate[key] !== undefined) ?? layers.at(-1)!;
    if (layer[key] !== undefined) values[key] = layer[key];
    sources[key] = source;
  }
  const parsed = configSchema.safeParse(values);
  if (!parsed.success) {
    const key = String(parsed.error.issues[0]!.path[0]) as ConfigKey;
    throw new InvalidSettingError(
      `The setting ${key} (${describeSource(key, sources[key]!)}) is not valid: ${parsed.error.issues[0]!.message}`,
    );
  }
  return {
    values: withPaths(
      withLocalModel(parsed.data, (key) => sources[key] !== 'default'),
      (key, value) => {
        try {
          return givenPath(value, { folder: sources[key] === 'file' ? dirname(file) : folder, environment });
        } catch (error) {
          if (!InvalidInputError.isInstance(error)) throw error;
          throw new InvalidSettingError(
            `The setting ${key} (${describeSource(key, sources[key]!)}) is not valid: ${error.what}`,
          );
        }
      },
    ),
    sources: sources as Record<ConfigKey, ConfigSource>,
    file,
  };
}

/**
 * `local:NAME` as the model names its provider, too. What nobody has set fits a model of this computer: it may read a
 * long prompt for minutes, and more requests would wait in its process.
 */
export function withLocalModel(config: Config, isSet: (key: ConfigKey) => boolean): Config {
  const model = localModelIn(config.llmModel ?? '') ?? config.llmModel;
  if (model === config.llmModel && config.llmProvider !== 'local') return config;
  return {
    ...config,
    llmProvider: 'local',
    llmModel: model,
    ...(isSet('llmTimeoutSeconds') ? {} : { llmTimeoutSeconds: 600 }),
    ...(isSet('llmConcurrency') ? {} : { llmConcurrency: 2 }),
  };
}

/** Relative paths start at the folder of the settings file; those of flags and the environment at the working folder. */
function withPaths(config: Config, place: (key: ConfigKey, value: string) => string): Config {
  const { path, modelsFolder, modelsMirror: mirror, llmProvider, llmModel, reranker } = config;
  const judge = localModelIn(reranker);
  return {
    ...config,
    ...(judge?.endsWith('.gguf') ? { reranker: `local:${place('reranker', judge)}` } : {}),
    ...(llmProvider === 'local' && llmModel?.endsWith('.gguf')
      ? { llmModel: place('llmModel', llmModel) }
      : {}),
    path: hasFiles(path) ? place('path', path) : path,
    modelsFolder: place('modelsFolder', modelsFolder),
    ...(mirror === undefined
      ? {}
      : { modelsMirror: isAddress(mirror) ? mirror : place('modelsMirror', mirror) }),
  };
}

/** The value of a setting as it may be shown: without the password of a database server. */
export function shownValue<Key extends ConfigKey>(values: Config, key: Key): Config[Key] {
  return key === 'path' ? (withoutPassword(values.path) as Config[Key]) : values[key];
}

export function describeSource(key: ConfigKey, source: ConfigSource): string {
  if (source === 'flag') return `flag --${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return source === 'environment' ? `${environmentName(key)} in the environment` : source;
}

/** The content of a settings file as it is, unchecked; an empty object if there is no file. @throws InvalidSettingError */
export function settingsIn(file: string): unknown {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new InvalidSettingError(`The settings file ${file} cannot be read as JSON`, cause);
  }
}

/** @throws InvalidSettingError */
export function checkedSettings(file: string, content: unknown): Partial<Record<ConfigKey, unknown>> {
  const parsed = configSchema.partial().safeParse(content);
  if (parsed.success) return parsed.data;
  throw new InvalidSettingError(`The settings file ${file} is not valid: ${describeIssue(parsed.error)}`);
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys')
    return `it sets ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; the settings are ${CONFIG_KEYS.join(', ')}`;
  return issue?.path.length ? `${issue.path.join('.')}: ${issue.message}` : 'it is not an object of settings';
}

/**
 * The memory of a person who names none. On Windows it is a SQLite file, which every program can open; Kùzu's module
 * loads in Node.js alone there (`isKuzuLoadable`). A Kùzu file that exists stays the default.
 */
export function defaultMemory(folder: string, platform = process.platform): string {
  const kuzu = join(folder, 'memory.db');
  return platform !== 'win32' || existsSync(kuzu) ? kuzu : join(folder, 'memory.sqlite');
}

function defaults(environment: ConfigInputs['environment']): Config {
  return {
    path: defaultMemory(dataFolder(environment)),
    scope: 'default',
    tier: 'local',
    recipe: DEFAULT_RECIPE,
    k: DEFAULT_K,
    redactSecrets: true,
    bufferPoolMb: 512,
    scopeMemoryMb: 256,
    embedder: DEFAULT_EMBEDDER,
    reranker: 'none',
    device: 'auto',
    modelsFolder: modelsFolderIn(environment),
    offline: false,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    llmProvider: 'none',
    llmSees: 'by-name',
    llmConcurrency: 4,
    llmTimeoutSeconds: 120,
  };
}

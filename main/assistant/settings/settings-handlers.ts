import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import {
  CancelledError,
  InvalidInputError,
  MalformedReplyError,
  ModelKeyError,
} from '../../../src/errors/index.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import { dataFolder } from '../../../src/util/files.ts';
import { SerialQueue } from '../../../src/util/serial-queue.ts';
import { isServerAddress, SERVER_ADDRESS_RULE } from '../../../src/util/server-address.ts';
import { besideMemory } from '../../beside-memory.ts';
import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  checkedSettings,
  describeSource,
  resolveConfig,
} from '../../config.ts';
import type { settingsMethods } from '../../contract/settings.ts';
import type { InputOf, OutputOf, Settings } from '../../contract.ts';
import { InvalidSettingError } from '../../errors.ts';
import { configuredLanguageModel, endpointAddress, modelKeyFrom } from '../../language-model.ts';
import {
  areKeysOfSystem,
  endOf,
  MODEL_KEY_VARIABLE,
  modelKeySchema,
  modelKeysFile,
  originOf,
  storedKeys,
  storeKey,
} from '../../model-keys.ts';
import type { AppHandlers } from '../app-handlers.ts';
import { appFile, uploadsFolder } from '../store/app-store.ts';
import { readPreferences, writePreferences } from '../store/read-preferences.ts';
import { checkSettings } from './check-settings.ts';
import { addressOf, endpointModels } from './endpoint-models.ts';
import { formFields } from './form-fields.ts';
import { listedModels, removeModel, unusedModel, verifyModel } from './installed-models.ts';
import { installedChatModels, localModels } from './local-models.ts';
import {
  describedSettings,
  differing,
  type OpenedSettings,
  openedSettings,
  type SettingsContext,
} from './opened-settings.ts';
import { sentText, sentToTools } from './sent-text.ts';
import { changedContent, type SettingChanges, writeSettings } from './settings-file.ts';
import { usageItems } from './usage-items.ts';
import { usageReport } from './usage-report.ts';

/** Few retries: a person waits for the result. */
const TEST_RETRIES = { attempts: 2, longestRetryAfter: 5_000 };
const LONGEST_TEST = 60;
const USAGE_DAYS = 30;

export function settingsHandlers(context: SettingsContext): AppHandlers<keyof typeof settingsMethods> {
  const { config, store, environment, events } = context;
  const started = context.clock();
  const saves = new SerialQueue();
  let opened = tryOpened(context);
  const asOpened = () => {
    opened ??= openedSettings(context);
    return opened;
  };
  let fields: Settings['fields'] | undefined;
  let unused: ReturnType<typeof unusedModel> | undefined;
  const described = async (): Promise<Settings> => {
    fields ??= formFields();
    return { ...(await describeSettings(context, asOpened())), fields };
  };
  const save = async ({ settings = {}, preferences }: InputOf<'saveSettings'>) => {
    const before = asOpened();
    checkBackupFolder(preferences?.backups?.folder);
    const changes = changesFrom(settings, before);
    const after = await afterChanges(context, before, changes);
    if (Object.keys(changes).length > 0) await writeSettings(before.file, changes);
    if (preferences !== undefined) writePreferences(store, withoutUndefined(preferences));
    events.emit({ type: 'settings' });
    const restarts = context.restart !== undefined && differing(config, after).length > 0;
    const reply = { settings: await described(), restarts };
    if (restarts) setImmediate(() => context.restart?.()); // after the reply has begun
    return reply;
  };
  return {
    settings: described,
    saveSettings: (input) => saves.run(() => save(input)),
    saveKey: async (input) => {
      const reply = saveKey(context, input);
      events.emit({ type: 'settings' });
      if (reply.restarts) setImmediate(() => context.restart?.());
      return reply;
    },
    endpointModels: async ({ provider, baseUrl }, { signal }) => {
      if (provider === 'local') return { models: await installedChatModels(config) };
      addressOf({ provider, baseUrl });
      const key = modelKeyFrom(environment, withEndpoint(config, { provider, baseUrl }));
      return { models: await endpointModels({ provider, baseUrl, key }, { signal }) };
    },
    testModel: async (endpoint, { signal }) => testModel(context, endpoint, signal),
    embedders: async () => {
      unused ??= unusedModel(config); // tried once
      return { items: await listedModels(config), unused: await unused };
    },
    localModels: () => localModels(config, environment),
    verifyEmbedder: async ({ name }, { signal }) => verifyModel(config, name, signal),
    removeEmbedder: async ({ name }) => {
      const removed = await removeModel(config, name);
      events.emit({ type: 'settings' });
      return removed;
    },
    usage: async ({ days = USAGE_DAYS }) => {
      const { prices } = readPreferences(store);
      return { rows: usageReport(store, { days, prices, now: context.clock() }) };
    },
    usageItems: async (asked) => {
      const { prices } = readPreferences(store);
      return usageItems(store, asked, { prices, now: context.clock() });
    },
    async *appEvents(_, { signal }) {
      const stop = new AbortController();
      const ended = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
      const following = events.follow(ended);
      const first = following.next(); // begins to follow now, before the window reads the state
      try {
        yield { type: 'engine', started, pid: process.pid };
        const { value, done } = await first;
        if (done !== true) yield value;
        yield* following;
        if (signal?.aborted) throw new CancelledError('nothing was changed', signal.reason);
      } finally {
        stop.abort();
      }
    },
  };
}

function checkBackupFolder(folder = ''): void {
  if (folder.trim() !== '' && !isAbsolute(folder.trim()))
    throw new InvalidInputError('The folder of the backups needs an absolute path');
}

/** Now, before anybody changes the file. A file that was damaged since opening is reported on request. */
function tryOpened(context: SettingsContext): OpenedSettings | null {
  try {
    return openedSettings(context);
  } catch (error) {
    if (InvalidSettingError.isInstance(error)) return null;
    throw error;
  }
}

async function describeSettings(
  context: SettingsContext,
  opened: OpenedSettings,
): Promise<Omit<Settings, 'fields'>> {
  const { config, environment, store, tools } = context;
  return {
    settings: describedSettings(opened),
    preferences: readPreferences(store),
    file: opened.file,
    key: {
      storage: areKeysOfSystem(environment) ? 'system' : 'file',
      file: modelKeysFile(environment),
      variable: MODEL_KEY_VARIABLE,
      isInEnvironment: Boolean(environment[MODEL_KEY_VARIABLE]?.trim()),
      isSet: modelKeyFrom(environment, config) !== undefined,
      stored: Object.fromEntries(
        Object.entries(storedKeys(environment)).map(([address, key]) => [address, endOf(key)]),
      ),
    },
    folders: {
      memory: withoutPassword(config.path),
      models: config.modelsFolder,
      data: dataFolder(environment),
    },
    bytes: await memoryBytes(besideMemory(config.path, environment)),
    sends: [...(await sentText(config)), ...sentToTools(tools)],
  };
}

/** @throws InvalidInputError for an unknown setting, InvalidSettingError for one that the file does not decide. */
function changesFrom(
  settings: Readonly<Record<string, unknown>>,
  { sources }: OpenedSettings,
): SettingChanges {
  for (const key of Object.keys(settings)) {
    if (!isKey(key))
      throw new InvalidInputError(`There is no such setting; the settings are ${CONFIG_KEYS.join(', ')}`);
    const source = sources[key];
    if (source === 'flag' || source === 'environment')
      throw new InvalidSettingError(
        `The setting ${key} comes from the ${describeSource(key, source)}, which overrides the settings file, so it cannot be changed here. Remove it there and start the engine again`,
      );
  }
  return settings;
}

const isKey = (key: string): key is ConfigKey => (CONFIG_KEYS as readonly string[]).includes(key);

/** The settings that the engine would open with. @throws InvalidSettingError and what `checkSettings` throws */
async function afterChanges(
  context: SettingsContext,
  { file, flags }: OpenedSettings,
  changes: SettingChanges,
): Promise<Config> {
  const { environment, folder, config } = context;
  if (Object.keys(changes).length === 0) return config;
  const content = checkedSettings(file, changedContent(file, changes));
  const { values } = resolveConfig({ flags, environment, folder }, content);
  await checkSettings(context, config, values);
  return values;
}

/**
 * Stores a key for a server, or removes it. Where the system keeps keys, the desktop's main process stores it after
 * this reply.
 *
 * @throws InvalidInputError, InvalidSettingError if the engine would not open without it, KeyStorageError.
 */
function saveKey(
  { config, environment, restart }: SettingsContext,
  { address, key }: InputOf<'saveKey'>,
): OutputOf<'saveKey'> {
  const parsed = modelKeySchema.nullable().safeParse(key);
  if (!parsed.success)
    throw new InvalidInputError('The key must be of 1 to 500 ASCII characters, without spaces');
  if (!isServerAddress(address))
    throw new InvalidInputError(`The address of the server is not valid: ${SERVER_ADDRESS_RULE}`);
  const used = endpointAddress(config.llmProvider, config.llmBaseUrl);
  const isUsed = used !== undefined && originOf(used) === originOf(address);
  if (key === null && isUsed && config.llmProvider === 'openai')
    throw new InvalidSettingError('The model in use needs this key. Choose another model first');
  const isElsewhere = areKeysOfSystem(environment);
  if (!isElsewhere) storeKey(environment, address, key);
  return { isSet: key !== null, restarts: isUsed && !isElsewhere && restart !== undefined };
}

function withEndpoint(config: Config, { provider, baseUrl, model }: InputOf<'testModel'>): Config {
  return { ...config, llmProvider: provider, llmModel: model, llmBaseUrl: baseUrl?.trim() || undefined };
}

async function testModel(
  { config, environment }: SettingsContext,
  endpoint: InputOf<'testModel'>,
  signal: AbortSignal | undefined,
): Promise<OutputOf<'testModel'>> {
  if (endpoint.model === undefined || endpoint.model.trim() === '')
    throw new InvalidInputError('Name the model to test');
  const { provider, baseUrl } = endpoint;
  if (provider !== 'local') addressOf({ provider, baseUrl });
  if (provider === 'openai' && modelKeyFrom(environment, withEndpoint(config, endpoint)) === undefined)
    throw new ModelKeyError('openai:*', 'missing');
  const tried = {
    ...withEndpoint(config, endpoint),
    // The model of this computer has to be loaded first.
    ...(provider === 'local' ? {} : { llmTimeoutSeconds: Math.min(config.llmTimeoutSeconds, LONGEST_TEST) }),
  };
  const languageModel = await configuredLanguageModel(tried, environment, { retry: TEST_RETRIES });
  const { checkLanguageModel, checkProse } = await import(
    '../../../src/inference/models/create-language-model.ts'
  );
  try {
    const report = await checkLanguageModel(languageModel, { signal });
    const { model, correct: isCorrect, milliseconds, strategy: way, repaired: isRepaired } = report;
    return { model, isCorrect, milliseconds, way, isRepaired };
  } catch (error) {
    if (!MalformedReplyError.isInstance(error)) throw error;
    const { model, correct: isCorrect, milliseconds } = await checkProse(languageModel, { signal });
    return { model, isCorrect, milliseconds, way: 'prose', isRepaired: false };
  }
}

/**
 * Bytes on this computer's disk of a memory: its database and log, indexes, the app's file and uploads; of one on a
 * database server the app's alone. 0 for one without a file.
 *
 * @param path - as `besideMemory` gives it.
 */
async function memoryBytes(path: string): Promise<number> {
  if (path === ':memory:') return 0;
  const app = appFile(path);
  const places = [path, `${path}.wal`, `${path}.indexes`, app, `${app}-wal`, uploadsFolder(path)];
  return (await Promise.all(places.map(bytesOf))).reduce((sum, bytes) => sum + bytes, 0);
}

/** Of a file, or of all files in a folder. What is missing, or removed meanwhile, counts as empty. */
async function bytesOf(place: string): Promise<number> {
  const found = await stat(place).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  const names = await readdir(place).catch(() => []);
  const each = await Promise.all(names.map((name) => bytesOf(join(place, name))));
  return each.reduce((sum, bytes) => sum + bytes, 0);
}

import { existsSync } from 'node:fs';
import { type MemoryPlace, Mnemis, type OpenOptions } from '../src/engine.ts';
import {
  DatabaseLockedError,
  type EmbedderSetting,
  EmbeddingMismatchError,
  InvalidInputError,
} from '../src/errors/index.ts';
import { type OpenedEmbedder, openEmbedder } from '../src/inference/models/open-models.ts';
import type { Logger } from '../src/model/logger.ts';
import { withoutPassword } from '../src/util/database-url.ts';
import { AppStore, appFile } from './assistant/store/app-store.ts';
import { appTextHolder, uploadsTextHolder } from './assistant/store/app-text-holder.ts';
import { besideMemory } from './beside-memory.ts';
import { type Config, configuredProfileName } from './config.ts';
import { InvalidSettingError } from './errors.ts';
import { configuredLanguageModel } from './language-model.ts';
import { findProfile } from './papers.ts';
import { configuredReranker } from './reranker.ts';

export interface ConfiguredMemory {
  readonly engine: Mnemis;
  /** The assistant's file, a text holder of the engine; null if it was not opened. */
  readonly store: AppStore | null;
  /** Closes the engine, then its models and the assistant's file. */
  close(): Promise<void>;
}

/**
 * The purpose of opening the memory; waiting turns are read only with `learn`. `use`: its vectors must be from the
 * configured embedder. `learn`: as `use`, and turns are read for facts with the configured profile and language model.
 * `move`: its vectors will be moved to that embedder, so others are accepted. `count`: its rows are counted or copied,
 * without an embedder.
 */
export type Purpose = 'use' | 'learn' | 'move' | 'count';

export interface OpenMemoryOptions {
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default `use`. */
  readonly purpose?: Purpose;
  /** Environment variables, for the language model's key and the data folder. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether the assistant's file is opened beside the memory, so that forgetting reaches its conversations: always, or
   * where there is one (default). Memories that are moved are opened without it.
   */
  readonly app?: 'always' | 'if-there';
  /** Options of the engine that replace those of the settings. */
  readonly override?: Pick<OpenOptions, 'clock' | 'profile' | 'languageModel'>;
}

/**
 * Opens the configured memory with the configured embedder.
 *
 * @throws InvalidSettingError for a dimension that the embedder does not support, EmbeddingMismatchError with advice
 * for a command line, and what `openEmbedder` and `Mnemis.open` throw.
 */
export async function openMemory(
  config: Config,
  {
    logger,
    signal,
    purpose = 'use',
    environment = {},
    app = 'if-there',
    override = {},
  }: OpenMemoryOptions = {},
): Promise<ConfiguredMemory> {
  const { path, bufferPoolMb, scopeMemoryMb, redactSecrets, neverRemember = [], retention } = config;
  const learning = purpose === 'learn' ? await learningOptions(config, environment) : {};
  const options = {
    path,
    bufferPoolMb,
    scopeMemoryMb,
    redactSecrets,
    neverRemember,
    ...(retention === undefined ? {} : { retention }),
    automatic: false, // commands that read turns for facts say so, and show how far they are
    ...learning,
    ...override,
    ...(logger ? { logger } : {}),
  };
  const models: AsyncDisposable[] = [];
  let store: AppStore | null = null;
  const closeModels = async () => {
    for (const model of models) await model[Symbol.asyncDispose]();
    await store?.close();
  };
  try {
    if (purpose === 'count') {
      store = await appStoreOf({ path, environment }, 'if-there'); // an export has its conversations
      const engine = await Mnemis.open({ ...options, embedder: null });
      return { engine, store, close: () => engine.close().finally(closeModels) };
    }
    const embedder = await configuredEmbedder(config, { logger, signal });
    models.push(embedder);
    const reranker = await configuredReranker(config, environment, { logger, signal });
    if (reranker !== undefined) models.push(reranker);
    // Before the engine, which may complete an interrupted forgetting as it opens.
    if (purpose !== 'move') store = await appStoreOf({ path, environment }, app);
    const textHolders = store === null ? [] : [appTextHolder(store), uploadsTextHolder(store)];
    const opening = { ...options, embedder, textHolders, ...(reranker && { reranker }) };
    const engine = await openWith(opening, purpose);
    return { engine, store, close: () => engine.close().finally(closeModels) };
  } catch (error) {
    await closeModels();
    throw EmbeddingMismatchError.isInstance(error) ? withTypedAdvice(error, config) : error;
  }
}

/** @throws as `AppStore.open`; a file that is open elsewhere is the memory's error: one process has both. */
async function appStoreOf(
  { path, environment }: { path: string; environment: NonNullable<OpenMemoryOptions['environment']> },
  app: 'always' | 'if-there',
): Promise<AppStore | null> {
  const beside = besideMemory(path, environment);
  if (app === 'if-there' && (beside === ':memory:' || !existsSync(appFile(beside)))) return null;
  try {
    return await AppStore.open(beside);
  } catch (error) {
    if (!DatabaseLockedError.isInstance(error)) throw error;
    throw new DatabaseLockedError(withoutPassword(path), 'another process serves its assistant', {
      cause: error,
    });
  }
}

async function learningOptions(
  config: Config,
  environment: NonNullable<OpenMemoryOptions['environment']>,
): Promise<Pick<OpenOptions, 'profile' | 'languageModel'>> {
  const profile = await findProfile(configuredProfileName(config));
  if (profile.tier === 'local' && profile.hierarchy !== 'model') return { profile };
  return { profile, languageModel: await configuredLanguageModel(config, environment) };
}

async function configuredEmbedder(
  { embedder: name, embedderDimension: dimension, modelsFolder, device }: Config,
  { logger, signal }: OpenMemoryOptions,
): Promise<OpenedEmbedder> {
  try {
    return await openEmbedder({ name, dimension, modelsFolder, device, logger, signal });
  } catch (error) {
    if (!InvalidInputError.isInstance(error)) throw error;
    throw new InvalidSettingError(
      `The settings embedder and embedderDimension do not fit together: ${error.what}`,
      error,
    );
  }
}

/** For a move, drops the warnings about other vectors and unfinished moves: the move itself resolves them. */
async function openWith(options: OpenOptions & MemoryPlace, purpose: Purpose): Promise<Mnemis> {
  if (purpose !== 'move') return Mnemis.open(options);
  const { logger } = options;
  let isOpen = false;
  const later = { warn: (message: string) => (isOpen ? logger?.warn(message) : undefined) };
  const engine = await Mnemis.open({
    ...options,
    ...(logger ? { logger: later } : {}),
    whenEmbedderDiffers: 'words-only',
  });
  isOpen = true;
  return engine;
}

/** The same error, with a command that can be copied. */
export function withTypedAdvice(error: EmbeddingMismatchError, config: Config): EmbeddingMismatchError {
  const { found, wanted, move, madeWith } = error;
  const { embedder, embedderDimension: dimension, path } = config;
  const target: EmbedderSetting =
    dimension === undefined ? { name: embedder } : { name: embedder, dimension };
  const open = madeWith === null ? `an embedder that gives ${found}` : flags(madeWith);
  const advice = `Open it with ${open}, or move it with: mnemis reembed --path ${shellWord(withoutPassword(path))} ${flags(target)}`;
  return new EmbeddingMismatchError(found, wanted, { move, madeWith, advice });
}

function flags({ name, dimension }: EmbedderSetting): string {
  return `--embedder ${shellWord(name)}${dimension === undefined ? '' : ` --embedder-dimension ${dimension}`}`;
}

/** Quotes a word for the shell if necessary. */
function shellWord(word: string): string {
  return /^[\w./:\\@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

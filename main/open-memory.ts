import type { Logger } from '../src/engine/engine-context.ts';
import { type OpenedEmbedder, openEmbedder } from '../src/engine/models/open-models.ts';
import { Mnemis, type OpenOptions } from '../src/engine.ts';
import { EmbeddingMismatchError, InvalidInputError } from '../src/errors/index.ts';
import type { Config } from './config.ts';
import { InvalidSettingError } from './errors.ts';
import { withTypedAdvice } from './mismatch-advice.ts';

export interface ConfiguredMemory {
  readonly engine: Mnemis;
  /** Closes the engine, then the model that it used. */
  close(): Promise<void>;
}

/**
 * What the memory is opened for. `use`: its vectors must be of the configured embedder. `move`: they will be, and
 * until then it opens all the same. `count`: its rows are counted or copied, for which no embedder is loaded.
 */
export type Purpose = 'use' | 'move' | 'count';

export interface OpenMemoryOptions {
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default `use`. */
  readonly purpose?: Purpose;
}

/**
 * Opens the configured memory with the configured embedder.
 *
 * @throws InvalidSettingError for a dimension that the embedder does not have, EmbeddingMismatchError with advice
 *   for a command line, and what `openEmbedder` and `Mnemis.open` throw.
 */
export async function openMemory(
  config: Config,
  { logger, signal, purpose = 'use' }: OpenMemoryOptions = {},
): Promise<ConfiguredMemory> {
  const { path, bufferPoolMb } = config;
  const options = { path, bufferPoolMb, ...(logger ? { logger } : {}) };
  if (purpose === 'count') {
    const engine = await Mnemis.open({ ...options, embedder: null });
    return { engine, close: () => engine.close() };
  }
  const embedder = await configuredEmbedder(config, { logger, signal });
  try {
    const engine = await openWith({ ...options, embedder }, purpose);
    return {
      engine,
      close: async () => {
        await engine.close().finally(() => embedder.close());
      },
    };
  } catch (error) {
    await embedder.close();
    throw EmbeddingMismatchError.isInstance(error) ? withTypedAdvice(error, config) : error;
  }
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
      `The settings embedder and embedderDimension do not go together: ${error.what}`,
      error,
    );
  }
}

/** What opening tells of other vectors and unfinished moves is what a move is for: it need not be told. */
async function openWith(options: OpenOptions, purpose: Purpose): Promise<Mnemis> {
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

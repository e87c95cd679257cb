import { openEmbedder } from '../src/engine/models/open-models.ts';
import { Mnemis, type OpenOptions } from '../src/engine.ts';
import type { Config } from './config.ts';

export interface ConfiguredMemory {
  readonly engine: Mnemis;
  /** Closes the engine, then the model that it used. */
  close(): Promise<void>;
}

export interface OpenMemoryOptions extends Pick<OpenOptions, 'logger' | 'whenEmbedderDiffers'> {
  readonly signal?: AbortSignal | undefined;
}

/** Opens the configured memory with the configured embedder. */
export async function openMemory(
  config: Config,
  { logger, signal, whenEmbedderDiffers = 'refuse' }: OpenMemoryOptions = {},
): Promise<ConfiguredMemory> {
  const embedder = await openEmbedder({
    name: config.embedder,
    dimension: config.embedderDimension,
    modelsFolder: config.modelsFolder,
    device: config.device,
    logger,
    signal,
  });
  try {
    const { path, bufferPoolMb } = config;
    const engine = await Mnemis.open({
      path,
      bufferPoolMb,
      embedder,
      whenEmbedderDiffers,
      ...(logger ? { logger } : {}),
    });
    return {
      engine,
      close: async () => {
        await engine.close().finally(() => embedder.close());
      },
    };
  } catch (error) {
    await embedder.close();
    throw error;
  }
}

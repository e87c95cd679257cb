import { MnemisError } from '../../../src/errors/index.ts';
import { openEmbedder } from '../../../src/inference/models/open-models.ts';
import { SHIPPED_EMBEDDER } from '../../../src/inference/models/shipped-model.ts';
import type { Config } from '../../config.ts';

/** Why the model that came with the app does not run on this machine; null if it does. */
export async function shippedModelProblem({ modelsFolder, device }: Config): Promise<string | null> {
  const logger = { warn: () => undefined };
  try {
    const embedder = await openEmbedder({ name: SHIPPED_EMBEDDER, modelsFolder, device, logger });
    await embedder.close();
    return null;
  } catch (error) {
    if (MnemisError.isInstance(error)) return error.message;
    throw error;
  }
}

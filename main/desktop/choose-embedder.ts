import { isModelShipped, SHIPPED_EMBEDDER } from '../../src/inference/models/shipped-model.ts';
import { writeSettings } from '../assistant/settings/settings-file.ts';
import { shippedModelProblem } from '../assistant/settings/shipped-model.ts';
import { hasFiles, isNothingThere } from '../beside-memory.ts';
import { type ConfigInputs, type ResolvedConfig, resolveConfig } from '../config.ts';

/**
 * The settings of the app. If nobody chose an embedder, a new memory is made with the model that came with the app, where
 * it runs; the settings file then names it, for later starts and for commands. A memory that exists keeps its own.
 */
export async function withChosenEmbedder(inputs: ConfigInputs): Promise<ResolvedConfig> {
  const resolved = resolveConfig(inputs);
  const { values, sources, file } = resolved;
  const isNew = hasFiles(values.path) && isNothingThere(values.path);
  if (!isNew || sources.embedder !== 'default' || !isModelShipped()) return resolved;
  if ((await shippedModelProblem(values)) !== null) return resolved;
  await writeSettings(file, { embedder: SHIPPED_EMBEDDER });
  return resolveConfig(inputs);
}

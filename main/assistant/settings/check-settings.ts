import type { Mnemis } from '../../../src/engine.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { type OpenedEmbedder, openEmbedder } from '../../../src/inference/models/open-models.ts';
import { type Config, type ConfigKey, configuredProfileName } from '../../config.ts';
import { InvalidSettingError } from '../../errors.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { findProfile, findRecipe } from '../../papers.ts';
import { configuredReranker } from '../../reranker.ts';
import { differing, type SettingsContext } from './opened-settings.ts';

const OF_EMBEDDER: readonly ConfigKey[] = ['embedder', 'embedderDimension', 'modelsFolder', 'device'];
const OF_RERANKER: readonly ConfigKey[] = ['reranker', 'modelsFolder', 'device'];

/**
 * Whether the engine would open with the settings, and would answer with them: the same checks as those of opening.
 * Models are opened, and closed again, only if a setting of theirs changes.
 *
 * @throws InvalidSettingError, ModelMissingError and what else opening would throw.
 */
export async function checkSettings(
  { engine, environment }: Pick<SettingsContext, 'engine' | 'environment'>,
  before: Config,
  after: Config,
): Promise<void> {
  const changed = new Set(differing(before, after));
  if (changed.has('path'))
    throw new InvalidSettingError(
      'This engine serves one memory, so the setting path cannot be changed here. To use another memory, stop the engine and set path in the settings file, or start with --path',
    );
  await findRecipe(after.recipe);
  const profile = await findProfile(configuredProfileName(after));
  if (profile.tier === 'llm' || after.llmProvider !== 'none')
    await configuredLanguageModel(after, environment);
  if (OF_RERANKER.some((key) => changed.has(key)))
    await (await configuredReranker(after, environment))?.close();
  if (OF_EMBEDDER.some((key) => changed.has(key))) await checkEmbedder(engine, after);
}

async function checkEmbedder(engine: Mnemis, after: Config): Promise<void> {
  const { embedder: name, embedderDimension: dimension, modelsFolder, device } = after;
  let opened: OpenedEmbedder;
  try {
    opened = await openEmbedder({ name, dimension, modelsFolder, device });
  } catch (error) {
    if (!InvalidInputError.isInstance(error)) throw error;
    throw new InvalidSettingError(
      `The settings embedder and embedderDimension do not fit together: ${error.what}`,
      error,
    );
  }
  const { fingerprint: wanted } = opened;
  await opened.close();
  const { fingerprint: found } = engine.describe();
  if (found === null || (found.model === wanted.model && found.dimension === wanted.dimension)) return;
  if (!(await hasVectors(engine))) return;
  throw new InvalidSettingError(
    `The memory’s vectors are of ${found.model} (${found.dimension} dimensions), so it would not open with the embedder ${name}. Move the memory to that embedder instead; this also changes the setting`,
  );
}

async function hasVectors(engine: Mnemis): Promise<boolean> {
  for (const name of await engine.scopes()) if ((await engine.scope(name).stats()).embedding > 0) return true;
  return false;
}

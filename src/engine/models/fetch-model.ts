import { z } from 'zod';
import { ModelBundledError, OfflineError } from '../../errors/index.ts';
import { FolderOrigin } from '../../inference/hub/folder-origin.ts';
import { HubOrigin, PUBLIC_HUB } from '../../inference/hub/hub-origin.ts';
import type { ModelManifest } from '../../inference/hub/model-manifest.ts';
import type { ModelOrigin } from '../../inference/hub/model-origin.ts';
import type { ModelSource } from '../../inference/hub/model-source.ts';
import { type PullOptions, pullModel } from '../../inference/hub/pull-model.ts';
import { filesOf } from '../../inference/onnx/profile.ts';
import { isBundled, type ModelReference, modelReference } from './model-reference.ts';
import { checkOptions, modelNameSchema, modelsFolderSchema, signalSchema } from './open-options.ts';
import { isAddress } from './settings.ts';

/**
 * Which model `fetchModel` brings, from where and to where. What was fetched before a `signal` fires or the network
 * fails is kept: the same call goes on from there.
 */
export interface FetchModelOptions
  extends Pick<PullOptions, 'signal' | 'onProgress' | 'onWait' | 'onRetry' | 'timing'> {
  /** The model’s name, with `:precision` where it is not the default one. */
  readonly name: string;
  /** Where it goes, into a folder of its name. Default: as for `openEmbedder`. */
  readonly modelsFolder?: string | undefined;
  /** An http address that answers as the public hub does, or a folder to copy from. Default: the public hub. */
  readonly mirror?: string | undefined;
  /** Refuse whatever needs the network; a folder does not. */
  readonly offline?: boolean | undefined;
  /** For models whose licence must be accepted. Goes to the public hub only, never to a mirror. */
  readonly token?: string | undefined;
  /** Default: the global one, which uses no proxy. */
  readonly fetch?: typeof fetch | undefined;
}

const text = (most: number) => z.string({ error: 'must be a text' }).max(most).optional();
/** What can be wrong with the rest is a type error of the caller’s, or told by the hub. */
const fetchSchema = z.object({
  name: modelNameSchema,
  modelsFolder: modelsFolderSchema,
  mirror: text(4096),
  token: text(4096),
  offline: z.boolean({ error: 'must be true or false' }).optional(),
  signal: signalSchema,
});

/**
 * Brings a model to this machine: the one place where Mnemis fetches anything, and only when it is called.
 *
 * @throws InvalidInputError, ModelBundledError, OfflineError, UnknownNameError, and what `pullModel` throws.
 */
export async function fetchModel(options: FetchModelOptions): Promise<ModelManifest> {
  const { name, modelsFolder: folder, signal } = checkOptions(fetchSchema, options);
  if (isBundled(name)) throw new ModelBundledError(name);
  const source = sourceOf(modelReference(name));
  const { onProgress, onWait, onRetry, timing } = options;
  const origin = originOf(source, options);
  return pullModel({ source, origin, folder, signal, onProgress, onWait, onRetry, timing });
}

function sourceOf({ profile, precision }: ModelReference): ModelSource {
  const { name, repository, revision } = profile;
  return { name, repository, revision, files: filesOf(profile, precision) };
}

function originOf(source: ModelSource, { mirror, offline, token, fetch }: FetchModelOptions): ModelOrigin {
  if (mirror !== undefined && !isAddress(mirror)) return new FolderOrigin(source, mirror);
  if (offline) throw new OfflineError(`Fetching the model ${source.name}`);
  return new HubOrigin(source, {
    baseUrl: mirror ?? PUBLIC_HUB,
    token: mirror === undefined ? token : undefined,
    ...(fetch === undefined ? {} : { fetch }),
  });
}

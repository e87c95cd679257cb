import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ModelBundledError, OfflineError, UnknownNameError } from '../../errors/index.ts';
import { readStateFile } from '../../util/files.ts';
import { FolderOrigin } from '../hub/folder-origin.ts';
import { HubOrigin, PUBLIC_HUB } from '../hub/hub-origin.ts';
import {
  type FileFinding,
  missingFiles,
  modelHome,
  pulledModels,
  type Removal,
  removeModel,
  verifyModel,
} from '../hub/installed-model.ts';
import type { ModelManifest } from '../hub/model-folder.ts';
import type { ModelOrigin, ModelSource } from '../hub/model-origin.ts';
import { type PullOptions, pullModel } from '../hub/pull-model.ts';
import { CHAT_MODELS, type ChatModelProfile, chatModelNamed } from '../llama/chat-models.ts';
import { SPEED_FILE } from '../llama/kept-speed.ts';
import { filesOf, type ModelProfile, type Precision } from '../onnx/profile.ts';
import { PROFILES } from '../onnx/profiles.ts';
import { SELF_CHECK_FILE } from '../onnx/self-check.ts';
import { isAddress, isBundled, type ModelReference, modelReference } from './model-reference.ts';
import { checkOptions, modelNameSchema, modelsFolderSchema, signalSchema } from './open-models.ts';
import { shippedHome } from './shipped-model.ts';

/** One precision of a model; the part after the colon in `bge-m3:fp16`. */
export interface ModelVariantEntry {
  readonly precision: Precision;
  /** Whether the model's name alone means this one. */
  readonly isDefault: boolean;
  /** Approximate size on disk. */
  readonly megabytes: number;
  /**
   * Whether all of its files exist with the manifest's sizes, or came with the app; `mnemis models verify` compares their
   * checksums.
   */
  readonly installed: boolean;
  /** Devices of this machine on which it passed its self-check. */
  readonly selfCheckedOn: readonly string[];
}

/** A model that Mnemis runs from files, and which of its variants are on this machine. */
export interface ModelEntry {
  /** What `openEmbedder`, `openReranker` and `fetchModel` take. */
  readonly name: string;
  readonly kind: ModelProfile['kind'] | 'chat';
  /** Numbers of a vector; null for a reranker. */
  readonly dimension: number | null;
  /** Further dimensions that `openEmbedder` accepts; empty where the model was not trained for them. */
  readonly shorterDimensions: readonly number[];
  /** `owner/name` on the hub. */
  readonly repository: string;
  /** SPDX identifier, or the licence's own name. */
  readonly licence: string;
  /** Absolute path, whether it exists or not. */
  readonly folder: string;
  readonly variants: readonly ModelVariantEntry[];
  /** Of a chat model: what one has to know to choose it; null for others. */
  readonly chat: Pick<
    ChatModelProfile,
    'memoryMegabytes' | 'contextTokens' | 'languages' | 'suits' | 'isTried'
  > | null;
}

/**
 * Every model that Mnemis can run from files, and which of its variants are on this machine. `static` and
 * `hashing` come with the package and are not listed. Default folder: as for `openEmbedder`.
 *
 * @throws InvalidInputError
 */
export async function listModels(modelsFolder?: string): Promise<readonly ModelEntry[]> {
  const schema = z.object({ modelsFolder: modelsFolderSchema });
  const { modelsFolder: folder } = checkOptions(schema, { modelsFolder });
  return Promise.all([
    ...PROFILES.map((profile) => entryOf(profile, folder)),
    ...CHAT_MODELS.map((profile) => chatEntryOf(profile, folder)),
  ]);
}

async function chatEntryOf(profile: ChatModelProfile, modelsFolder: string): Promise<ModelEntry> {
  const { name, repository, licence, megabytes, file } = profile;
  const { memoryMegabytes, contextTokens, languages, suits, isTried } = profile;
  const folder = modelHome(modelsFolder, name);
  const installed = await isWhole(folder, [file]);
  return {
    name,
    kind: 'chat',
    dimension: null,
    shorterDimensions: [],
    repository,
    licence,
    folder,
    variants: [{ precision: 'q4', isDefault: true, megabytes, installed, selfCheckedOn: [] }],
    chat: { memoryMegabytes, contextTokens, languages, suits, isTried },
  };
}

/**
 * Compares every file of a pulled model with its manifest; null for a model that was placed by hand.
 *
 * @throws UnknownNameError, ModelBundledError, ModelFilesError
 */
export async function verifyInstalled(
  modelsFolder: string,
  name: string,
  signal?: AbortSignal,
): Promise<readonly FileFinding[] | null> {
  return verifyModel(await homeOf(modelsFolder, name), signal);
}

/** @throws UnknownNameError, ModelBundledError, ModelFilesError for a folder that no pull created. */
export async function removeInstalled(modelsFolder: string, name: string): Promise<Removal> {
  return removeModel(await homeOf(modelsFolder, name), [SELF_CHECK_FILE, SPEED_FILE]);
}

async function homeOf(modelsFolder: string, name: string): Promise<string> {
  if (isBundled(name)) throw new ModelBundledError(name);
  const home = modelHome(modelsFolder, name.toLowerCase());
  if (existsSync(home)) return home;
  throw new UnknownNameError('pulled model', name, await pulledModels(modelsFolder));
}

async function entryOf(profile: ModelProfile, modelsFolder: string): Promise<ModelEntry> {
  const { name, kind, repository, licence } = profile;
  const folder = modelHome(modelsFolder, name);
  const precisions = Object.keys(profile.variants) as Precision[];
  return {
    name,
    kind,
    dimension: profile.kind === 'embedder' ? profile.dimension : null,
    shorterDimensions: profile.kind === 'embedder' ? profile.shorterDimensions : [],
    repository,
    licence,
    folder,
    variants: await Promise.all(precisions.map((precision) => variantOf(profile, precision, folder))),
    chat: null,
  };
}

async function variantOf(
  profile: ModelProfile,
  precision: Precision,
  folder: string,
): Promise<ModelVariantEntry> {
  const files = filesOf(profile, precision);
  const isOwn = await isWhole(folder, files);
  return {
    precision,
    isDefault: precision === profile.defaultPrecision,
    megabytes: profile.variants[precision]!.megabytes,
    installed: isOwn || shippedHome({ profile, precision }) !== null,
    selfCheckedOn: isOwn ? await selfChecks(folder, precision, files) : [],
  };
}

/** An unreadable folder counts as empty; opening or verifying it reports why. */
async function isWhole(folder: string, files: readonly string[]): Promise<boolean> {
  return (await missingFiles(folder, files).catch(() => files)).length === 0;
}

const selfCheckSchema = z.object({ passed: z.array(z.string()) });

/** Entries are `precision device digest`; they are invalid if a file is newer. */
async function selfChecks(
  folder: string,
  precision: Precision,
  files: readonly string[],
): Promise<readonly string[]> {
  const path = join(folder, SELF_CHECK_FILE);
  const passed = readStateFile(path, selfCheckSchema)?.passed ?? [];
  const changed = async (file: string) => (await stat(file).catch(() => null))?.mtimeMs ?? Infinity;
  const newest = Math.max(...(await Promise.all(files.map((file) => changed(join(folder, file))))));
  if (passed.length === 0 || newest > (await changed(path))) return [];
  const devices = passed.map((entry) => entry.split(' ')).filter(([of]) => of === precision);
  return [...new Set(devices.map(([, device = '']) => device))];
}

/**
 * Which model `fetchModel` fetches, from where and to where. What was fetched before a `signal` fires or the
 * network fails is kept: the same call resumes there.
 */
export interface FetchModelOptions
  extends Pick<PullOptions, 'signal' | 'onProgress' | 'onWait' | 'onRetry' | 'timing'> {
  /** The model’s name, with `:precision` where it is not the default one. */
  readonly name: string;
  /** Gets a folder of the model’s name. Default: as for `openEmbedder`. */
  readonly modelsFolder?: string | undefined;
  /** An http address that answers as the public hub does, or a folder to copy from. Default: the public hub. */
  readonly mirror?: string | undefined;
  /** Refuses what needs the network; copying from a folder does not. */
  readonly offline?: boolean | undefined;
  /** For models whose licence must be accepted. Goes to the public hub only, never to a mirror. */
  readonly token?: string | undefined;
  /** Default: the global one, which uses no proxy. */
  readonly fetch?: typeof fetch | undefined;
}

const text = (most: number) => z.string({ error: 'must be a text' }).max(most).optional();
/** The other options are functions, or checked by the hub. */
const fetchSchema = z.object({
  name: modelNameSchema,
  modelsFolder: modelsFolderSchema,
  mirror: text(4096),
  token: text(4096),
  offline: z.boolean({ error: 'must be true or false' }).optional(),
  signal: signalSchema,
});

/**
 * Fetches a model’s files: the one function of Mnemis that downloads anything.
 *
 * @throws InvalidInputError, ModelBundledError, OfflineError, UnknownNameError, and what `pullModel` throws.
 */
export async function fetchModel(options: FetchModelOptions): Promise<ModelManifest> {
  const { name, modelsFolder: folder, signal } = checkOptions(fetchSchema, options);
  if (isBundled(name)) throw new ModelBundledError(name);
  const chat = chatModelNamed(name);
  const source = chat === undefined ? sourceOf(modelReference(name)) : { ...chat, files: [chat.file] };
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

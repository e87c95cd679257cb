import { InvalidInputError, UnknownNameError } from '../../errors/index.ts';
import { analyze } from '../../search/analyzer.ts';
import { HashingEmbedder } from '../embedder/hashing-embedder.ts';
import { StaticEmbedder } from '../embedder/static-embedder.ts';
import type { Embedder } from '../embedder.ts';
import type { DeviceChoice } from '../onnx/onnx-runtime.ts';
import type { EmbedderProfile, ModelProfile, Precision, RerankerProfile } from '../onnx/profile.ts';
import { PROFILES } from '../onnx/profiles.ts';

type Open = (dimension: number | undefined) => Promise<Embedder>;

/** Embedders that come with the package and need no folder of models. */
export const BUNDLED_EMBEDDERS: Readonly<Record<'static' | 'hashing', Open>> = {
  static: openStatic,
  hashing: async (dimension) =>
    new HashingEmbedder({ analyze, ...(dimension === undefined ? {} : { dimension }) }),
};

interface BundledEntry {
  readonly name: keyof typeof BUNDLED_EMBEDDERS;
  readonly kind: 'embedder';
  readonly dimension: number;
  /** Approximate size on disk. */
  readonly megabytes: number;
  readonly licence: string;
}

/** The bundled embedders as listed among models. */
export const BUNDLED_ENTRIES: readonly BundledEntry[] = [
  { name: 'static', kind: 'embedder', dimension: 256, megabytes: 10, licence: 'WordNet License' },
  { name: 'hashing', kind: 'embedder', dimension: 256, megabytes: 0, licence: 'MIT' },
];

/** The embedder of a memory that does not name one. */
export const DEFAULT_EMBEDDER: keyof typeof BUNDLED_EMBEDDERS = 'static';

async function openStatic(wanted: number | undefined): Promise<Embedder> {
  const embedder = await StaticEmbedder.load(analyze);
  const { dimension } = embedder.fingerprint;
  if (wanted === undefined || wanted === dimension) return embedder;
  throw new InvalidInputError(`The static embedder only gives vectors of ${dimension} numbers`);
}

/** A model as written in a setting or on a command line: `bge-m3`, or `bge-m3:fp16` for another precision. */
export interface ModelReference<Profile extends ModelProfile = ModelProfile> {
  readonly profile: Profile;
  readonly precision: Precision;
}

const EMBEDDERS = PROFILES.filter((profile): profile is EmbedderProfile => profile.kind === 'embedder');
const RERANKERS = PROFILES.filter((profile): profile is RerankerProfile => profile.kind === 'reranker');

/** Names that an embedder’s setting accepts, without precisions. */
const EMBEDDER_NAMES: readonly string[] = [
  ...Object.keys(BUNDLED_EMBEDDERS),
  ...EMBEDDERS.map((profile) => profile.name),
];

/** What a reranker's setting accepts, without precisions. */
const RERANKER_NAMES: readonly string[] = [...RERANKERS.map((profile) => profile.name), 'local:NAME'];

/** @throws UnknownNameError for another model, or a precision that it does not come in. */
export function modelReference(text: string): ModelReference {
  return referenceAmong('model', PROFILES, text);
}

/** For a cross-encoder, not for a chat model of this computer (`localModelIn`). */
export function rerankerReference(text: string): ModelReference<RerankerProfile> {
  return referenceAmong('reranker', RERANKERS, text, RERANKER_NAMES);
}

/** The name or path after `local:`, of a chat model of this computer; null for another text. */
export function localModelIn(text: string): string | null {
  return /^local:(.+)$/s.exec(text)?.[1] ?? null;
}

/** For an embedder that needs files, not for one that `isBundled`. */
export function embedderReference(text: string): ModelReference<EmbedderProfile> {
  return referenceAmong('embedder', EMBEDDERS, text, EMBEDDER_NAMES);
}

export function isBundled(name: string): name is keyof typeof BUNDLED_EMBEDDERS {
  return Object.hasOwn(BUNDLED_EMBEDDERS, name);
}

function referenceAmong<Profile extends ModelProfile>(
  kind: string,
  profiles: readonly Profile[],
  text: string,
  known: readonly string[] = profiles.map((profile) => profile.name),
): ModelReference<Profile> {
  const [name = '', wanted, ...rest] = text.toLowerCase().split(':');
  const profile = profiles.find((candidate) => candidate.name === name);
  if (profile === undefined || rest.length > 0) throw new UnknownNameError(kind, text, known);
  const precisions = Object.keys(profile.variants) as Precision[];
  const precision = precisions.find((each) => each === (wanted ?? profile.defaultPrecision));
  if (precision !== undefined) return { profile, precision };
  throw new UnknownNameError(`precision of ${name}`, wanted ?? '', precisions);
}

/** `auto` uses a working accelerator, else the processor. */
export const DEVICE_CHOICES = [
  'auto',
  'cpu',
  'cuda',
  'webgpu',
  'dml',
  'coreml',
] as const satisfies readonly DeviceChoice[];

/** Whether a mirror is an address, not a folder. Requires two letters before the colon, because `C:` is a disk. */
export function isAddress(mirror: string): boolean {
  return /^[a-z][a-z+.-]+:/i.test(mirror);
}

import { UnknownNameError } from '../../errors/index.ts';
import type {
  EmbedderProfile,
  ModelProfile,
  Precision,
  RerankerProfile,
} from '../../inference/onnx/profile.ts';
import { PROFILES } from '../../inference/onnx/profiles.ts';
import { BUNDLED_EMBEDDERS } from './bundled-embedders.ts';

/** A model as it stands in a setting or on a command line: `bge-m3`, or `bge-m3:fp16` for another precision. */
export interface ModelReference<Profile extends ModelProfile = ModelProfile> {
  readonly profile: Profile;
  readonly precision: Precision;
}

const EMBEDDERS = PROFILES.filter((profile): profile is EmbedderProfile => profile.kind === 'embedder');
const RERANKERS = PROFILES.filter((profile): profile is RerankerProfile => profile.kind === 'reranker');

/** What an embedder’s setting may say, precisions aside. */
export const EMBEDDER_NAMES: readonly string[] = [
  ...Object.keys(BUNDLED_EMBEDDERS),
  ...EMBEDDERS.map((profile) => profile.name),
];
export const RERANKER_NAMES: readonly string[] = RERANKERS.map((profile) => profile.name);

/** @throws UnknownNameError for another model, or a precision that it does not come in. */
export function modelReference(text: string): ModelReference {
  return referenceAmong('model', PROFILES, text);
}

export function rerankerReference(text: string): ModelReference<RerankerProfile> {
  return referenceAmong('reranker', RERANKERS, text);
}

/** For an embedder that needs files: not for one that `isBundled`. */
export function embedderReference(text: string): ModelReference<EmbedderProfile> {
  return referenceAmong('embedder', EMBEDDERS, text, EMBEDDER_NAMES);
}

export function isBundled(name: string): name is keyof typeof BUNDLED_EMBEDDERS {
  return Object.hasOwn(BUNDLED_EMBEDDERS, name);
}

/** The other way round: what names this precision of this model. */
export function describeReference({ profile, precision }: ModelReference): string {
  return precision === profile.defaultPrecision ? profile.name : `${profile.name}:${precision}`;
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

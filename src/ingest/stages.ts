import { InvalidInputError } from '../errors/index.ts';
import type { LanguageModel } from '../inference/language-model.ts';
import { LlmDescriber } from './describe/llm-describer.ts';
import type { Extractor } from './extract/extractor.ts';
import { LlmSegmentReader } from './extract/llm/llm-segment-reader.ts';
import type { LocalSegmentReaderOptions } from './extract/local-segment-reader.ts';
import type { SegmentReader } from './extract/segment-reader.ts';
import type { IngestProfile } from './profile.ts';
import { LlmResolver } from './resolve/llm-resolver.ts';
import { LocalResolutionJudge } from './resolve/local-resolution-judge.ts';
import type { ResolutionJudge } from './resolve/resolution-judge.ts';
import { LlmSegmenter } from './segment/llm-segmenter.ts';
import { LlmRelator } from './segment/relate/llm-relator.ts';
import { LocalRelator } from './segment/relate/segment-relator.ts';
import type { Segmenter } from './segment/segmenter.ts';
import { SimilaritySegmenter } from './segment/similarity-segmenter.ts';
import { LlmSuperseder } from './supersede/llm-superseder.ts';
import { LocalSuperseder } from './supersede/local-superseder.ts';
import type { Superseder } from './supersede/superseder.ts';

/** The implementations of a profile's stages. They keep no data of a scope, so that all scopes may share them. */
export interface IngestStages {
  /** Null if units are cut by size. */
  readonly segmenter: Segmenter | null;
  readonly reader: SegmentReader;
  /** What the reader asks; null in the local tier. */
  readonly model: LanguageModel | null;
  /** Set if the reader is Mnemis's own, by rules: its readings can be repeated, and made in a thread. */
  readonly rules: { readonly gate: boolean } | null;
  /** Null if only equal names are one entity. */
  readonly judge: ResolutionJudge | null;
  /** Null if profiles are built without a model. */
  readonly describer: LlmDescriber | null;
  /** Null where segments are not related. */
  readonly relator: LlmRelator | LocalRelator | null;
  /** Null if no fact supersedes another. */
  readonly superseder: Superseder | null;
}

export interface StageSources {
  /** Used by profiles of tier `llm`; options of a call are passed to the stages' methods. */
  readonly model?: LanguageModel | null | undefined;
  /** For the local tier; default: Mnemis's own. */
  readonly extractor?: Extractor | undefined;
}

/** @throws InvalidInputError if the profile needs a model and there is none. */
export function stagesOf(profile: IngestProfile, { model, extractor }: StageSources = {}): IngestStages {
  const isLocal = profile.tier === 'local';
  if (isLocal && profile.hierarchy !== 'model') return localStages(profile, extractor);
  if (model === undefined || model === null)
    throw new InvalidInputError(
      `The ingest profile ${JSON.stringify(profile.name)} needs a language model, but none is configured; the profile "local" needs none`,
    );
  return isLocal ? localStages(profile, extractor) : llmStages(profile, model);
}

function localStages(
  { partition, gate, resolution, relates, supersedes }: IngestProfile,
  extractor: Extractor | undefined,
): IngestStages {
  return {
    segmenter: partition.by === 'topic' ? new SimilaritySegmenter() : null,
    reader: localReader({ gate, extractor }),
    model: null,
    rules: extractor === undefined ? { gate } : null,
    judge: resolution === 'exact' ? null : new LocalResolutionJudge(),
    describer: null,
    relator: relates === 'never' ? null : new LocalRelator(),
    superseder: supersedes === 'never' ? null : new LocalSuperseder(),
  };
}

/** Loaded when it reads for the first time: its rules are a tenth of the package. */
function localReader(options: LocalSegmentReaderOptions): SegmentReader {
  let loading: Promise<SegmentReader> | undefined;
  const load = async () => {
    const { LocalSegmentReader } = await import('./extract/local-segment-reader.ts');
    return new LocalSegmentReader(options);
  };
  return {
    read: async (segments, calls) => {
      loading ??= load();
      return (await loading).read(segments, calls);
    },
  };
}

function llmStages(profile: IngestProfile, model: LanguageModel): IngestStages {
  const { partition, reading, gate, reflection, resolution, describes, relates, supersedes } = profile;
  return {
    segmenter: partition.by === 'topic' ? new LlmSegmenter(model) : null,
    reader:
      reading === 'together'
        ? new LlmSegmentReader(model, { gate, reflection })
        : reading(model, { gate, reflection }),
    model,
    rules: null,
    judge: resolution === 'exact' ? null : new LlmResolver(model),
    describer: describes ? new LlmDescriber(model) : null,
    relator: relatorOf(relates, model),
    superseder: supersederOf(supersedes, model),
  };
}

function relatorOf(relates: IngestProfile['relates'], model: LanguageModel): IngestStages['relator'] {
  if (relates === 'never') return null;
  return relates === 'model' ? new LlmRelator(model) : new LocalRelator();
}

function supersederOf(supersedes: IngestProfile['supersedes'], model: LanguageModel): Superseder | null {
  if (supersedes === 'never') return null;
  return supersedes === 'model' ? new LlmSuperseder(model) : new LocalSuperseder();
}

/** Number format of a graph. `fp32` and `fp16` give the same vectors up to rounding, the others similar ones. */
export type Precision = 'fp32' | 'fp16' | 'int8' | 'q4';

export interface ModelVariant {
  /** Paths in the repository: the graph, then separate files with its weights, if any. */
  readonly files: readonly [graph: string, ...weights: string[]];
  /** About what it takes on disk. */
  readonly megabytes: number;
}

interface CommonProfile {
  /** The name in settings and in a memory's fingerprint. */
  readonly name: string;
  /** `owner/name` on the Hugging Face hub. */
  readonly repository: string;
  /** A commit, or a branch where no commit was verified. */
  readonly revision: string;
  /** SPDX identifier, or the licence's own name. */
  readonly licence: string;
  readonly variants: Readonly<Partial<Record<Precision, ModelVariant>>>;
  readonly defaultPrecision: Precision;
  /** Longer inputs are cut. At most what the model was trained for, less where that needs too much memory. */
  readonly maxTokens: number;
  /** The side on which short rows of a batch are padded. */
  readonly padding: 'left' | 'right';
}

/** `graph`: the graph pools itself and its output is the vector. */
export type Pooling = 'mean' | 'cls' | 'last' | 'graph';

export interface EmbedderProfile extends CommonProfile {
  readonly kind: 'embedder';
  /** Of the whole vector. */
  readonly dimension: number;
  /** Dimensions to which vectors can be cut (Matryoshka training); they are renormalised. */
  readonly shorterDimensions: readonly number[];
  readonly pooling: Pooling;
  /** Precedes a text; empty for models without one. */
  readonly prefix: Readonly<Record<'query' | 'passage', string>>;
  /** The token that a sequence must end with, for tokenizers that do not add it. */
  readonly endToken?: string;
  readonly selfCheck: readonly EmbedderCheck[];
}

/** The query's vector must be nearer to the first passage's than to the second's. */
export interface EmbedderCheck {
  readonly query: string;
  readonly nearer: string;
  readonly farther: string;
}

/** One number per pair, the logit of "relevant". */
interface SigmoidHead {
  readonly kind: 'sigmoid-logit';
}

/** The prompt is before + query + (the query) + document + (the document) + after. */
export interface PairTemplate {
  readonly before: string;
  readonly query: string;
  readonly document: string;
  readonly after: string;
}

/** A language model that answers with its next token. */
interface YesNoHead {
  readonly kind: 'yes-no-logits';
  readonly template: PairTemplate;
  readonly yes: string;
  readonly no: string;
}

export interface RerankerProfile extends CommonProfile {
  readonly kind: 'reranker';
  readonly head: SigmoidHead | YesNoHead;
  readonly selfCheck: readonly RerankerCheck[];
}

/** The first document must score higher than the second. */
export interface RerankerCheck {
  readonly query: string;
  readonly better: string;
  readonly worse: string;
}

export type ModelProfile = EmbedderProfile | RerankerProfile;

/** Every model has these two beside its graph. */
export const TOKENIZER_FILES = ['tokenizer.json', 'tokenizer_config.json'] as const;

/** Everything to fetch for one precision, as paths in the repository. */
export function filesOf(profile: ModelProfile, precision = profile.defaultPrecision): readonly string[] {
  return [...TOKENIZER_FILES, ...(profile.variants[precision]?.files ?? [])];
}

import type { EmbedderProfile, RerankerProfile } from '../../../src/inference/onnx/profile.ts';
import { type ModelFolder, writeModelFolder } from './model-folder.ts';
import { byteLevelTokenizer, type TokenizerJson, wordPieceTokenizer } from './tiny-tokenizers.ts';
import { type GraphOptions, transformerGraph } from './transformer-graph.ts';
import { makeWeights, type TransformerShape, type TransformerWeights } from './transformer-weights.ts';

/** A model small enough to be calculated by hand, with the weights at hand. */
export interface TinyModel {
  readonly shape: TransformerShape;
  readonly weights: TransformerWeights;
  readonly tokenizer: TokenizerJson;
  write(options?: GraphOptions): ModelFolder;
}

const TINY = { positions: 64, width: 32, heads: 4, layers: 2, feedForward: 48, seed: 20_231 } as const;

export function tinyModel(
  tokenizer: TokenizerJson,
  { causal = false, head = 'states', ...rest }: Partial<TransformerShape> = {},
): TinyModel {
  const shape: TransformerShape = { ...TINY, vocabulary: tokenizer.vocabulary, causal, head, ...rest };
  const weights = makeWeights(shape);
  return {
    shape,
    weights,
    tokenizer,
    write: (options) => writeModelFolder(transformerGraph(shape, weights, options), tokenizer),
  };
}

/** BERT: token states, WordPiece. */
export function tinyEncoder(rest: Partial<TransformerShape> = {}): TinyModel {
  return tinyModel(wordPieceTokenizer(), rest);
}

/** A pair in, one logit out. */
export function tinyCrossEncoder(rest: Partial<TransformerShape> = {}): TinyModel {
  return tinyModel(wordPieceTokenizer(), { head: 'pair-logit', ...rest });
}

/** Looks back only; token states, or the next token's logits. */
export function tinyDecoder(rest: Partial<TransformerShape> = {}): TinyModel {
  return tinyModel(byteLevelTokenizer({ endsWith: '<|endoftext|>' }), { causal: true, ...rest });
}

export const tinyEmbedderProfile: EmbedderProfile = {
  kind: 'embedder',
  name: 'tiny-embedder',
  repository: 'test/tiny-embedder',
  revision: 'main',
  licence: 'MIT',
  variants: { fp32: { files: ['onnx/model.onnx'], megabytes: 1 } },
  defaultPrecision: 'fp32',
  maxTokens: 64,
  padding: 'right',
  dimension: TINY.width,
  shorterDimensions: [16],
  pooling: 'mean',
  prefix: { query: '', passage: '' },
  selfCheck: [
    { query: 'who adopted a puppy?', nearer: 'i adopted a puppy', farther: 'the train leaves at nine' },
    {
      query: 'the capital of france',
      nearer: 'paris is the capital of france',
      farther: 'bananas grow in june',
    },
  ],
};

export const tinyRerankerProfile: RerankerProfile = {
  kind: 'reranker',
  name: 'tiny-reranker',
  repository: 'test/tiny-reranker',
  revision: 'main',
  licence: 'MIT',
  variants: { fp32: { files: ['onnx/model.onnx'], megabytes: 1 } },
  defaultPrecision: 'fp32',
  maxTokens: 64,
  padding: 'right',
  head: { kind: 'sigmoid-logit' },
  selfCheck: [],
};

/** Asks in few bytes, since each is a token here. */
export const tinyYesNoHead = {
  kind: 'yes-no-logits',
  template: { before: '<|im_start|>', query: 'Q: ', document: '\nD: ', after: '<|im_end|>' },
  yes: 'yes',
  no: 'no',
} as const satisfies RerankerProfile['head'];

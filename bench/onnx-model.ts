import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbedderProfile, RerankerProfile } from '../src/inference/onnx/profile.ts';
import { type ModelFolder, writeModelFolder } from '../test/fakes/onnx/model-folder.ts';
import { wordPieceTokenizer } from '../test/fakes/onnx/tiny-tokenizers.ts';
import { transformerGraph } from '../test/fakes/onnx/transformer-graph.ts';
import { makeWeights, type TransformerShape } from '../test/fakes/onnx/transformer-weights.ts';

/** The shape of all-MiniLM-L6-v2 and of ms-marco-MiniLM-L-6-v2. */
const SHAPE: TransformerShape = {
  vocabulary: 30_522,
  positions: 512,
  width: 384,
  heads: 12,
  layers: 6,
  feedForward: 1_536,
  causal: false,
  head: 'states',
  seed: 6_384,
};
const SPECIAL = 5;

/** The same computation as the real model, with random weights; its vectors are meaningless. */
export const benchEmbedder: EmbedderProfile = {
  kind: 'embedder',
  name: 'random-6-layers-384-wide',
  repository: 'none/random',
  revision: 'none',
  licence: 'MIT',
  variants: { fp32: { files: ['onnx/model.onnx'], megabytes: 91 } },
  defaultPrecision: 'fp32',
  maxTokens: 512,
  padding: 'right',
  dimension: 384,
  shorterDimensions: [],
  pooling: 'mean',
  prefix: { query: '', passage: '' },
  selfCheck: [],
};

export const benchReranker: RerankerProfile = {
  kind: 'reranker',
  name: 'random-6-layers-384-wide-pairs',
  repository: 'none/random',
  revision: 'none',
  licence: 'MIT',
  variants: { fp32: { files: ['onnx/model.onnx'], megabytes: 91 } },
  defaultPrecision: 'fp32',
  maxTokens: 512,
  padding: 'right',
  head: { kind: 'sigmoid-logit' },
  selfCheck: [],
};

export function writeBenchModel(head: 'states' | 'pair-logit'): ModelFolder {
  const shape = { ...SHAPE, head };
  const folder = writeModelFolder(transformerGraph(shape, makeWeights(shape)), benchTokenizer());
  // Unused here: other libraries choose their model class by it.
  writeFileSync(
    join(folder.path, 'config.json'),
    JSON.stringify({ model_type: 'bert', hidden_size: SHAPE.width }),
  );
  return folder;
}

/** `rows` texts of exactly this many tokens, including the two special ones. */
export function benchTexts(rows: number, tokens: number): string[] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: tokens - 2 }, (_, at) =>
      wordAt((row * 7_919 + at * 104_729) % (SHAPE.vocabulary - SPECIAL)),
    ).join(' '),
  );
}

/** WordPiece with a vocabulary of BERT's size. */
function benchTokenizer() {
  const { tokenizer, config } = wordPieceTokenizer();
  const { model, added_tokens } = tokenizer as {
    model: { vocab: Record<string, number> };
    added_tokens: readonly { content: string }[];
  };
  const words = Array.from({ length: SHAPE.vocabulary - SPECIAL }, (_, at) => wordAt(at));
  const tokens = [...added_tokens.map(({ content }) => content), ...words];
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  return { tokenizer: { ...tokenizer, model: { ...model, vocab } }, config };
}

/** A distinct word of three to five letters for each number. */
function wordAt(index: number): string {
  return `w${index.toString(26).replaceAll(/[0-9]/g, (digit) => String.fromCharCode(112 + Number(digit)))}x`;
}

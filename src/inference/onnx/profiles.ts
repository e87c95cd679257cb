import type {
  EmbedderCheck,
  EmbedderProfile,
  ModelProfile,
  ModelVariant,
  Precision,
  RerankerCheck,
  RerankerProfile,
} from './profile.ts';

/** Any model that was trained on English passes these. */
const EMBEDDER_CHECKS: readonly EmbedderCheck[] = [
  {
    query: 'Who adopted a puppy?',
    nearer: 'My sister took home a young dog from the animal shelter.',
    farther: 'The train to Hamburg leaves at nine in the morning.',
  },
  {
    query: 'How do I bake bread?',
    nearer: 'Knead the dough, let it rise for an hour and put it in a hot oven.',
    farther: 'The parliament voted on the new tax law yesterday evening.',
  },
  {
    query: 'capital of France',
    nearer: 'Paris is the seat of the French government.',
    farther: 'Bananas grow in warm and humid countries.',
  },
];

const MULTILINGUAL_CHECKS: readonly EmbedderCheck[] = [
  ...EMBEDDER_CHECKS,
  {
    query: 'Where is the nearest hospital?',
    nearer: 'Das nächste Krankenhaus liegt zwei Straßen weiter.',
    farther: 'Der Film von gestern Abend war ziemlich langweilig.',
  },
];

const GRAPHS: Readonly<Record<Precision, string>> = {
  fp32: 'model',
  fp16: 'model_fp16',
  int8: 'model_quantized',
  q4: 'model_q4',
};

interface GraphNames {
  /** Exports whose weights are a file of their own. */
  readonly parted?: readonly Precision[];
  /** Names that are not the usual ones. */
  readonly names?: Partial<typeof GRAPHS>;
}

/** The exports of a model, by their megabytes. */
function variants(
  megabytes: Partial<Record<Precision, number>>,
  { parted = [], names = {} }: GraphNames = {},
): ModelProfile['variants'] {
  return Object.fromEntries(
    Object.entries(megabytes).map(([key, size]): [Precision, ModelVariant] => {
      const precision = key as Precision;
      const graph = `onnx/${names[precision] ?? GRAPHS[precision]}.onnx`;
      const weights = parted.includes(precision) ? [`${graph}_data`] : [];
      return [precision, { files: [graph, ...weights], megabytes: size }];
    }),
  );
}

/** What a profile need not say. Where attention looks back only, fillers on the right reach no token of the text. */
const EMBEDDER = {
  kind: 'embedder',
  padding: 'right',
  shorterDimensions: [],
  prefix: { query: '', passage: '' },
  selfCheck: EMBEDDER_CHECKS,
} as const;

const EMBEDDERS: readonly EmbedderProfile[] = [
  {
    ...EMBEDDER,
    name: 'all-minilm-l6-v2',
    repository: 'Xenova/all-MiniLM-L6-v2',
    revision: '751bff37182d3f1213fa05d7196b954e230abad9',
    licence: 'Apache-2.0',
    variants: variants({ fp32: 90, fp16: 45, int8: 23 }),
    defaultPrecision: 'fp32',
    maxTokens: 256,
    dimension: 384,
    pooling: 'mean',
  },
  {
    ...EMBEDDER,
    name: 'bge-small-en-v1.5',
    repository: 'Xenova/bge-small-en-v1.5',
    revision: 'main',
    licence: 'MIT',
    variants: variants({ fp32: 133, fp16: 67, int8: 34 }),
    defaultPrecision: 'fp32',
    maxTokens: 512,
    dimension: 384,
    pooling: 'cls',
    prefix: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  },
  {
    ...EMBEDDER,
    name: 'e5-small-v2',
    repository: 'Xenova/e5-small-v2',
    revision: 'main',
    licence: 'MIT',
    variants: variants({ fp32: 133, int8: 34 }),
    defaultPrecision: 'fp32',
    maxTokens: 512,
    dimension: 384,
    pooling: 'mean',
    prefix: { query: 'query: ', passage: 'passage: ' },
  },
  {
    ...EMBEDDER,
    name: 'granite-embedding-small-english-r2',
    repository: 'onnx-community/granite-embedding-small-english-r2-ONNX',
    revision: 'main',
    licence: 'Apache-2.0',
    variants: variants({ int8: 52, fp32: 190 }, { parted: ['int8', 'fp32'] }),
    defaultPrecision: 'int8',
    maxTokens: 8_192,
    dimension: 384,
    pooling: 'cls',
  },
  {
    ...EMBEDDER,
    name: 'granite-embedding-97m-multilingual-r2',
    repository: 'ibm-granite/granite-embedding-97m-multilingual-r2',
    revision: '835ad14087e140460703cf0fae09f97d469d65c2',
    licence: 'Apache-2.0',
    variants: variants({ int8: 98 }, { names: { int8: 'model_quint8_avx2' } }),
    defaultPrecision: 'int8',
    // Trained for 32,768; the attention of so long a row does not fit a desktop's memory.
    maxTokens: 8_192,
    dimension: 384,
    pooling: 'cls',
    selfCheck: MULTILINGUAL_CHECKS,
  },
  {
    ...EMBEDDER,
    name: 'bekko-embedding-v1-a8m',
    repository: 'hotchpotch/bekko-embedding-v1-a8m',
    revision: 'main',
    licence: 'MIT',
    variants: variants({ fp32: 124 }),
    defaultPrecision: 'fp32',
    maxTokens: 8_192,
    dimension: 384,
    pooling: 'mean',
    selfCheck: MULTILINGUAL_CHECKS,
  },
  {
    ...EMBEDDER,
    name: 'multilingual-e5-small',
    repository: 'Xenova/multilingual-e5-small',
    revision: '761b726dd34fb83930e26aab4e9ac3899aa1fa78',
    licence: 'MIT',
    variants: variants({ fp32: 470, int8: 118 }),
    defaultPrecision: 'int8',
    maxTokens: 512,
    dimension: 384,
    pooling: 'mean',
    prefix: { query: 'query: ', passage: 'passage: ' },
    selfCheck: MULTILINGUAL_CHECKS,
  },
  {
    ...EMBEDDER,
    name: 'bge-m3',
    repository: 'Xenova/bge-m3',
    revision: '46ce10a0ac77ca4bab460d6676ba8260b33e68dc',
    licence: 'MIT',
    variants: variants({ fp32: 2_270, fp16: 1_130, int8: 570 }, { parted: ['fp32'] }),
    defaultPrecision: 'int8',
    maxTokens: 8_192,
    dimension: 1_024,
    pooling: 'cls',
    selfCheck: MULTILINGUAL_CHECKS,
  },
  {
    ...EMBEDDER,
    name: 'embeddinggemma-300m',
    repository: 'onnx-community/embeddinggemma-300m-ONNX',
    revision: 'main',
    licence: 'Gemma Terms of Use',
    variants: variants({ fp32: 1_240, int8: 310, q4: 200 }, { parted: ['fp32', 'int8', 'q4'] }),
    defaultPrecision: 'int8',
    maxTokens: 2_048,
    dimension: 768,
    shorterDimensions: [128, 256, 512],
    pooling: 'graph',
    prefix: { query: 'task: search result | query: ', passage: 'title: none | text: ' },
    selfCheck: MULTILINGUAL_CHECKS,
  },
  {
    ...EMBEDDER,
    name: 'qwen3-embedding-0.6b',
    repository: 'onnx-community/Qwen3-Embedding-0.6B-ONNX',
    revision: 'c25a394dd583836952667c12f008335071b3f43d',
    licence: 'Apache-2.0',
    variants: variants(
      { fp32: 2_380, fp16: 1_190, int8: 614 },
      { parted: ['fp32', 'fp16'], names: { int8: 'model_int8' } },
    ),
    defaultPrecision: 'int8',
    // Trained for 32,768; the attention of so long a row does not fit a desktop's memory.
    maxTokens: 8_192,
    dimension: 1_024,
    shorterDimensions: [128, 256, 512, 768],
    pooling: 'last',
    prefix: {
      query: 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
      passage: '',
    },
    endToken: '<|endoftext|>',
    selfCheck: MULTILINGUAL_CHECKS,
  },
];

const RERANKER_CHECKS: readonly RerankerCheck[] = [
  {
    query: 'What is the capital of France?',
    better: 'Paris is the capital of France.',
    worse: 'Bananas grow in warm and humid countries.',
  },
  {
    query: 'How many people live in Berlin?',
    better: 'Berlin has a population of about 3.5 million people.',
    worse: 'Berlin is well known for its museums and its night life.',
  },
  {
    query: 'Who adopted a puppy?',
    better: 'Ann adopted a puppy from the shelter in May.',
    worse: 'The train to Hamburg leaves at nine in the morning.',
  },
];

const RERANKER = { kind: 'reranker', padding: 'right', selfCheck: RERANKER_CHECKS } as const;

const RERANKERS: readonly RerankerProfile[] = [
  {
    ...RERANKER,
    name: 'ms-marco-minilm-l-6-v2',
    repository: 'Xenova/ms-marco-MiniLM-L-6-v2',
    revision: 'a09144355adeed5f58c8ed011d209bf8ee5a1fec',
    licence: 'Apache-2.0',
    variants: variants({ fp32: 91, int8: 23 }),
    defaultPrecision: 'fp32',
    maxTokens: 512,
    head: { kind: 'sigmoid-logit' },
  },
  {
    ...RERANKER,
    name: 'ettin-reranker-32m-v1',
    repository: 'cross-encoder/ettin-reranker-32m-v1',
    revision: 'main',
    licence: 'Apache-2.0',
    variants: variants({ fp32: 128 }),
    defaultPrecision: 'fp32',
    // Trained for 7,999.
    maxTokens: 1_024,
    head: { kind: 'sigmoid-logit' },
  },
  {
    ...RERANKER,
    name: 'ettin-reranker-150m-v1',
    repository: 'cross-encoder/ettin-reranker-150m-v1',
    revision: 'main',
    licence: 'Apache-2.0',
    variants: variants({ fp32: 599 }),
    defaultPrecision: 'fp32',
    maxTokens: 1_024,
    head: { kind: 'sigmoid-logit' },
  },
  {
    ...RERANKER,
    name: 'bge-reranker-v2-m3',
    repository: 'onnx-community/bge-reranker-v2-m3-ONNX',
    revision: '6f5ff65298512715a1e669753bc754d2bc8f367b',
    licence: 'Apache-2.0',
    variants: variants({ fp16: 1_140, int8: 571 }),
    defaultPrecision: 'int8',
    // Trained for 8,192, tuned on 1,024 (its card's advice).
    maxTokens: 1_024,
    head: { kind: 'sigmoid-logit' },
  },
  {
    ...RERANKER,
    name: 'qwen3-reranker-0.6b',
    repository: 'onnx-community/Qwen3-Reranker-0.6B-ONNX',
    revision: 'main',
    licence: 'Apache-2.0',
    variants: variants({ int8: 600, q4: 520 }),
    defaultPrecision: 'int8',
    // Trained for 32,768; the graph gives 151,669 logits for every token, 0.6 MB each.
    maxTokens: 1_024,
    padding: 'left',
    head: {
      kind: 'yes-no-logits',
      // The model was trained on exactly this wording; any other loses accuracy.
      template: {
        before:
          '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n',
        query:
          '<Instruct>: Given a web search query, retrieve relevant passages that answer the query\n<Query>: ',
        document: '\n<Document>: ',
        after: '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
      },
      yes: 'yes',
      no: 'no',
    },
  },
];

/**
 * Every model that Mnemis can run. Sources: each model's card on the hub; docs/models.md lists what could not be
 * checked there.
 */
export const PROFILES: readonly ModelProfile[] = [...EMBEDDERS, ...RERANKERS];

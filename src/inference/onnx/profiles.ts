import type {
  EmbedderCheck,
  EmbedderProfile,
  ModelProfile,
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

const ACROSS_LANGUAGES: EmbedderCheck = {
  query: 'Where is the nearest hospital?',
  nearer: 'Das nächste Krankenhaus liegt zwei Straßen weiter.',
  farther: 'Der Film von gestern Abend war ziemlich langweilig.',
};

const NO_PREFIX = { query: '', passage: '' };

const EMBEDDERS: readonly EmbedderProfile[] = [
  {
    kind: 'embedder',
    name: 'all-minilm-l6-v2',
    repository: 'Xenova/all-MiniLM-L6-v2',
    revision: '751bff37182d3f1213fa05d7196b954e230abad9',
    licence: 'Apache-2.0',
    variants: {
      fp32: { files: ['onnx/model.onnx'], megabytes: 90 },
      fp16: { files: ['onnx/model_fp16.onnx'], megabytes: 45 },
      int8: { files: ['onnx/model_quantized.onnx'], megabytes: 23 },
    },
    defaultPrecision: 'fp32',
    maxTokens: 256,
    padding: 'right',
    dimension: 384,
    shorterDimensions: [],
    pooling: 'mean',
    prefix: NO_PREFIX,
    selfCheck: EMBEDDER_CHECKS,
  },
  {
    kind: 'embedder',
    name: 'bge-small-en-v1.5',
    repository: 'Xenova/bge-small-en-v1.5',
    revision: 'main',
    licence: 'MIT',
    variants: {
      fp32: { files: ['onnx/model.onnx'], megabytes: 133 },
      fp16: { files: ['onnx/model_fp16.onnx'], megabytes: 67 },
      int8: { files: ['onnx/model_quantized.onnx'], megabytes: 34 },
    },
    defaultPrecision: 'fp32',
    maxTokens: 512,
    padding: 'right',
    dimension: 384,
    shorterDimensions: [],
    pooling: 'cls',
    prefix: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
    selfCheck: EMBEDDER_CHECKS,
  },
  {
    kind: 'embedder',
    name: 'e5-small-v2',
    repository: 'Xenova/e5-small-v2',
    revision: 'main',
    licence: 'MIT',
    variants: {
      fp32: { files: ['onnx/model.onnx'], megabytes: 133 },
      int8: { files: ['onnx/model_quantized.onnx'], megabytes: 34 },
    },
    defaultPrecision: 'fp32',
    maxTokens: 512,
    padding: 'right',
    dimension: 384,
    shorterDimensions: [],
    pooling: 'mean',
    prefix: { query: 'query: ', passage: 'passage: ' },
    selfCheck: EMBEDDER_CHECKS,
  },
  {
    kind: 'embedder',
    name: 'multilingual-e5-small',
    repository: 'Xenova/multilingual-e5-small',
    revision: '761b726dd34fb83930e26aab4e9ac3899aa1fa78',
    licence: 'MIT',
    variants: {
      fp32: { files: ['onnx/model.onnx'], megabytes: 470 },
      int8: { files: ['onnx/model_quantized.onnx'], megabytes: 118 },
    },
    defaultPrecision: 'int8',
    maxTokens: 512,
    padding: 'right',
    dimension: 384,
    shorterDimensions: [],
    pooling: 'mean',
    prefix: { query: 'query: ', passage: 'passage: ' },
    selfCheck: [...EMBEDDER_CHECKS, ACROSS_LANGUAGES],
  },
  {
    kind: 'embedder',
    name: 'bge-m3',
    repository: 'Xenova/bge-m3',
    revision: '46ce10a0ac77ca4bab460d6676ba8260b33e68dc',
    licence: 'MIT',
    variants: {
      fp32: { files: ['onnx/model.onnx', 'onnx/model.onnx_data'], megabytes: 2_270 },
      fp16: { files: ['onnx/model_fp16.onnx'], megabytes: 1_130 },
      int8: { files: ['onnx/model_quantized.onnx'], megabytes: 570 },
    },
    defaultPrecision: 'int8',
    maxTokens: 8_192,
    padding: 'right',
    dimension: 1_024,
    shorterDimensions: [],
    pooling: 'cls',
    prefix: NO_PREFIX,
    selfCheck: [...EMBEDDER_CHECKS, ACROSS_LANGUAGES],
  },
  {
    kind: 'embedder',
    name: 'embeddinggemma-300m',
    repository: 'onnx-community/embeddinggemma-300m-ONNX',
    revision: 'main',
    licence: 'Gemma Terms of Use',
    variants: {
      fp32: { files: ['onnx/model.onnx', 'onnx/model.onnx_data'], megabytes: 1_240 },
      int8: { files: ['onnx/model_quantized.onnx', 'onnx/model_quantized.onnx_data'], megabytes: 310 },
      q4: { files: ['onnx/model_q4.onnx', 'onnx/model_q4.onnx_data'], megabytes: 200 },
    },
    defaultPrecision: 'int8',
    maxTokens: 2_048,
    padding: 'right',
    dimension: 768,
    shorterDimensions: [128, 256, 512],
    pooling: 'graph',
    prefix: { query: 'task: search result | query: ', passage: 'title: none | text: ' },
    selfCheck: [...EMBEDDER_CHECKS, ACROSS_LANGUAGES],
  },
  {
    kind: 'embedder',
    name: 'qwen3-embedding-0.6b',
    repository: 'onnx-community/Qwen3-Embedding-0.6B-ONNX',
    revision: 'c25a394dd583836952667c12f008335071b3f43d',
    licence: 'Apache-2.0',
    variants: {
      fp32: { files: ['onnx/model.onnx', 'onnx/model.onnx_data'], megabytes: 2_380 },
      fp16: { files: ['onnx/model_fp16.onnx', 'onnx/model_fp16.onnx_data'], megabytes: 1_190 },
      int8: { files: ['onnx/model_int8.onnx'], megabytes: 614 },
    },
    defaultPrecision: 'int8',
    // Trained for 32,768; the attention of so long a row does not fit a desktop's memory.
    maxTokens: 8_192,
    // Attention looks back only, so fillers on the right cannot reach the last token.
    padding: 'right',
    dimension: 1_024,
    shorterDimensions: [128, 256, 512, 768],
    pooling: 'last',
    prefix: {
      query: 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
      passage: '',
    },
    endToken: '<|endoftext|>',
    selfCheck: [...EMBEDDER_CHECKS, ACROSS_LANGUAGES],
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

const RERANKERS: readonly RerankerProfile[] = [
  {
    kind: 'reranker',
    name: 'ms-marco-minilm-l-6-v2',
    repository: 'Xenova/ms-marco-MiniLM-L-6-v2',
    revision: 'a09144355adeed5f58c8ed011d209bf8ee5a1fec',
    licence: 'Apache-2.0',
    variants: {
      fp32: { files: ['onnx/model.onnx'], megabytes: 91 },
      int8: { files: ['onnx/model_quantized.onnx'], megabytes: 23 },
    },
    defaultPrecision: 'fp32',
    maxTokens: 512,
    padding: 'right',
    head: { kind: 'sigmoid-logit' },
    selfCheck: RERANKER_CHECKS,
  },
  {
    kind: 'reranker',
    name: 'bge-reranker-v2-m3',
    repository: 'onnx-community/bge-reranker-v2-m3-ONNX',
    revision: '6f5ff65298512715a1e669753bc754d2bc8f367b',
    licence: 'Apache-2.0',
    variants: {
      fp16: { files: ['onnx/model_fp16.onnx'], megabytes: 1_140 },
      int8: { files: ['onnx/model_quantized.onnx'], megabytes: 571 },
    },
    defaultPrecision: 'int8',
    // Trained for 8,192, tuned on 1,024 (its card's advice).
    maxTokens: 1_024,
    padding: 'right',
    head: { kind: 'sigmoid-logit' },
    selfCheck: RERANKER_CHECKS,
  },
  {
    kind: 'reranker',
    name: 'qwen3-reranker-0.6b',
    repository: 'onnx-community/Qwen3-Reranker-0.6B-ONNX',
    revision: 'main',
    licence: 'Apache-2.0',
    variants: {
      int8: { files: ['onnx/model_quantized.onnx'], megabytes: 600 },
      q4: { files: ['onnx/model_q4.onnx'], megabytes: 520 },
    },
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
    selfCheck: RERANKER_CHECKS,
  },
];

/**
 * Every model that Mnemis can run. Sources: each model's card on the hub; docs/models.md lists what could not be
 * checked there.
 */
export const PROFILES: readonly ModelProfile[] = [...EMBEDDERS, ...RERANKERS];

import type { RerankerCheck, RerankerProfile } from './profile.ts';

const ENGLISH_CHECKS: readonly RerankerCheck[] = [
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

/** Sources: each model's card on the hub. What could not be checked there is said in docs/models.md. */
export const RERANKER_PROFILES: readonly RerankerProfile[] = [
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
    selfCheck: ENGLISH_CHECKS,
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
    selfCheck: ENGLISH_CHECKS,
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
    selfCheck: ENGLISH_CHECKS,
  },
];

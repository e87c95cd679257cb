import { describe, expect, it } from 'vitest';
import { classifyFailure } from '../../../src/inference/language-model/calling/model-failure.ts';
import { openLab, PEOPLE, TEXT } from './model-lab.ts';

/** In the words of OpenAI, Anthropic, Gemini, Mistral, Cohere, Groq, llama.cpp, vLLM, TGI, Ollama, LM Studio and others. */
const TOO_LONG = [
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576.",
  'prompt is too long: 208310 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 199211 + 20000 > 200000',
  'Request exceeds the maximum allowed number of bytes',
  'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
  'the request exceeds the available context size. try increasing the context size or enable context shift',
  'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
  'context shift is disabled',
  'failed to find free space in the KV cache',
  'input is too large to process. increase the physical batch size',
  'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
  'Please reduce the length of the messages or completion.',
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
  '`inputs` must have less than 1024 tokens. Given: 5000',
  "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  'Input length (5000 tokens) exceeds the maximum allowed length (4096 tokens)',
  'the input length exceeds the context length',
  'prompt too long; exceeded max context length by 512 tokens',
  'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
  'Reached context length of 4096 tokens with this model',
  'The number of tokens to keep from the initial prompt is greater than the context length',
  'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  'too many tokens: total number of tokens in the prompt cannot exceed 4081',
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  'Input is too long for requested model.',
  'Too many input tokens',
  'Request body too large for gpt-4o model. Max size: 8000 tokens.',
  'prompt token count of 130000 exceeds the limit of 128000',
  'context window exceeds limit',
  'Your request exceeded model token limit: 131072 (requested 200000)',
  'model_context_window_exceeded',
  'Range of input length should be [1, 129024]',
  'Prompt exceeds max length',
  'Requested tokens (9000) exceed context window of 2048',
  'input tokens exceed the configured limit',
  'Request too large',
  'Request too large for model llama on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size',
  'Conversation too long',
  'Number of tokens in the request exceeds the limit',
  'sequence length is longer than the specified maximum sequence length for this model (9000 > 4096)',
];

const OTHERS = [
  'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.',
  'Rate limit reached for requests',
  'You exceeded your current quota, please check your plan and billing details.',
  'Too Many Requests',
  'context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
  'context canceled',
  'The server had an error processing your request',
  'The request exceeded the time limit',
  'model runner has unexpectedly stopped, this may be due to resource limitations or an internal error',
  'CUDA out of memory',
  'Too many tokens, please wait before trying again.',
  "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
  'Number of request tokens has exceeded your daily rate limit',
  'max_tokens is too large: 5000. This model supports at most 4096 completion tokens',
  'Overloaded',
  'The response was filtered due to the prompt triggering the content management policy',
  'upstream connect error or disconnect/reset before headers',
  'Resource has been exhausted (e.g. check quota).',
  "Unsupported value: 'temperature' does not support 0",
  'Invalid schema for response_format',
  'No endpoints found that support the requested parameters',
  'model "x" not found, try pulling it first',
  'Maximum number of concurrent requests exceeded',
  'Your credit balance is too low',
  'server busy, please try again. maximum pending requests exceeded',
  'Max retries exceeded with url: /api/generate',
  'API request limit exceeded',
  'the request queue exceeds its capacity',
];

it.each(TOO_LONG)('a prompt that is too long %s', (message) => {
  for (const status of [400, 403, 413, 422, 429, 500, 503, undefined])
    expect([status, classifyFailure({ status, message }, Date.now).kind]).toEqual([status, 'context']);
  expect(classifyFailure({ status: 401, message }, Date.now).kind).toBe('key');
});

it.each(OTHERS)('no prompt that is too long %s', (message) => {
  for (const status of [400, 403, 422, 429, 500, 503, undefined])
    expect([status, classifyFailure({ status, message }, Date.now).kind]).not.toContain('context');
});

describe('the words of an error are found in every form of a body', () => {
  const message = 'the request exceeds the available context size';
  it.each<[number, unknown]>([
    [500, { error: { message } }],
    [500, { error: message }],
    [500, { message, object: 'error', code: 500 }],
    [500, { detail: message }],
    [422, { detail: [{ loc: ['body'], msg: message }] }],
    [400, message],
    [200, { error: { message, code: 500 } }],
    [200, { error: { message, code: 'exceed_context_size_error' } }],
    [200, { error: message }],
  ])('%d %j', async (status, body) => {
    await using lab = await openLab('openai');
    lab.server.enqueue({ fault: { kind: 'refuse', status, body } });
    await expect(lab.model.structured(PEOPLE, TEXT)).rejects.toMatchObject({ code: 'context-too-long' });
    expect(lab.server.requests).toHaveLength(1);
  });

  it('an error of the server under status 200 is retried', async () => {
    await using lab = await openLab('openai', { server: { reply: () => ({ people: [] }) } });
    lab.server.enqueue({
      fault: { kind: 'refuse', status: 200, body: { error: { message: 'Overloaded', code: 529 } } },
    });
    expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ value: { people: [] } });
    expect(lab.server.requests).toHaveLength(2);
  });
});

it.each([
  ['Input flagged by moderation', 403],
  ['Your prompt was rejected by our safety system', 400],
  ['triggering the content management policy', 422],
])('a text that a provider rejects is declined: %s', (message, status) =>
  expect(classifyFailure({ status, message }, Date.now).kind).toBe('filter'),
);

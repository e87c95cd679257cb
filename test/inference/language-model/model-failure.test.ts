import { OpenAIClient } from '@langchain/openai';
import { expect, it } from 'vitest';
import { classifyFailure } from '../../../src/inference/language-model/calling/model-failure.ts';

const headersTimeout = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

it.each<[reason: string, error: Error]>([
  ['timeout', new OpenAIClient.APIConnectionTimeoutError({ message: 'Request timed out.' })],
  ['timeout', new TypeError('fetch failed', { cause: headersTimeout })],
  ['unreachable', new TypeError('fetch failed', { cause: refused })],
  ['broken-reply', new TypeError('terminated')],
])('classifies as %s the library error %s', (reason, error) => {
  expect(classifyFailure(error, Date.now)).toMatchObject({ kind: 'unavailable', reason });
});

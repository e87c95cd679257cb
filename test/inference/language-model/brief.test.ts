import { expect, test } from 'vitest';
import type {
  ChatBackend,
  ChatRequest,
} from '../../../src/inference/language-model/backends/chat-backend.ts';
import { ChatLanguageModel } from '../../../src/inference/language-model/chat-language-model.ts';
import { rewriteQuestion } from '../../../src/retrieve/rewrite/rewrite-question-prompt.ts';

test('a small model gets instructions in brief, where a prompt has them', async () => {
  const asked: ChatRequest[] = [];
  const answer = async (request: ChatRequest) => {
    asked.push(request);
    const text = '{"wordings": ["I sail on Sundays"]}';
    return { text, toolArguments: undefined, declined: null, truncated: false, usage: null };
  };
  const backend: ChatBackend = { name: 'local:small', ask: answer, stream: answer };
  const input = { question: 'When does Ann sail?' };
  for (const isSmall of [false, true])
    await new ChatLanguageModel({ ...backend, isSmall }).structured(rewriteQuestion, input);
  const rendered = rewriteQuestion.render(input);
  expect(asked.map(({ turns }) => turns.map(({ content }) => content))).toEqual([
    [rendered.system, rendered.user],
    [rewriteQuestion.brief!(input), rendered.user],
  ]);
});
